// SPDX-License-Identifier: MIT
#include "engine/plan/option_uses.h"

#include <algorithm>

namespace shardscope::option_uses {
namespace {

bool isAny(Scheme scheme, std::initializer_list<Scheme> schemes)
{
    return std::ranges::find(schemes, scheme) != schemes.end();
}

bool training(const Experiment &e)
{
    return e.phase == Phase::Training;
}

bool repeats(const Experiment &e)
{
    return e.repeatedLayer().has_value();
}

/// Of a layer that is repeated: it is, or has, that part.
bool has(const Experiment &e, Layer part)
{
    const auto layer = e.repeatedLayer();
    return layer && (*layer == part || *layer == Layer::Block);
}

} // namespace

bool ffn(const Experiment &e)
{
    const bool no =
        isAny(e.scheme, {Scheme::Embedding, Scheme::Logits, Scheme::BugUnshardedHeads, Scheme::BugUnreducedKv});
    return repeats(e) ? has(e, Layer::Mlp) : !no;
}

bool attention(const Experiment &e)
{
    return has(e, Layer::Attention) || isAny(e.scheme, {Scheme::BugUnshardedHeads, Scheme::BugUnreducedKv});
}

bool vocabulary(const Experiment &e)
{
    return isAny(e.scheme, {Scheme::Embedding, Scheme::Logits});
}

bool layers(const Experiment &e)
{
    return repeats(e);
}

bool mlp(const Experiment &e)
{
    return has(e, Layer::Mlp);
}

bool pair(const Experiment &e)
{
    return isAny(e.scheme, {Scheme::Mlp, Scheme::Attention});
}

bool layer(const Experiment &e)
{
    return isAny(e.scheme, {Scheme::DataParallel, Scheme::Zero1, Scheme::Zero2, Scheme::Zero3, Scheme::Pipeline});
}

bool cache(const Experiment &e)
{
    return attention(e) && e.phase == Phase::Decode;
}

bool weightDtype(const Experiment &e)
{
    return !training(e) &&
           isAny(e.scheme, {Scheme::Column, Scheme::Row, Scheme::Mlp, Scheme::Attention, Scheme::Block});
}

bool bias(const Experiment &e)
{
    return !vocabulary(e);
}

bool gatherOutput(const Experiment &e)
{
    return e.scheme == Scheme::Column || (e.scheme == Scheme::Logits && training(e));
}

bool inputParallel(const Experiment &e)
{
    return e.scheme == Scheme::Row;
}

bool inputGradient(const Experiment &e)
{
    // A block's first norm needs dX anyway, and an embedding's input are ids.
    const bool no = e.scheme == Scheme::Embedding || e.repeatedLayer() == Layer::Block;
    return training(e) && !no;
}

bool sequenceParallel(const Experiment &e)
{
    return e.phase != Phase::Decode && (repeats(e) || vocabulary(e));
}

bool recompute(const Experiment &e)
{
    return training(e) && repeats(e);
}

bool parallelBlock(const Experiment &e)
{
    return e.repeatedLayer() == Layer::Block;
}

bool overlap(const Experiment &e)
{
    return training(e) && (repeats(e) || isAny(e.scheme, {Scheme::Column, Scheme::Logits}));
}

bool reduceTo(const Experiment &e)
{
    return repeats(e) || isAny(e.scheme, {Scheme::Column, Scheme::Row});
}

bool microBatches(const Experiment &e)
{
    return repeats(e);
}

bool schedule(const Experiment &e)
{
    return training(e) && (e.scheme == Scheme::Pipeline || e.extent(MeshAxis::Pp) > 1);
}

bool zero(const Experiment &e)
{
    return repeats(e) && e.extent(MeshAxis::Dp) > 1 && ownAxis(e.scheme) != MeshAxis::Dp;
}

} // namespace shardscope::option_uses
