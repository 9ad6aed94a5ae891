// SPDX-License-Identifier: MIT
#include "engine/runtime/reference_check.h"

#include "engine/runtime/torch_types.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

namespace shardscope {

namespace {

/// Elements compared at a time, in float64: 2 MB, so that they stay in the cache.
constexpr std::int64_t kBlockElements = std::int64_t{1} << 18;

/// Of this rank's part of a result, as many elements are also held against the unsharded computation: enough to know
/// its error to a per cent, cheap where a gradient has 268 million.
constexpr std::int64_t kSampledElements = std::int64_t{1} << 20;

/// The ratio of two norms of rounding errors varies by chance with the number of elements behind them: with 8 it leaves
/// 3 in one case of 400, with 64 practically never.
constexpr std::int64_t kTellingElements = 64;

/// ‖y - ref‖² and ‖ref‖².
struct SquaredNorms {
    double difference = 0;
    double reference = 0;
};

SquaredNorms compare(const at::Tensor &value, const std::string &name, const Region &region, const Reference &reference)
{
    const std::int64_t rows = region.rows.length;
    const std::int64_t columns = value.dim() == 2 ? region.columns.length : 1;
    if (value.numel() != rows * columns)
        return {std::numeric_limits<double>::quiet_NaN(), 1};
    SquaredNorms norms{0, reference.squaredNorm(name, region)};
    const std::int64_t step = std::max<std::int64_t>(1, kBlockElements / std::max<std::int64_t>(1, columns));
    for (std::int64_t begin = 0; begin < rows; begin += step) {
        const Slice part{region.rows.begin + begin, std::min(step, rows - begin)};
        at::Tensor block = value.narrow(0, begin, part.length).to(at::kDouble, false, true).contiguous();
        reference.subtractFrom(block, name, {part, region.columns});
        norms.difference += at::dot(block.view(-1), block.view(-1)).item<double>();
    }
    return norms;
}

double relativeError(const SquaredNorms &norms)
{
    if (norms.difference == 0)
        return 0;
    return std::sqrt(norms.difference / norms.reference);
}

/// Shards are parts of one norm; replicas must each be right, so the worst counts.
double overRanks(const SquaredNorms &mine, bool sharded, Communicator &communicator)
{
    const auto bits = communicator.gather(
        {std::bit_cast<std::int64_t>(mine.difference), std::bit_cast<std::int64_t>(mine.reference)});
    SquaredNorms sum;
    double worst = 0;
    for (std::size_t i = 0; i < bits.size(); i += 2) {
        const SquaredNorms norms{std::bit_cast<double>(bits[i]), std::bit_cast<double>(bits[i + 1])};
        sum.difference += norms.difference;
        sum.reference += norms.reference;
        const double error = relativeError(norms);
        worst = std::isnan(error) || error > worst ? error : worst; // a NaN stays: no error is greater
    }
    return sharded ? relativeError(sum) : worst;
}

/// Half the distance of two neighbours, relative to their value, at most.
double unitRoundoff(DType dtype)
{
    switch (dtype) {
    case DType::F64:
        return 0x1p-53;
    case DType::F32:
        return 0x1p-24;
    case DType::F16:
        return 0x1p-11;
    case DType::BF16:
        return 0x1p-8;
    }
    return 0;
}

/// Whether chance evens out in the result and in what it was computed from.
bool isTelling(const Experiment &experiment, const Tensor &result)
{
    const std::int64_t narrowest = experiment.tokens() * std::min(experiment.hidden, experiment.ffn);
    return std::min(result.elements(), narrowest) >= kTellingElements;
}

/// What the result may be wrong by. Every rank gets the same number.
double limitOf(const Tensor &result, const Region &region, bool sharded, const Reference &reference,
               const Experiment &experiment, Communicator &communicator)
{
    if (result.dtype == DType::F64 || !isTelling(experiment, result)) // float64 is the reference itself
        return errorLimit(result.dtype);
    Region sample = region;
    sample.rows.length = std::clamp<std::int64_t>(kSampledElements / region.columns.length, 1, region.rows.length);
    const SquaredNorms norms = compare(reference.unsharded(result.name, sample), result.name, sample, reference);
    return errorLimit(result.dtype, overRanks(norms, sharded, communicator), communicator.size());
}

/// FNV-1a over the bytes.
std::int64_t checksum(const at::Tensor &tensor)
{
    const at::Tensor whole = tensor.contiguous();
    const auto *bytes = static_cast<const unsigned char *>(whole.data_ptr());
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (std::size_t i = 0; i < std::size_t(whole.numel()) * whole.element_size(); ++i)
        hash = (hash ^ bytes[i]) * 0x100000001b3ULL;
    return std::bit_cast<std::int64_t>(hash);
}

CheckEvent agreement(const std::string &name, const at::Tensor &value, Communicator &communicator)
{
    const auto sums = communicator.gather({checksum(value)});
    const bool agree = std::set<std::int64_t>(sums.begin(), sums.end()).size() == 1;
    return {.name = "ranks agree: " + name, .relativeError = agree ? 0.0 : 1.0, .limit = 0, .passed = agree};
}

CheckEvent verdict(const std::string &name, double error, double limit)
{
    const bool known = std::isfinite(error);
    return {.name = name, .relativeError = known ? error : -1, .limit = limit, .passed = known && error <= limit};
}

} // namespace

Experiment checkedExperiment(const Experiment &experiment)
{
    Experiment checked = experiment;
    checked.batch = std::min(experiment.batch, kCheckedTokens);
    if (experiment.phase != Phase::Decode)
        checked.sequence = std::min(experiment.sequence, kCheckedTokens / checked.batch);
    return checked;
}

double errorLimit(DType dtype)
{
    switch (dtype) {
    case DType::F64:
        return 1e-12;
    case DType::F32:
        return 1e-5;
    case DType::F16:
        return 2e-3;
    case DType::BF16:
        return 1.5e-2;
    }
    return 0;
}

double errorLimit(DType dtype, double unsharded, int ranks)
{
    // Rounding to nearest is wrong by 0.4 of the unit roundoff in the mean square. Each of N addends and each of their
    // partial sums is rounded once, where sums are made in the dtype itself; relative to the result that is N times
    // the square of one rounding, at most.
    const double addends = 0.4 * unitRoundoff(dtype) * std::sqrt(double(ranks));
    return std::min(errorLimit(dtype), 3 * std::hypot(unsharded, addends));
}

std::vector<CheckEvent> checkResults(const Plan &plan, const Executor &executor, const ValueSource &source,
                                     Communicator &communicator)
{
    const c10::NoGradGuard noGradients;
    const Reference reference(plan, source, {communicator.rank(), communicator.size(), [&](at::Tensor &tensor) {
                                                 communicator.allReduce(tensor, Algorithm::Library);
                                             }});
    std::vector<CheckEvent> checks;
    for (const TensorId id : plan.results) {
        const Tensor &tensor = plan.tensor(id);
        const bool sharded = along(tensor.layout, MeshAxis::Tp).kind == PlacementKind::Shard;
        const Region region = localRegion(tensor, plan.mesh(), communicator.rank());
        const SquaredNorms norms = compare(executor.value(id), tensor.name, region, reference);
        const double error = overRanks(norms, sharded, communicator);
        const double limit = limitOf(tensor, region, sharded, reference, plan.experiment, communicator);
        checks.push_back(verdict(tensor.name, error, limit));
        if (!sharded && communicator.size() > 1)
            checks.push_back(agreement(tensor.name, executor.value(id), communicator));
    }
    return checks;
}

} // namespace shardscope
