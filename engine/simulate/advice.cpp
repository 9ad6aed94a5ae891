// SPDX-License-Identifier: MIT
#include "engine/simulate/advice.h"

#include "engine/plan/option_limits.h"
#include "engine/record/format.h"
#include "engine/simulate/advice_parts.h"
#include "engine/simulate/layer_time.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace shardscope {
namespace {

/// The fewest GPUs, by doubling, on which something fits.
AdviceLine nothingFits(AdviceQuestion question)
{
    const int given = question.gpus;
    while (question.gpus <= kMostGpus / 2) {
        question.gpus *= 2;
        question.stepSequences = std::max<std::int64_t>(question.stepSequences, question.gpus);
        const std::vector<TrainingLayout> layouts = trainingLayouts(question);
        if (const TrainingLayout *best = bestOf(layouts)) {
            const MemorySettings &s = best->settings;
            return {{TextId::AdviceNothingFits,
                     {std::to_string(given), std::to_string(question.gpus), std::to_string(s.tp), std::to_string(s.pp),
                      std::to_string(s.dp)}},
                    memoryRule(question),
                    {TextId::SourceMemoryShare, {}}};
        }
    }
    return {{TextId::AdviceNothingEverFits, {std::to_string(question.gpus)}},
            memoryRule(question),
            {TextId::SourceMemoryShare, {}}};
}

AdviceLine choiceLine(const AdviceQuestion &question, const TrainingLayout *best)
{
    if (best == nullptr)
        return nothingFits(question);
    const MemorySettings &s = best->settings;
    return {{TextId::AdviceRecommend,
             {std::to_string(s.tp), std::to_string(s.pp), std::to_string(s.dp), formatGibibytes(best->memoryBytes),
              formatGibibytes(usableBytes(question.hardware)), secondsText(best->step->total())}},
            {best->communicationBound ? TextId::AdviceRuleRecommendBound : TextId::AdviceRuleRecommend, {}},
            {TextId::SourcePipeline, {}}};
}

/// 4·L·h·s of attention are scores and their product with V, 2 FLOPs each; three passes.
AdviceLine utilizationLine(const AdviceQuestion &question, const TrainingLayout &best)
{
    const Model &model = question.model;
    const ParameterCounts counts = parametersOf(model);
    const std::int64_t lookedUp = model.tiedEmbeddings ? 0 : counts.embedding;
    const double flopsPerToken = 6.0 * static_cast<double>(counts.total - lookedUp - counts.positions) +
                                 12.0 * model.layers * static_cast<double>(model.hidden * question.sequence);
    const double tokensPerSecond =
        static_cast<double>(question.stepSequences * question.sequence) / best.step->total() / question.gpus;
    return {{TextId::AdviceUtilization,
             {formatNumber(tokensPerSecond),
              formatPercent(flopsPerToken * tokensPerSecond / peakFlops(question.hardware))}},
            {TextId::AdviceRuleUtilization, {formatNumber(peakFlops(question.hardware) / 1e12)}},
            {TextId::SourceUtilization, {}}};
}

AdviceLine nodeLine(const AdviceQuestion &question)
{
    const double inside = linkGBs(question.hardware);
    const double limit = trainingLinkLimit(question.model, question.hardware, inside);
    if (inside <= kNetworkGBs)
        return {{TextId::AdviceNodeWhySlow, {formatNumber(inside), formatNumber(limit)}},
                nodeRule(question),
                {TextId::SourceNode, {}}};
    return {{TextId::AdviceNodeWhy,
             {formatNumber(inside), formatNumber(question.hardware.devices * kNetworkGBs),
              std::to_string(question.hardware.devices)}},
            nodeRule(question),
            {TextId::SourceNode, {}}};
}

/// The lecture's combination, advised or not.
AdviceLine fourByEightLine(const AdviceQuestion &question)
{
    constexpr int kTp = 4;
    constexpr int kPp = 8;
    constexpr int kGpus = kTp * kPp;
    const Text rule{TextId::AdviceRuleFourByEight, {std::to_string(kTp), std::to_string(kPp), std::to_string(kGpus)}};
    const Text source{TextId::SourcePipeline, {}};
    const int replicas = std::max(1, question.gpus / kGpus);
    const TrainingLayout layout = trainingLayout(question, kTp, kPp, replicas);
    if (layout.verdict == LayoutVerdict::NotDivisible)
        return notDivisibleLine(question, kTp);
    const std::string memory = formatGibibytes(layout.memoryBytes);
    const std::string usable = formatGibibytes(usableBytes(question.hardware));
    if (question.gpus < kGpus)
        return {{layout.fits ? TextId::AdviceFourByEightTooMany : TextId::AdviceFourByEightTooManyNot,
                 {std::to_string(kTp), std::to_string(kPp), std::to_string(kGpus), memory,
                  std::to_string(question.gpus), usable}},
                rule,
                source};
    if (!layout.fits)
        return {{TextId::AdviceFourByEightNot,
                 {std::to_string(kTp), std::to_string(kPp), std::to_string(kGpus), memory, usable,
                  std::to_string(replicas)}},
                rule,
                source};
    const std::int64_t sent =
        2 * question.sequence * question.model.hidden / (layout.settings.sequenceParallel ? kTp : 1);
    // As in the table of layouts; where the step is not predicted, what it is before the gradients.
    const double bubble = layout.step
                              ? layout.step->bubble / layout.step->total()
                              : static_cast<double>(kPp - 1) / static_cast<double>(layout.microBatches + kPp - 1);
    const TrainingLayout alone = trainingLayout(question, kTp, kPp, 1);
    return {{alone.fits ? TextId::AdviceFourByEightFits : TextId::AdviceFourByEightByZero,
             {std::to_string(kTp), std::to_string(kPp), std::to_string(kGpus), memory, std::to_string(replicas),
              std::to_string(replicas * kGpus), formatBinaryBytes(sent), formatPercent(bubble),
              formatGibibytes(alone.memoryBytes)}},
            rule,
            source};
}

std::vector<AdviceLine> changes(const AdviceQuestion &question, const Hardware &reference, const TrainingLayout *here)
{
    const double link = linkGBs(question.hardware);
    const double there = linkGBs(reference);
    std::vector<AdviceLine> lines{{{TextId::AdviceChangeLinks,
                                    {reference.name, formatNumber(link), formatNumber(there),
                                     formatNumber(trainingLinkLimit(question.model, question.hardware, link)),
                                     formatNumber(trainingLinkLimit(question.model, reference, there))}},
                                   linkRule(question, linkGBs(question.hardware)),
                                   {TextId::SourceLink, {}}}};
    if (here == nullptr)
        return lines;
    AdviceQuestion other = question;
    other.hardware = reference;
    const std::vector<TrainingLayout> layouts = trainingLayouts(other);
    const MemorySettings &h = here->settings;
    const Text rule{here->communicationBound ? TextId::AdviceRuleRecommendBound : TextId::AdviceRuleRecommend, {}};
    const Text source{TextId::SourcePipeline, {}};
    if (const TrainingLayout *best = bestOf(layouts)) {
        const MemorySettings &b = best->settings;
        Text change{TextId::AdviceChangeLayout,
                    {reference.name, std::to_string(b.tp), std::to_string(b.pp), std::to_string(b.dp),
                     std::to_string(h.tp), std::to_string(h.pp), std::to_string(h.dp)}};
        if (h.tp < b.tp) {
            change.args.emplace_back(name(h.recompute));
        } else {
            change.id = TextId::AdviceChangeStep;
            change.args.push_back(secondsText(here->step->total()));
            change.args.push_back(secondsText(best->step->total()));
        }
        lines.push_back({change, rule, source});
    } else {
        lines.push_back({{TextId::AdviceChangeNothingThere,
                          {reference.name, std::to_string(h.tp), std::to_string(h.pp), std::to_string(h.dp)}},
                         rule,
                         source});
    }
    return lines;
}

} // namespace

