// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"
#include "engine/runtime/communicators.h"
#include "engine/runtime/kernels.h"
#include "engine/runtime/memory_count.h"
#include "engine/runtime/torch_headers.h"
#include "engine/runtime/trace.h"
#include "engine/runtime/transfer_lane.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace shardscope {

/// Generated tensors (weights, biases, X, dY) of this rank by name.
using NamedTensors = std::map<std::string, at::Tensor, std::less<>>;

/// Interprets a plan on torch tensors: this rank's steps in order, each with its span, tensors freed when the plan says
/// so. It knows the kinds of steps and nothing of schemes.
///
/// Collectives run one after the other in the plan's order on every rank, so they meet: one that is overlapped goes to
/// a thread of its own while the computation goes on until a step needs its result, and any other waits for those
/// before it. A send only starts; the receiver waits where a step first needs what arrives, and that waiting is the
/// receive's span. So any plan runs whose order satisfies its dependencies.
class Executor
{
public:
    /// Opens the groups that the plan's collectives need; all ranks make it at the same time. The plan's mesh must span
    /// the ranks.
    Executor(const Plan &plan, Communicators &groups);

    /// The generated tensors that the plan starts from; of those that this rank holds, missing ones throw. Adam changes
    /// weights and states in place.
    void setInputs(const NamedTensors &inputs);
    /// Runs all steps once, after `delay`, which belongs to the iteration. What the last iteration left is dropped
    /// first, never reused, so that no result can be an old one; only what Adam has updated is where the next iteration
    /// starts. All is ordered before anything is waited for.
    void run(Trace &trace, const std::function<void()> &delay = {});
    /// A tensor that the plan keeps to the end of the pass, after run(); undefined where this rank does not hold it.
    [[nodiscard]] const at::Tensor &value(TensorId id) const { return m_values[std::size_t(id)]; }
    /// The collective of `step` alone, on data of the same shape, released on all ranks together: for the zero-skew
    /// baseline. All ranks call it; nothing where this rank takes no part.
    [[nodiscard]] std::optional<CollectiveRecord> repeatCollective(const Step &step);
    /// Returns when all that was ordered has been done.
    void settle() const { device().settle(); }
    /// Where its tensors live.
    [[nodiscard]] c10::Device torchDevice() const { return device().torch(); }
    /// Bytes of tensor storage held at the peak of all runs so far, scratch buffers of collectives included.
    [[nodiscard]] std::int64_t peakBytes() const { return m_memory.peakBytes(); }

private:
    /// A collective whose result nobody has needed so far.
    struct Underway {
        const Step *step = nullptr;
        std::unique_ptr<Message> arrival; ///< of a receive
        std::size_t ticket = 0;           ///< of an overlapped collective
        std::vector<at::Tensor> inputs;
        std::vector<at::Tensor> outputs;
        CollectiveRecord record;
    };
    struct Departure {
        std::size_t ticket = 0;
        at::Tensor tensor;
    };
    /// A micro-batch's way forward, or back.
    using Passage = std::pair<int, bool>;
    [[nodiscard]] static Passage passageOf(const Step &step) { return {step.microBatch, step.pass != Pass::Forward}; }

    void runStep(const Step &step, Trace &trace);
    void compute(const Step &step, Trace &trace);
    void runBlocking(const Step &step, Trace &trace);
    void startOverlapped(const Step &step);
    void send(const Step &step, Trace &trace);
    void startReceive(const Step &step);
    void settle(Underway &underway, Trace &trace);
    void settleInputs(const Step &step, Trace &trace);
    void settleAll(bool receivesToo, Trace &trace);
    void forgetDepartures();

    [[nodiscard]] std::vector<at::Tensor> inputsOf(const Step &step) const;
    /// The inputs of a collective; what it would overwrite and somebody still needs is copied.
    [[nodiscard]] std::vector<at::Tensor> collectiveInputs(const Step &step) const;
    [[nodiscard]] KernelContext contextOf(const Step &step) const;
    [[nodiscard]] bool mayOverwrite(const Step &step) const;
    [[nodiscard]] bool mayOverwrite(const Step &step, TensorId id) const;
    [[nodiscard]] bool isSender(const Step &step) const;
    [[nodiscard]] Communicator &groupOf(const Step &step) const { return *m_groupOf[std::size_t(step.id)]; }
    [[nodiscard]] int rank() const { return m_groups.rank(); }
    [[nodiscard]] ComputeDevice &device() const { return m_groups.device(); }

    void set(TensorId id, at::Tensor value);
    void reset(TensorId id);
    void free(const Step &step);
    void dropResults();
    [[nodiscard]] CollectiveRecord repeatMessage(const Step &step, at::Tensor &tensor);
    void noteBeginning(const Step &step);
    void addSpan(const Step &step, const CollectiveRecord &record, Trace &trace) const;

    const Plan &m_plan;
    Communicators &m_groups;
    std::vector<Communicator *> m_groupOf;           ///< by step; of collectives
    std::vector<at::Tensor> m_values;                ///< by TensorId; undefined while not held
    std::vector<std::vector<TensorId>> m_freedAfter; ///< by step
    std::vector<int> m_lastUser;                     ///< by TensorId: the last step that reads it
    std::map<TensorId, TensorId> m_updates;          ///< what an optimizer made of a generated tensor -> that tensor
    std::map<Passage, NotedTime> m_began;            ///< of passages that are padded
    bool m_pads = false;
    int m_runs = 0;
    MemoryCount m_memory;
    std::map<int, Underway> m_underway; ///< by step
    std::vector<Departure> m_departures;
    std::unique_ptr<TransferLane> m_sends;       ///< waits for them to end
    std::unique_ptr<TransferLane> m_collectives; ///< runs them
};

} // namespace shardscope
