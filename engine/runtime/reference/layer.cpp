// SPDX-License-Identifier: MIT
#include "engine/runtime/reference/layer.h"

#include "engine/runtime/reference/block.h"

namespace shardscope::textbook {

std::int64_t Context::sequences() const
{
    return experiment.batch * experiment.microBatches * experiment.extent(MeshAxis::Dp);
}

std::unique_ptr<Layer> makeLayer(const Context &context, shardscope::Layer kind, const std::string &suffix)
{
    switch (kind) {
    case shardscope::Layer::Mlp:
        return makeMlp(context, context.experiment.mlp, suffix);
    case shardscope::Layer::Attention:
        return std::make_unique<Attention>(context, suffix);
    case shardscope::Layer::Block:
        break;
    }
    if (context.experiment.parallelBlock)
        return std::make_unique<ParallelBlock>(context, suffix);
    return std::make_unique<SequentialBlock>(context, suffix);
}

} // namespace shardscope::textbook
