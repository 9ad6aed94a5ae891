// SPDX-License-Identifier: MIT
#include "engine/simulate/kernel_work.h"

namespace shardscope {
namespace {

constexpr double kProducts = 2;         ///< of core attention
constexpr double kBackwardProducts = 4; ///< of its way back
constexpr double kSoftmaxFlops = 5;     ///< per score: scale, maximum, exp, sum, division

/// Core attention by what its products share evenly: FLOPs, and Q, K, V, C and their gradients.
class AttentionWork
{
public:
    AttentionWork(const Step &step, DType dtype, double products)
        : m_productFlops(static_cast<double>(step.flops) / products),
          m_scores(m_productFlops / (2.0 * static_cast<double>(step.attention.headSize))),
          m_pass(m_scores * bytesOf(dtype)),
          // The step's bytes hold P once.
          m_matrices((static_cast<double>(step.memoryBytes) - m_pass) / products)
    {
    }

    /// A product of matrices of a head, which reads or writes all scores once.
    [[nodiscard]] KernelWork product() const { return {m_productFlops, m_matrices + m_pass}; }
    /// One element at a time, so many times over the scores.
    [[nodiscard]] KernelWork softmax(int passes) const { return {kSoftmaxFlops * m_scores, passes * m_pass}; }

private:
    double m_productFlops;
    double m_scores;
    double m_pass;
    double m_matrices;
};

} // namespace

std::vector<KernelWork> kernelsOf(const Step &step, DType dtype)
{
    if (step.kind == StepKind::AttentionCore) {
        const AttentionWork work(step, dtype, kProducts);
        return {work.product(), work.softmax(2), work.product()};
    }
    if (step.kind == StepKind::AttentionCoreBackward) {
        const AttentionWork work(step, dtype, kBackwardProducts);
        return {work.product(), work.product(), work.softmax(3), work.product(), work.product()};
    }
    return {{static_cast<double>(step.flops), static_cast<double>(step.memoryBytes)}};
}

} // namespace shardscope
