// SPDX-License-Identifier: MIT
#include "engine/runtime/collective_transfer.h"

#include "engine/runtime/slices.h"
#include "engine/runtime/torch_types.h"

#include <stdexcept>

namespace shardscope {

namespace {

using Tensors = std::vector<at::Tensor>;

at::Tensor flattened(const Tensors &tensors)
{
    Tensors flat;
    for (const at::Tensor &tensor : tensors)
        flat.push_back(tensor.reshape({-1}));
    return at::cat(flat);
}

CollectiveRecord inPlace(const Collective &collective, Communicator &communicator, at::Tensor &tensor)
{
    switch (collective.op) {
    case CollectiveOp::AllReduce:
        return communicator.allReduce(tensor, collective.algorithm, collective.reduce);
    case CollectiveOp::Reduce:
        return communicator.reduce(tensor, collective.algorithm, collective.reduce);
    default:
        return communicator.broadcast(tensor, collective.algorithm);
    }
}

CollectiveRecord combine(const Collective &collective, Communicator &communicator, const Tensors &inputs,
                         Tensors &outputs)
{
    if (inputs.size() == 1) {
        outputs = inputs;
        return inPlace(collective, communicator, outputs.front());
    }
    at::Tensor flat = flattened(inputs);
    const CollectiveRecord record = inPlace(collective, communicator, flat);
    std::int64_t begin = 0;
    for (const at::Tensor &input : inputs) {
        outputs.push_back(flat.narrow(0, begin, input.numel()).view(input.sizes()));
        begin += input.numel();
    }
    return record;
}

CollectiveRecord allGather(const Collective &collective, Communicator &communicator, const Tensors &shards,
                           Tensors &wholes)
{
    const int dim = collective.gatherDim;
    if (shards.size() == 1)
        return communicator.allGather(shards.front(), wholes.emplace_back(), dim, collective.algorithm);
    const at::Tensor mine = flattened(shards);
    at::Tensor gathered;
    CollectiveRecord record = communicator.allGather(mine, gathered, 0, collective.algorithm);
    record.scratchBytes += bytesOf(mine) + bytesOf(gathered);
    const at::Tensor rows = gathered.view({communicator.size(), -1});
    std::int64_t begin = 0;
    for (const at::Tensor &shard : shards) {
        wholes.push_back(rowsJoined(rows.narrow(1, begin, shard.numel()), shard.sizes(), dim));
        begin += shard.numel();
    }
    return record;
}

CollectiveRecord reduceScatter(const Collective &collective, Communicator &communicator, const Tensors &addends,
                               Tensors &shards)
{
    const int dim = collective.gatherDim;
    if (addends.size() == 1)
        return communicator.reduceScatter(addends.front(), shards.emplace_back(), dim, collective.algorithm);
    Tensors rows;
    for (const at::Tensor &addend : addends)
        rows.push_back(slicesAsRows(addend, dim, communicator.size()));
    const at::Tensor together = at::cat(rows, 1);
    at::Tensor mine;
    CollectiveRecord record = communicator.reduceScatter(together, mine, 0, collective.algorithm);
    record.scratchBytes += bytesOf(together);
    std::int64_t begin = 0;
    for (const at::Tensor &addend : addends) {
        std::vector<std::int64_t> shape = addend.sizes().vec();
        shape[std::size_t(dim)] /= communicator.size();
        const std::int64_t elements = addend.numel() / communicator.size();
        shards.push_back(mine.view(-1).narrow(0, begin, elements).view(shape));
        begin += elements;
    }
    return record;
}

} // namespace

bool worksInPlace(CollectiveOp op)
{
    return op == CollectiveOp::AllReduce || op == CollectiveOp::Reduce || op == CollectiveOp::Broadcast;
}

CollectiveRecord runCollective(const Collective &collective, Communicator &communicator, const Tensors &inputs,
                               Tensors &outputs)
{
    CollectiveRecord record;
    if (worksInPlace(collective.op))
        record = combine(collective, communicator, inputs, outputs);
    else if (collective.op == CollectiveOp::AllGather)
        record = allGather(collective, communicator, inputs, outputs);
    else if (collective.op == CollectiveOp::ReduceScatter)
        record = reduceScatter(collective, communicator, inputs, outputs);
    else
        throw std::logic_error("the runtime has no " + std::string(name(collective.op)));
    if (collective.average)
        for (at::Tensor &output : outputs)
            output.div_(communicator.size());
    return record;
}

} // namespace shardscope
