// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

namespace shardscope {

/// What computes here: "libtorch" -> "1.13.1", "blas" -> "OpenBLAS Haswell". Calls no BLAS routine, so the zygote may
/// ask.
[[nodiscard]] std::map<std::string, std::string> libraryVersions();

/// Compute threads of LibTorch and of BLAS, which does not follow LibTorch's setting. Ranks only.
void setThreads(int threads);

/// Whether BLAS multiplies correctly, held against a plain loop: a forced core type may be wrong. Ranks only.
[[nodiscard]] bool blasIsRight();
/// Gives memory that earlier experiments left in the heap back to the system.
void releaseUnusedMemory();
/// Keeps freed tensors in the heap: a step must not pay for pages that the last one gave back.
void keepFreedMemory();

} // namespace shardscope
