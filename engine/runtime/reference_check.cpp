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
        checks.push_back(verdict(tensor.name, overRanks(norms, sharded, communicator), errorLimit(tensor.dtype)));
        if (!sharded && communicator.size() > 1)
            checks.push_back(agreement(tensor.name, executor.value(id), communicator));
    }
    return checks;
}

} // namespace shardscope
