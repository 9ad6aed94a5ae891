// SPDX-License-Identifier: MIT
#pragma once

#include "engine/runtime/compute_device.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

/// How NCCL carried out a collective, in its own words.
struct NcclChoice {
    std::string collective; ///< "AllReduce"
    std::int64_t bytes = 0; ///< that it was called with: of an all-gather one rank's
    std::string algorithm;  ///< "RING", "TREE", "NVLS"
    std::string protocol;   ///< "LL", "LL128", "SIMPLE"
    bool operator==(const NcclChoice &) const = default;
};

/// The choices in a log of NCCL's, each once, in their order. The line is that of src/enqueue.cc (NCCL 2.19 to 2.28):
/// "AllReduce: 1048576 Bytes -> Algo RING proto LL128 channel{Lo..Hi}={0..3}".
[[nodiscard]] std::vector<NcclChoice> parseNcclChoices(std::string_view log);

/// Those of collectives that plans know.
[[nodiscard]] std::vector<LibraryChoice> libraryChoicesOf(const std::vector<NcclChoice> &choices);

/// Has NCCL write its choices to a file without a name, which it opens once per process; to be made before the first
/// communicator. Where the user has set NCCL_DEBUG, that stands and nothing is learned.
class NcclChoices
{
public:
    NcclChoices();
    ~NcclChoices();
    NcclChoices(const NcclChoices &) = delete;
    NcclChoices &operator=(const NcclChoices &) = delete;

    /// All that was written so far. Only rank 0 of a communicator writes.
    [[nodiscard]] std::vector<NcclChoice> read() const;

private:
    int m_fd = -1;
};

} // namespace shardscope
