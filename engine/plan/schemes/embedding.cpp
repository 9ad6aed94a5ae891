// SPDX-License-Identifier: MIT
#include "engine/plan/schemes.h"

namespace shardscope {

// The rows of E, one per token of the vocabulary, are shared out. A rank looks up the ids that it has and gives zeros
// for the others, so each row of Y is whole on one rank and zero elsewhere: the sum over the ranks is Y. Backward needs
// nothing: the gradient of a row of E is the sum of dY over the places where its id stands, and the rank that holds the
// row has all of dY. (Megatron-LM, layers.py, VocabParallelEmbedding.)
void buildEmbedding(PlanBuilder &plan)
{
    const bool tokensCut = plan.experiment().sequenceParallel != SequenceParallel::Off && plan.ranks() > 1;

    const TensorId ids = plan.tokenIds("ids");
    const TensorId e = plan.parameter("E", {plan.vocabulary(), plan.hidden()}, TensorRole::Weight, plan.rows(), 0);
    const Tensor looked = plan.newTensor("Y", {plan.tokens(), plan.hidden()}, TensorRole::Activation);
    const TensorId addend = plan.operation(StepKind::EmbeddingLookup, {ids, e}, {looked}, "Y = E[ids]").front();
    const std::string ranks = std::to_string(plan.ranks());
    const TensorId y = tokensCut ? plan.reduceScatter(addend, 0, {TextId::ReasonScatterLookup, {"Y", ranks}})
                                 : plan.collective({.reason = {TextId::ReasonSumLookup, {"Y", ranks}}}, addend);
    plan.result(y);
    if (!plan.training())
        return;

    plan.setPass(Pass::Backward);
    TensorId dY = plan.arrivingGradient(y);
    if (tokensCut)
        dY = plan.allGather(dY, 0, {TextId::ReasonGatherTokensBackward, {"dY", ranks}});
    Tensor dE = plan.newTensor("dE", plan.tensor(e).shape, TensorRole::WeightGradient);
    dE.layout = plan.tensor(e).layout;
    plan.parameterGradient(e, plan.operation(StepKind::EmbeddingBackward, {ids, dY}, {dE}, "dE from dY").front());
    plan.gradientsAreResults();
}

} // namespace shardscope
