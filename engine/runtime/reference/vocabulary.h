// SPDX-License-Identifier: MIT
#pragma once

#include "engine/runtime/reference/layer.h"

namespace shardscope::textbook {

/// Y = E[ids]; in training dE: each token's dY is added to its id's row.
void embedding(const Context &context);

/// In training the loss of every token, log sum exp Z - Z[target] with Z = X·W, and the gradients of its mean over a
/// micro-batch's tokens; in inference the logits of each sequence's last position.
void logits(const Context &context);

} // namespace shardscope::textbook
