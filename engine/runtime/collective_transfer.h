// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/step.h"
#include "engine/runtime/communicator.h"
#include "engine/runtime/torch_headers.h"

#include <vector>

namespace shardscope {

/// Whether the result takes the place of the input: all-reduce, reduce, broadcast.
[[nodiscard]] bool worksInPlace(CollectiveOp op);

/// Runs a plan's collective, a SendRecv excepted, on what this rank holds of its tensors; `outputs` in the order of the
/// inputs. One tensor is transferred as it is, where the op works in place in the input's own memory. Several, of one
/// dtype, travel as one message: they are copied into one buffer, before the time that the record gives, and the
/// outputs of a sum are parts of that buffer. Throws as the communicator does; std::logic_error for an op that there is
/// not.
CollectiveRecord runCollective(const Collective &collective, Communicator &communicator,
                               const std::vector<at::Tensor> &inputs, std::vector<at::Tensor> &outputs);

} // namespace shardscope
