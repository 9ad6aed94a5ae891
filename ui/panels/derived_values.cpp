// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/derived_values.h"

#include <algorithm>

namespace shardscope {

namespace {

constexpr std::int64_t kFfnPerHidden = 4;
constexpr std::int64_t kUsualHeadSize = 64;

/// Of the values that follow others, in the order in which they depend on each other.
template <typename Value>
void follow(Value Experiment::*value, const Experiment &before, Experiment &wanted)
{
    const bool untouched = wanted.*value == before.*value;
    if (untouched && before.*value == withDerivedDefaults(before).*value)
        wanted.*value = withDerivedDefaults(wanted).*value;
}

bool usesSeveralAxes(const Experiment &experiment)
{
    return experiment.mesh != meshAlong(ownAxis(experiment.scheme), experiment.ranks());
}

} // namespace

Experiment withDerivedDefaults(Experiment experiment)
{
    const Experiment given = experiment;
    experiment.ffn = kFfnPerHidden * given.hidden;
    experiment.heads = std::max<std::int64_t>(1, given.hidden / kUsualHeadSize);
    experiment.kvHeads = given.heads;
    experiment.layers = given.repeatedLayer() ? given.extent(MeshAxis::Pp) : 1;
    experiment.cache = given.sequence;
    experiment.bias = given.scheme != Scheme::BugNaiveExercise && given.scheme != Scheme::BugNonlinearityOnPartial;
    return experiment;
}

Experiment followDefaults(const Experiment &before, Experiment wanted)
{
    follow(&Experiment::ffn, before, wanted);
    follow(&Experiment::heads, before, wanted);
    follow(&Experiment::kvHeads, before, wanted);
    follow(&Experiment::layers, before, wanted);
    follow(&Experiment::cache, before, wanted);
    follow(&Experiment::bias, before, wanted);
    return wanted;
}

Mesh meshWithRanks(const Experiment &experiment, int ranks)
{
    const MeshAxis own = ownAxis(experiment.scheme);
    Mesh mesh = experiment.mesh;
    mesh.setExtent(own, 1);
    if (ranks % mesh.size() != 0)
        return meshAlong(own, ranks);
    mesh.setExtent(own, ranks / mesh.size());
    return mesh;
}

Experiment withScheme(const Experiment &experiment, Scheme scheme)
{
    Experiment changed = experiment;
    changed.scheme = scheme;
    const bool keepsMesh = usesSeveralAxes(experiment) && changed.repeatedLayer().has_value() &&
                           ownAxis(scheme) == ownAxis(experiment.scheme);
    if (!keepsMesh)
        changed.mesh = meshAlong(ownAxis(scheme), experiment.ranks());
    return changed;
}

} // namespace shardscope