std::vector<AdviceLine> trainingLines(const AdviceQuestion &question, const std::vector<TrainingLayout> &layouts)
{
    const TrainingLayout *best = bestOf(layouts);
    std::vector<AdviceLine> lines{choiceLine(question, best)};
    if (best != nullptr) { // why it fits, why its links suffice, what its step is made of, what that is worth
        lines.insert(lines.end(), best->lines.begin(), best->lines.end());
        lines.push_back(utilizationLine(question, *best));
    }
    lines.push_back(nodeLine(question));
    lines.push_back(fourByEightLine(question));
    if (const Hardware *reference = fasterLinks(question)) {
        for (AdviceLine &line : changes(question, *reference, best))
            lines.push_back(std::move(line));
    }
    return lines;
}

AdviceQuestion questionFor(const Model &model, const Hardware &hardware, int gpus)
{
    constexpr std::int64_t kStepTokens = std::int64_t{1} << 22; // of the order of GPT-3's and Llama 3's
    AdviceQuestion question;
    question.model = model;
    question.hardware = hardware;
    question.gpus = gpus;
    question.sequence = model.sequence;
    question.stepSequences = std::max<std::int64_t>(1, kStepTokens / model.sequence);
    return question;
}

std::optional<Text> problemOf(const AdviceQuestion &question)
{
    MemorySettings settings;
    settings.batch = question.serveSequences;
    settings.sequence = question.sequence;
    std::optional<Text> problem = problemOf(question.model, settings);
    // The length of a sequence is the model's: nobody can give another one here.
    if (problem && problem->id == TextId::MemoryTokens)
        problem->args.back() = "--batch " + std::to_string(kMostMemoryTokens / question.sequence);
    return problem;
}

