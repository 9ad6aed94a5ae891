// SPDX-License-Identifier: MIT
#include "engine/simulate/layer_time.h"

#include "engine/simulate/simulate.h"

#include <algorithm>

namespace shardscope {
namespace {

constexpr std::int64_t kBytes = 2; // bf16

/// [rows, in] x [in, out], the weight read once.
double productSeconds(std::int64_t rows, std::int64_t in, std::int64_t out, const Hardware &hardware)
{
    Step step;
    step.flops = 2 * rows * in * out;
    step.memoryBytes = kBytes * (rows * in + in * out + rows * out);
    return computeSeconds(step, DType::BF16, hardware);
}

double collective(CollectiveOp op, const Model &model, const Hardware &hardware, const LayerLoad &load)
{
    Collective c;
    c.op = op;
    c.elements = load.tokens * model.hidden;
    c.payloadBytes = c.elements * kBytes;
    c.wireDtype = DType::BF16;
    return collectiveSeconds(c, load.tp, hardware);
}

std::int64_t kvWidth(const Model &model, int tp)
{
    return std::max<std::int64_t>(1, model.kvHeads / tp) * model.headSize();
}

} // namespace

double coreAttentionSeconds(const Model &model, const Hardware &hardware, const LayerLoad &load)
{
    const std::int64_t width = model.hidden / load.tp;
    Step step;
    step.flops = 4 * load.tokens * load.attended * width; // scores, and their product with V
    step.memoryBytes = kBytes * (2 * load.tokens * width + 2 * load.cached * kvWidth(model, load.tp));
    return computeSeconds(step, DType::BF16, hardware);
}

double layerComputeSeconds(const Model &model, const Hardware &hardware, const LayerLoad &load)
{
    const Hardware share = shareOf(hardware, load.tp);
    const std::int64_t h = model.hidden;
    const std::int64_t f = model.ffn / load.tp;
    const std::int64_t columns = model.mlp == MlpKind::Swiglu ? 2 : 1;
    return productSeconds(load.tokens, h, h / load.tp + 2 * kvWidth(model, load.tp), share) +
           coreAttentionSeconds(model, share, load) + productSeconds(load.tokens, h / load.tp, h, share) +
           productSeconds(load.tokens, h, columns * f, share) + productSeconds(load.tokens, f, h, share);
}

double headComputeSeconds(const Model &model, const Hardware &hardware, const LayerLoad &load)
{
    const Hardware share = shareOf(hardware, load.tp);
    return productSeconds(load.tokens, model.hidden, (model.vocabulary + load.tp - 1) / load.tp, share);
}

double allReduceSeconds(const Model &model, const Hardware &hardware, const LayerLoad &load)
{
    return collective(CollectiveOp::AllReduce, model, hardware, load);
}

double trainingCommunicationSeconds(const Model &model, const Hardware &hardware, const LayerLoad &load,
                                    bool sequenceParallel, bool recomputed)
{
    const int sums = recomputed ? 6 : 4;
    if (!sequenceParallel)
        return sums * allReduceSeconds(model, hardware, load);
    const double gather = collective(CollectiveOp::AllGather, model, hardware, load);
    return sums * (gather + collective(CollectiveOp::ReduceScatter, model, hardware, load)) + 2 * gather;
}

double peakFlops(const Hardware &hardware)
{
    return hardware.peakFlops.at(speedStandsFor(hardware, DType::BF16));
}

double trainingLinkLimit(const Model &model, const Hardware &hardware, double linkGBs)
{
    return static_cast<double>(model.ffn) * linkGBs * 1e9 / peakFlops(hardware);
}

double decodeLinkLimit(const Model &model, const Hardware &hardware, double linkGBs, std::int64_t sequences)
{
    const double beta = hardware.memoryBytesPerSecond / (linkGBs * 1e9);
    return static_cast<double>(model.ffn) / (static_cast<double>(sequences) * beta);
}

} // namespace shardscope
