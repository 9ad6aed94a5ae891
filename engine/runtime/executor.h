// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"
#include "engine/runtime/communicator.h"
#include "engine/runtime/torch_headers.h"
#include "engine/runtime/trace.h"

#include <map>
#include <string>
#include <vector>

namespace shardscope {

/// Generated tensors (weights, biases, X, dY) of this rank by name.
using NamedTensors = std::map<std::string, at::Tensor, std::less<>>;

/// Counts the bytes of tensors held at the same time, each storage once.
class MemoryCount
{
public:
    void hold(const at::Tensor &tensor);
    void release(const at::Tensor &tensor);
    /// Notes a moment in which `extraBytes` were held beside the tensors.
    void touch(std::int64_t extraBytes = 0);
    [[nodiscard]] std::int64_t peakBytes() const { return m_peak; }

private:
    struct Holding {
        const void *storage = nullptr;
        int holders = 0;
        std::int64_t bytes = 0;
    };
    std::vector<Holding> m_holdings;
    std::int64_t m_bytes = 0;
    std::int64_t m_peak = 0;
};

/// Interprets a plan on torch tensors: steps in order, each with its span, tensors freed when the plan says so. It
/// knows the kinds of steps and nothing of schemes.
class Executor
{
public:
    /// The plan's tensor-parallel axis must span the communicator's ranks.
    Executor(const Plan &plan, Communicator &communicator);

    /// The generated tensors that the plan starts from; missing ones throw.
    void setInputs(const NamedTensors &inputs);
    /// Runs all steps once. What the last iteration left is dropped first, never reused, so that no result can be an
    /// old one.
    void run(Trace &trace);
    /// A tensor that the plan keeps to the end of the pass, after run().
    [[nodiscard]] const at::Tensor &value(TensorId id) const;
    /// The collective of `step` alone, on data of the same shape: for the zero-skew baseline.
    CollectiveRecord repeatCollective(const Step &step);
    /// Bytes of tensor storage held at the peak of all runs so far, scratch buffers of collectives included.
    [[nodiscard]] std::int64_t peakBytes() const { return m_memory.peakBytes(); }

private:
    void runStep(const Step &step, Trace &trace);
    void runCollective(const Step &step, SpanEvent &span, Trace &trace);
    [[nodiscard]] CollectiveRecord transfer(const Collective &collective, at::Tensor input, at::Tensor &output);
    [[nodiscard]] at::Tensor slice(const Step &step) const;
    [[nodiscard]] std::vector<at::Tensor> compute(const Step &step);
    [[nodiscard]] bool lastUse(const Step &step, TensorId id) const;
    void set(TensorId id, at::Tensor value);
    void free(const Step &step);
    void dropResults();

    const Plan &m_plan;
    Communicator &m_communicator;
    std::vector<at::Tensor> m_values;                ///< by TensorId; undefined while not held
    std::vector<std::vector<TensorId>> m_freedAfter; ///< by step
    MemoryCount m_memory;
};

} // namespace shardscope
