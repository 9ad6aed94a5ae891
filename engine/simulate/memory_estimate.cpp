// SPDX-License-Identifier: MIT
#include "engine/simulate/simulate.h"

#include <algorithm>
#include <limits>

namespace shardscope {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;
/// A rank's own pages beside tensors: Gloo's threads and buffers, the BLAS workspace of 32 MiB.
constexpr double kProcessBytes = 64 * kMiB;
/// The float64 reference is computed in column blocks and stays below this at any size.
constexpr double kCheckBytes = 256 * kMiB;

double localBytesAsDouble(const Tensor &tensor, const Mesh &mesh)
{
    double bytes = bytesOf(tensor.dtype);
    for (const std::int64_t size : localShape(tensor, mesh, 0))
        bytes *= static_cast<double>(size);
    return bytes;
}

bool alive(const Tensor &tensor, int step)
{
    return tensor.madeAt <= step && (tensor.freedAfter < 0 || tensor.freedAfter >= step);
}

/// peakBytesPerRank in doubles, so that sizes no machine can hold give a number instead of an overflow.
double peakBytes(const Plan &plan)
{
    double peak = 0;
    for (int step = -1; step < static_cast<int>(plan.steps.size()); ++step) {
        double held = 0;
        for (const Tensor &tensor : plan.tensors)
            held += alive(tensor, step) ? localBytesAsDouble(tensor, plan.mesh()) : 0;
        peak = std::max(peak, held);
    }
    return peak;
}

/// Collectives work on a copy of their input, own algorithms receive into a second one.
double collectiveBytes(const Plan &plan)
{
    double largest = 0;
    for (const Step &step : plan.steps) {
        if (step.collective)
            largest =
                std::max(largest, static_cast<double>(step.collective->elements) * bytesOf(step.collective->wireDtype));
    }
    return 2 * largest;
}

double checkBytes(const Plan &plan)
{
    double weights = 0;
    for (const Tensor &tensor : plan.tensors)
        weights += tensor.role == TensorRole::Weight ? localBytesAsDouble(tensor, plan.mesh()) : 0;
    return std::min(kCheckBytes, 2 * weights + 16 * kMiB);
}

} // namespace

std::int64_t estimatedBytesPerRank(const Experiment &experiment)
{
    const Plan plan = buildPlan(experiment);
    const double bytes = peakBytes(plan) + collectiveBytes(plan) + checkBytes(plan) + kProcessBytes;
    constexpr double kMost = 9.2e18;
    return bytes >= kMost ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(bytes);
}

} // namespace shardscope
