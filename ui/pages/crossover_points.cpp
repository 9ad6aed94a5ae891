// SPDX-License-Identifier: GPL-3.0-or-later
// Which experiments the crossover is drawn from.
#include "engine/record/cargo.h"
#include "ui/experiment_variants.h"
#include "ui/pages/crossover_values.h"
#include "ui/pages/measured_points.h"
#include "ui/texts.h"

#include <cmath>

namespace shardscope {

namespace {

constexpr int kOctavesBelow = 6; ///< of tokens, left and right of the crossing
constexpr int kOctavesAbove = 3;
constexpr std::int64_t kMostTokensEach = 8192; ///< of a rank's sequence
constexpr int kMeasuredPoints = 4;             ///< of each scheme
constexpr int kEvery = 4;                      ///< times the tokens from one of them to the next
constexpr int kSteps = 5;

std::string number(std::int64_t value)
{
    return std::to_string(value);
}

/// What stands for the scheme on the repeated layer, each rank with the same tokens where tokens are dealt. Tensor
/// parallelism is the workbench's own, with its options; what it is held against is plain.
Expected<Experiment> readPoint(const Experiment &base, Scheme scheme, std::int64_t layers, std::int64_t tokens,
                               int microBatches = 1)
{
    const int ranks = base.ranks();
    const bool dealt = scheme == Scheme::Zero3 || scheme == Scheme::DataParallel;
    const bool stages = scheme == Scheme::Pipeline;
    const bool block = base.repeatedLayer() == Layer::Block;
    OptionValues values{{"scheme", std::string(name(scheme))},
                        {"layer", block ? "block" : "mlp"},
                        {"phase", "training"},
                        {"ranks", number(ranks)},
                        {"layers", number(layers)},
                        {"batch", number(dealt || stages ? 1 : ranks)},
                        {"sequence", number(tokens / (stages ? microBatches : ranks))},
                        {"micro-batches", number(microBatches)},
                        {"zero", "0"},
                        {"stage-delay", "none"},
                        {"steps", number(kSteps)},
                        {"warmup", "1"}};
    if (dealt || stages)
        values.insert({{"recompute", "none"},
                       {"sequence-parallel", "off"},
                       {"pair", "column-row"},
                       {"reduce-to", "all"},
                       {"input-gradient", "on"},
                       {"overlap", "off"}});
    return readVariant(base, values);
}

std::optional<Experiment> pointOf(const Experiment &base, Scheme scheme, std::int64_t layers, std::int64_t tokens,
                                  int microBatches = 1)
{
    const Expected<Experiment> read = readPoint(base, scheme, layers, tokens, microBatches);
    return read ? std::optional(*read) : std::nullopt;
}

/// The workbench's layer, or the one nearest to it that is repeated.
Experiment baseOf(const Experiment &experiment)
{
    Experiment base = experiment;
    base.scheme = base.repeatedLayer() == Layer::Block ? Scheme::Block : Scheme::Mlp;
    return base;
}

/// Stages need a layer each; the layer's own number stands where it goes.
std::int64_t layersOf(const Experiment &experiment)
{
    return experiment.layers % experiment.ranks() == 0 ? experiment.layers : experiment.ranks();
}

/// As many micro-batches as stages, or as many as can be planned for so many layers.
int microBatchesOf(const Experiment &base, Scheme scheme, std::int64_t layers)
{
    if (scheme != Scheme::Pipeline)
        return 1;
    int count = base.ranks();
    while (count > 1 && !pointOf(base, scheme, layers, base.ranks(), count))
        count /= 2;
    return count;
}

} // namespace

std::vector<CrossoverPoints> crossoverPoints(const Experiment &experiment)
{
    const Experiment base = baseOf(experiment);
    const bool block = base.scheme == Scheme::Block;
    const int ranks = base.ranks();
    const std::int64_t layers = layersOf(experiment);
    // All layers are alike: one is counted, whole on a rank, where the fewest tokens can always be.
    const auto first = ranks > 1 ? pointOf(base, Scheme::DataParallel, 1, ranks) : std::nullopt;
    if (!first)
        return {};
    const std::int64_t parameters = layers * parameterCount(buildPlan(*first));
    const auto perToken = static_cast<double>((block && !base.parallelBlock ? 4 : 2) * layers * base.hidden);
    const int middle = static_cast<int>(std::lround(std::log2(static_cast<double>(parameters) / perToken / ranks)));
    std::vector<CrossoverPoints> all;
    for (const Scheme scheme : {base.scheme, Scheme::Zero3, Scheme::DataParallel, Scheme::Pipeline}) {
        CrossoverPoints curve{scheme, {}, {}};
        const int microBatches = microBatchesOf(base, scheme, layers);
        for (int octave = std::max(0, middle - kOctavesBelow); octave <= middle + kOctavesAbove; ++octave) {
            const std::int64_t each = std::int64_t{1} << octave;
            const auto point =
                each <= kMostTokensEach ? pointOf(base, scheme, layers, each * ranks, microBatches) : std::nullopt;
            if (point)
                curve.points.push_back({each * ranks, *point});
        }
        // From the largest that is short enough downwards; forward and backward are 6 operations a parameter and token.
        std::int64_t next = 0;
        for (auto point = curve.points.rbegin(); point != curve.points.rend(); ++point) {
            const double flops = 6.0 * static_cast<double>(parameters) * static_cast<double>(point->tokens);
            if (flops > kMostFlops || (next > 0 && point->tokens > next))
                continue;
            curve.measured.insert(curve.measured.begin(), *point);
            next = point->tokens / kEvery;
            if (curve.measured.size() == kMeasuredPoints)
                break;
        }
        all.push_back(std::move(curve));
    }
    return all;
}

QString crossoverProblem(const Experiment &experiment)
{
    const int ranks = experiment.ranks();
    if (ranks == 1)
        return {};
    const Experiment base = baseOf(experiment);
    const Expected<Experiment> read = readPoint(base, base.scheme, layersOf(experiment), ranks);
    return read ? QString() : sentence(read.problem());
}

} // namespace shardscope
