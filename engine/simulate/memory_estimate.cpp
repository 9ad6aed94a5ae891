// SPDX-License-Identifier: MIT
#include "engine/plan/hop_schedule.h"
#include "engine/plan/traffic.h"
#include "engine/simulate/simulate.h"

#include <algorithm>

namespace shardscope {
namespace {

constexpr std::int64_t kMiB = 1024 * 1024;
/// A rank's own pages beside tensors: Gloo's threads and buffers, the BLAS workspace of 32 MiB.
constexpr std::int64_t kProcessBytes = 64 * kMiB;
/// The float64 reference is computed in column blocks and stays below this at any size.
constexpr std::int64_t kCheckBytes = 256 * kMiB;

std::int64_t bytesHere(const Plan &plan, TensorId id)
{
    return localBytes(plan.tensor(id), plan.mesh(), rankWithLargestShare(plan.mesh()));
}

/// The most that arrives at a rank in one hop of our own algorithms; direct receives from all peers at once. The
/// library keeps no more than another copy.
std::int64_t arrivingElements(const Collective &collective, int ranks)
{
    const Expected<HopSchedule> schedule = hopSchedule(collective.op, collective.algorithm, ranks);
    if (!schedule)
        return collective.elements;
    std::int64_t most = 0;
    for (const Hop &hop : schedule->hops)
        most = std::max(most, std::ranges::max(elementsOfHop(*schedule, hop, collective.elements).received));
    return most;
}

/// Beside input and output: a copy in the wire's dtype, and what arrives.
std::int64_t collectiveBytes(const Plan &plan)
{
    std::int64_t largest = 0;
    for (const Step &step : plan.steps) {
        if (!step.collective)
            continue;
        const Collective &c = *step.collective;
        const std::int64_t elements = c.elements + arrivingElements(c, plan.mesh().extent(c.axis));
        largest = std::max(largest, elements * bytesOf(c.wireDtype));
    }
    return largest;
}

/// A CPU without units for a 16-bit format multiplies copies of both factors in f32, and rounds the product.
std::int64_t productBytes(const Plan &plan)
{
    if (bytesOf(plan.experiment.dtype) > 2)
        return 0;
    std::int64_t largest = 0;
    for (const Step &step : plan.steps) {
        if (step.kind == StepKind::MatMul)
            largest = std::max(largest, 2 * step.memoryBytes);
    }
    return largest;
}

/// The rank's share of the weights in float64, and what it is multiplied with.
std::int64_t checkBytes(const Plan &plan)
{
    std::int64_t weights = 0;
    for (const Tensor &tensor : plan.tensors)
        weights += tensor.role == TensorRole::Weight ? bytesHere(plan, tensor.id) : 0;
    const int widening = bytesOf(DType::F64) / bytesOf(plan.experiment.dtype);
    return std::min(kCheckBytes, widening * weights + 16 * kMiB);
}

} // namespace

std::int64_t estimatedBytesPerRank(const Experiment &experiment)
{
    const Plan plan = buildPlan(experiment);
    const std::int64_t scratch = std::max(collectiveBytes(plan), productBytes(plan));
    return peakBytesPerRank(plan) + scratch + checkBytes(plan) + kProcessBytes;
}

} // namespace shardscope
