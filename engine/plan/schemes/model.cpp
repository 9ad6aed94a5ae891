// SPDX-License-Identifier: MIT
#include "engine/plan/gradients.h"
#include "engine/plan/parts/layer_part.h"
#include "engine/plan/schedule.h"
#include "engine/plan/schemes.h"

#include <map>

namespace shardscope {
namespace {

/// L layers on the mesh tp x dp x pp: each pipeline stage has L/p of them, each replica its own tokens, and inside a
/// stage of a replica the layers are tensor-parallel. One micro-batch after the other goes through.
class Model
{
public:
    explicit Model(PlanBuilder &plan)
        : m_plan(plan), m_experiment(plan.experiment()), m_stages(plan.ranks(MeshAxis::Pp)),
          m_layersPerStage(static_cast<int>(m_experiment.layers) / m_stages), m_gradients(plan)
    {
    }

    void build()
    {
        for (const StageWork &work :
             pipelineOrder(m_experiment.schedule, m_stages, m_experiment.microBatches, m_plan.training())) {
            m_plan.setStage(work.stage);
            m_plan.setMicroBatch(work.microBatch);
            if (work.backward)
                backward(work);
            else
                forward(work);
        }
        if (m_plan.training())
            m_gradients.finish();
    }

private:
    using Key = std::pair<int, int>; ///< layer or stage, micro-batch

    [[nodiscard]] int firstLayer(int stage) const { return stage * m_layersPerStage; }
    [[nodiscard]] int lastLayer(int stage) const { return (stage + 1) * m_layersPerStage - 1; }
    [[nodiscard]] bool isLastStage(int stage) const { return stage == m_stages - 1; }

    /// The output of the last layer is the model's; of the others it is the next one's input.
    [[nodiscard]] std::string outputName(int layer) const
    {
        const bool last = layer == static_cast<int>(m_experiment.layers) - 1;
        return m_plan.withMicroBatch(last ? "Y" : "Y." + std::to_string(layer + 1));
    }
    [[nodiscard]] std::string inputGradientName(int layer) const
    {
        return layer == 0 ? m_plan.withMicroBatch("dX") : "d" + outputName(layer - 1);
    }

    /// Tokens arrive whole on each rank of a tensor-parallel group, or cut with sequence parallelism.
    [[nodiscard]] Placement tokenPlacement() const
    {
        return m_experiment.sequenceParallel == SequenceParallel::Off ? m_plan.whole() : m_plan.rows();
    }

    LayerPart &part(int layer, int microBatch)
    {
        auto &made = m_parts[{layer, microBatch}];
        if (!made)
            made = makeLayer(m_plan, *m_experiment.repeatedLayer(), {outputName(layer), inputGradientName(layer)});
        return *made;
    }

    void forward(const StageWork &work)
    {
        m_plan.setPass(Pass::Forward);
        TensorId x = work.stage == 0 ? m_plan.activation("X", {m_plan.tokens(), m_plan.hidden()}, tokenPlacement())
                                     : m_arrived.at({work.stage, work.microBatch});
        for (int layer = firstLayer(work.stage); layer <= lastLayer(work.stage); ++layer) {
            m_plan.setLayer(layer);
            m_inputs[{layer, work.microBatch}] = x;
            LayerPart &now = part(layer, work.microBatch);
            m_gradients.gatherParameters(layer);
            x = now.forward(m_plan, x);
            m_gradients.releaseParameters(layer);
        }
        if (m_experiment.stageDelay)
            x = m_plan.pad(x, m_experiment.stageDelay->forwardMs);
        if (isLastStage(work.stage)) {
            m_plan.result(x);
            m_outputs[work.microBatch] = x;
        } else {
            m_arrived[{work.stage + 1, work.microBatch}] = m_plan.send(x, work.stage + 1);
        }
    }

    void backward(const StageWork &work)
    {
        m_plan.setPass(Pass::Backward);
        TensorId dY = isLastStage(work.stage) ? m_plan.arrivingGradient(m_outputs.at(work.microBatch))
                                              : m_arrivedGradients.at({work.stage, work.microBatch});
        for (int layer = lastLayer(work.stage); layer >= firstLayer(work.stage); --layer) {
            m_plan.setLayer(layer);
            m_gradients.gatherParameters(layer);
            if (m_experiment.recompute == Recompute::Full)
                recompute(layer, work.microBatch);
            dY = part(layer, work.microBatch).backward(m_plan, dY, layer > 0 || m_experiment.inputGradient);
            m_gradients.releaseParameters(layer);
            if (layer == firstLayer(work.stage))
                passOn(dY, work);
            if (!gradientsWait())
                m_gradients.layerWentBack(layer, work.microBatch);
        }
        for (int layer = lastLayer(work.stage); layer >= firstLayer(work.stage) && gradientsWait(); --layer) {
            m_plan.setLayer(layer);
            m_gradients.layerWentBack(layer, work.microBatch);
        }
    }

    /// The stage before waits for dX alone, not for what becomes of the gradients: they would hold up one stage after
    /// the other. Beside the computation they hold up nothing, and ZeRO-2 scatters at once to save memory.
    [[nodiscard]] bool gradientsWait() const { return m_stages > 1 && !m_experiment.overlap && m_experiment.zero < 2; }

    /// The input gradient of a stage: to the stage before, or the model's.
    void passOn(TensorId dX, const StageWork &work)
    {
        if (dX == kNoTensor)
            return;
        if (m_experiment.stageDelay)
            dX = m_plan.pad(dX, m_experiment.stageDelay->backwardMs);
        if (work.stage > 0)
            m_arrivedGradients[{work.stage - 1, work.microBatch}] = m_plan.send(dX, work.stage - 1);
        else
            m_plan.result(dX);
    }

    /// Forward once more, from the layer's input, its collectives included: what backward needs was not kept.
    void recompute(int layer, int microBatch)
    {
        m_plan.setPass(Pass::Recompute);
        part(layer, microBatch).forward(m_plan, m_inputs.at({layer, microBatch}));
        m_plan.setPass(Pass::Backward);
    }

    PlanBuilder &m_plan;
    const Experiment &m_experiment;
    int m_stages;
    int m_layersPerStage;
    GradientBook m_gradients;
    std::map<Key, std::unique_ptr<LayerPart>> m_parts;
    std::map<Key, TensorId> m_inputs;
    std::map<Key, TensorId> m_arrived;
    std::map<Key, TensorId> m_arrivedGradients;
    std::map<int, TensorId> m_outputs;
};

} // namespace

void buildModel(PlanBuilder &plan)
{
    Model(plan).build();
}

} // namespace shardscope
