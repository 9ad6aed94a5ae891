// SPDX-License-Identifier: MIT
#include "engine/record/format.h"
#include "engine/simulate/advice_parts.h"
#include "engine/simulate/layer_time.h"

#include <algorithm>
#include <cmath>

namespace shardscope {

double tensorParallelGBs(const Hardware &hardware, int tp)
{
    return tp > hardware.devices ? acrossNodesGBs(hardware, hardware.devices) : linkGBs(hardware);
}

std::string secondsText(double seconds)
{
    return seconds > 0 ? formatTime(seconds * 1e9) : "0 s";
}

Text memoryRule(const AdviceQuestion &question)
{
    return {TextId::AdviceRuleMemory, {formatGibibytes(static_cast<std::int64_t>(question.hardware.memoryBytes))}};
}

Text linkRule(const AdviceQuestion &question, double linkGBs)
{
    return {TextId::AdviceRuleLink,
            {std::to_string(question.model.ffn), formatNumber(linkGBs),
             formatNumber(peakFlops(question.hardware) / 1e12),
             formatNumber(trainingLinkLimit(question.model, question.hardware, linkGBs)),
             std::to_string(std::lround(question.hardware.efficiency * 100))}};
}

Text nodeRule(const AdviceQuestion &question)
{
    return {TextId::AdviceRuleNode, {std::to_string(question.hardware.devices), formatNumber(kNetworkGBs)}};
}

Text decodeRule(const AdviceQuestion &question, double linkGBs)
{
    const double beta = question.hardware.memoryBytesPerSecond / (linkGBs * 1e9);
    return {TextId::AdviceRuleDecode,
            {std::to_string(question.model.ffn), std::to_string(question.serveSequences), formatNumber(beta),
             formatNumber(decodeLinkLimit(question.model, question.hardware, linkGBs, question.serveSequences))}};
}

AdviceLine notDivisibleLine(const AdviceQuestion &question, int tp)
{
    const Model &model = question.model;
    return {
        {TextId::AdviceNotDivisible,
         {std::to_string(tp), std::to_string(model.heads), std::to_string(model.kvHeads), std::to_string(model.ffn)}},
        {TextId::AdviceRuleDivisible, {}},
        {TextId::SourceDivisible, {}}};
}

AdviceLine leavesNodeLine(const AdviceQuestion &question, int tp)
{
    const int devices = question.hardware.devices;
    const double inside = linkGBs(question.hardware);
    if (inside <= kNetworkGBs)
        return {{TextId::AdviceLeavesNodeSlow,
                 {std::to_string(tp), std::to_string((tp + devices - 1) / devices), formatNumber(inside)}},
                nodeRule(question),
                {TextId::SourceNode, {}}};
    return {{TextId::AdviceLeavesNode,
             {std::to_string(tp), std::to_string((tp + devices - 1) / devices), formatNumber(devices * kNetworkGBs),
              formatNumber(inside), std::to_string(devices)}},
            nodeRule(question),
            {TextId::SourceNode, {}}};
}

const Hardware *fasterLinks(const AdviceQuestion &question)
{
    // NVLink as most lectures know it. Where TP fills the node anyhow there is nothing to contrast.
    const Hardware *reference = findHardware("h100-8");
    const double limit = trainingLinkLimit(question.model, question.hardware, linkGBs(question.hardware));
    if (reference == nullptr || limit >= question.hardware.devices)
        return nullptr;
    const double there = trainingLinkLimit(question.model, *reference, linkGBs(*reference));
    return limit < there / 2 ? reference : nullptr;
}

} // namespace shardscope
