// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/refusal.h"
#include "engine/plan/violation.h"

namespace shardscope {

/// What is worth trying, of each option that may mend a violation of `e`: the numbers below and above, the other words.
/// `given` are the options that `e` was read from.
[[nodiscard]] std::vector<Row> candidatesFor(const Experiment &e, const std::vector<std::string_view> &mendedBy,
                                             const OptionValues &given);

/// How --ranks and --mesh can agree, for an experiment that has the mesh and was to have `ranks`.
[[nodiscard]] std::vector<Row> agreeingMeshes(const Experiment &e, int ranks);

/// How a mesh is typed: --ranks says it all where only the scheme's own axis is used, unless --mesh stands there.
[[nodiscard]] Changes typedMesh(const Experiment &e, const Mesh &mesh, const OptionValues &given);

} // namespace shardscope