std::string_view name(LayoutVerdict verdict)
{
    constexpr std::array<std::string_view, 8> kNames{"not_divisible", "leaves_node", "too_few_sequences",
                                                     "does_not_fit",  "too_slow",    "communication_bound",
                                                     "slower",        "recommended"};
    return kNames[static_cast<std::size_t>(verdict)];
}

Text describe(LayoutVerdict verdict)
{
    constexpr std::array kTexts{TextId::VerdictNotDivisible,    TextId::VerdictLeavesNode,
                                TextId::VerdictTooFewSequences, TextId::VerdictDoesNotFit,
                                TextId::VerdictTooSlow,         TextId::VerdictCommunicationBound,
                                TextId::VerdictSlower,          TextId::VerdictRecommended};
    return {kTexts[static_cast<std::size_t>(verdict)], {}};
}

const TrainingLayout *Advice::recommendedTraining() const
{
    const auto found = std::ranges::find(training, LayoutVerdict::Recommended, &TrainingLayout::verdict);
    return found == training.end() ? nullptr : &*found;
}

const ServingLayout *Advice::recommendedServing() const
{
    const auto found = std::ranges::find(serving, LayoutVerdict::Recommended, &ServingLayout::verdict);
    return found == serving.end() ? nullptr : &*found;
}

const ServingLayout *Advice::nearestServing() const
{
    const ServingLayout *best = bestOf(serving);
    return best != nullptr && best->verdict == LayoutVerdict::TooSlow ? best : nullptr;
}

Advice advise(const AdviceQuestion &question)
{
    Advice advice;
    advice.question = question;
    advice.usableBytes = usableBytes(question.hardware);
    advice.trainingLinkLimit = trainingLinkLimit(question.model, question.hardware, linkGBs(question.hardware));
    advice.decodeLinkLimit =
        decodeLinkLimit(question.model, question.hardware, linkGBs(question.hardware), question.serveSequences);
    advice.trainingAssumptions = {TextId::AdviceAssumesTraining,
                                  {std::to_string(question.stepSequences), std::to_string(question.sequence),
                                   std::to_string(question.bytesPerParameter),
                                   std::to_string(std::lround(question.hardware.efficiency * 100)),
                                   formatNumber(networkGBs(question.hardware))}};
    advice.servingAssumptions = {TextId::AdviceAssumesServing,
                                 {std::to_string(question.serveSequences), std::to_string(question.sequence)}};
    advice.training = trainingLayouts(question);
    explain(question, advice.training);
    advice.trainingLines = trainingLines(question, advice.training);
    advice.serving = servingLayouts(question);
    explain(question, advice.serving);
    advice.servingLines = servingLines(question, advice.serving);
    return advice;
}

} // namespace shardscope
