// SPDX-License-Identifier: MIT
// What the verdict on each layout for inference stands on, and the advice for inference as a whole.
#include "engine/record/format.h"
#include "engine/simulate/advice_parts.h"
#include "engine/simulate/layer_time.h"

#include <algorithm>
#include <utility>

namespace shardscope {
namespace {

/// "96 KiB": of one all-reduce of decode.
std::string messageText(const AdviceQuestion &question)
{
    return formatBinaryBytes(2 * question.serveSequences * question.model.hidden);
}

std::string collectivesText(const AdviceQuestion &question, const ServingLayout &layout)
{
    return std::to_string(layout.settings.tp > 1 ? 2 * question.model.layers : 0);
}

AdviceLine memoryLine(const AdviceQuestion &question, const ServingLayout &layout)
{
    const std::int64_t usable = usableBytes(question.hardware);
    const std::string total = formatGibibytes(layout.memoryBytes);
    const std::string weights = formatGibibytes(layout.weightBytes);
    const std::string cache = formatGibibytes(layout.cacheBytes);
    Text finding{TextId::AdviceServingFits, {total, formatGibibytes(usable), weights, cache}};
    if (!layout.fits)
        finding = {TextId::AdviceServingDoesNotFit,
                   {total, formatGibibytes(layout.memoryBytes - usable), formatGibibytes(usable), weights, cache}};
    return {finding, memoryRule(question), {TextId::SourceMemoryShare, {}}};
}

AdviceLine linkLine(const AdviceQuestion &question, const ServingLayout &layout)
{
    Text finding{TextId::AdviceNoLinks, {}};
    const int tp = layout.settings.tp;
    const std::string limit = formatNumber(layout.linkMargin * tp);
    if (layout.communicationBound)
        finding = {TextId::AdviceDecodeAbove, {std::to_string(tp), limit, formatRatio(1 / layout.linkMargin)}};
    else if (tp > 1)
        finding = {TextId::AdviceDecodeBelow, {std::to_string(tp), limit, formatRatio(layout.linkMargin)}};
    return {finding, decodeRule(question, tensorParallelGBs(question.hardware, tp)), {TextId::SourceDecode, {}}};
}

Text tokenFinding(const AdviceQuestion &question, const ServingLayout &layout)
{
    const bool slow = layout.verdict == LayoutVerdict::TooSlow;
    const std::string token = secondsText(layout.tokenSeconds);
    const std::string rate = formatNumber(layout.tokensPerSecondPerGpu);
    const std::string target = slow ? secondsText(*question.tokenSeconds) : std::string();
    if (layout.settings.tp == 1)
        return slow ? Text{TextId::AdviceTokenAloneTooSlow, {token, target}}
                    : Text{TextId::AdviceTokenAlone, {token, rate}};
    const std::string reading = secondsText(layout.tokenSeconds - layout.communicationSeconds);
    const std::string links = secondsText(layout.communicationSeconds);
    const std::string collectives = collectivesText(question, layout);
    const std::string message = messageText(question);
    return slow ? Text{TextId::AdviceTokenTooSlow, {token, target, reading, links, collectives, message}}
                : Text{TextId::AdviceToken, {token, reading, links, collectives, message, rate}};
}

AdviceLine tokenLine(const AdviceQuestion &question, const ServingLayout &layout)
{
    const std::string collectives = collectivesText(question, layout);
    const Text rule = question.tokenSeconds
                          ? Text{TextId::AdviceRuleToken, {collectives, secondsText(*question.tokenSeconds)}}
                          : Text{TextId::AdviceRuleTokenFree, {collectives}};
    return {tokenFinding(question, layout), rule, {TextId::SourceToken, {}}};
}

/// The deciding line first.
std::vector<AdviceLine> reasons(const AdviceQuestion &question, const ServingLayout &layout)
{
    if (layout.verdict == LayoutVerdict::NotDivisible)
        return {notDivisibleLine(question, layout.settings.tp)};
    std::vector<AdviceLine> lines{memoryLine(question, layout), linkLine(question, layout)};
    if (layout.verdict == LayoutVerdict::LeavesNode) {
        lines.insert(lines.begin(), leavesNodeLine(question, layout.settings.tp));
        return lines;
    }
    lines.push_back(tokenLine(question, layout));
    if (layout.verdict == LayoutVerdict::CommunicationBound)
        std::swap(lines[0], lines[1]);
    else if (layout.verdict == LayoutVerdict::TooSlow || layout.verdict == LayoutVerdict::Slower)
        std::swap(lines[0], lines[2]);
    return lines;
}

AdviceLine choiceLine(const AdviceQuestion &question, const ServingLayout *best)
{
    const Text source{TextId::SourceThroughput, {}};
    const Text free{TextId::AdviceRuleServeFree, {}};
    if (best == nullptr)
        return {{TextId::AdviceServeNothing, {std::to_string(question.gpus)}},
                memoryRule(question),
                {TextId::SourceMemoryShare, {}}};
    const MemorySettings &s = best->settings;
    if (best->verdict == LayoutVerdict::TooSlow)
        return {{TextId::AdviceServeMisses,
                 {secondsText(*question.tokenSeconds), std::to_string(s.tp), std::to_string(s.pp),
                  secondsText(best->tokenSeconds)}},
                {TextId::AdviceRuleServeTarget, {}},
                source};
    return {{TextId::AdviceServe,
             {std::to_string(s.tp), std::to_string(s.pp), std::to_string(s.dp), secondsText(best->tokenSeconds),
              formatNumber(best->tokensPerSecondPerGpu), formatGibibytes(best->memoryBytes),
              formatGibibytes(usableBytes(question.hardware))}},
            question.tokenSeconds ? Text{TextId::AdviceRuleServeTarget, {}} : free,
            source};
}

AdviceLine kvHeadsLine(const AdviceQuestion &question)
{
    const Model &model = question.model;
    const auto k = static_cast<int>(model.kvHeads);
    return {{TextId::AdviceKvHeads, {std::to_string(k), formatBinaryBytes(kvBytesPerToken(model, k))}},
            {TextId::AdviceRuleKvHeads, {}},
            {TextId::SourceKvCache, {}}};
}

/// What the bandwidth rule leaves out, on the largest TP of the node.
std::optional<AdviceLine> latencyLine(const AdviceQuestion &question)
{
    const std::vector<int> sizes = tensorParallelSizes(question.model);
    const auto beyond = std::ranges::upper_bound(sizes, devicesTogether(question));
    const LayerLoad load{.tokens = question.serveSequences, .tp = *std::prev(beyond)}; // 1 always stands before
    if (load.tp == 1)
        return std::nullopt;
    const double bytes = 2.0 * static_cast<double>(load.tokens * question.model.hidden);
    const double alone = 2.0 * (load.tp - 1) / load.tp * bytes / (linkGBs(question.hardware) * 1e9);
    return AdviceLine{{TextId::AdviceLatency,
                       {std::to_string(load.tp), messageText(question),
                        secondsText(allReduceSeconds(question.model, question.hardware, load)), secondsText(alone),
                        std::to_string(2 * question.model.layers)}},
                      {TextId::AdviceRuleLatency, {}},
                      {TextId::SourceLatency, {}}};
}

/// One all-reduce of decode on as many devices as both machines have in a node.
AdviceLine changedDecode(const AdviceQuestion &question, const Hardware &reference)
{
    const LayerLoad load{.tokens = question.serveSequences,
                         .tp = std::min(question.hardware.devices, reference.devices)};
    return {
        {TextId::AdviceChangeDecode,
         {reference.name, messageText(question), std::to_string(load.tp),
          secondsText(allReduceSeconds(question.model, question.hardware, load)),
          secondsText(allReduceSeconds(question.model, reference, load)), std::to_string(2 * question.model.layers)}},
        {TextId::AdviceRuleTokenFree, {std::to_string(2 * question.model.layers)}},
        {TextId::SourceToken, {}}};
}

} // namespace

void explain(const AdviceQuestion &question, std::vector<ServingLayout> &layouts)
{
    for (ServingLayout &layout : layouts)
        layout.lines = reasons(question, layout);
}

std::vector<AdviceLine> servingLines(const AdviceQuestion &question, const std::vector<ServingLayout> &layouts)
{
    std::vector<AdviceLine> lines{choiceLine(question, bestOf(layouts))};
    if (std::optional<AdviceLine> latency = latencyLine(question))
        lines.push_back(std::move(*latency));
    if (question.model.kvHeads < question.model.heads)
        lines.push_back(kvHeadsLine(question));
    if (const Hardware *reference = fasterLinks(question))
        lines.push_back(changedDecode(question, *reference));
    return lines;
}

} // namespace shardscope
