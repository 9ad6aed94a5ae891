// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cuda/nccl_api.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace shardscope {

/// What went wrong in NCCL, in its own words. Time limits say "timed out".
struct NcclError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws NcclError unless the NCCL that is loaded is at least the one that this program was built with, and of the
/// same major version: an older one does not know all that it would be given. Both versions stand in the message.
void requireNcclVersion(const NcclApi &api);
/// "2.28.9" for 22809.
[[nodiscard]] std::string ncclVersionText(int version);
/// Of the NCCL that is loaded.
[[nodiscard]] int ncclVersion(const NcclApi &api);

/// A buffer of device memory.
struct NcclBuffer {
    void *data = nullptr;
    std::size_t count = 0; ///< elements
    ncclDataType_t type = ncclFloat32;
};

/// A buffer and the rank that it comes from or goes to.
struct NcclParcel {
    NcclBuffer buffer;
    int peer = 0;
};

/// One non-blocking NCCL communicator: orders operations on streams, never waits for longer than its time limit, and
/// tells what went wrong. It knows pointers and streams alone, so that fakes on CPU memory can stand behind the table.
///
/// A call of NCCL may answer "in progress": it has then not been put on the stream yet, and nothing may be recorded
/// after it before it has. So every function here returns only when the order stands.
class NcclGroup
{
public:
    struct Settings {
        int rank = 0;
        int size = 1;
        ncclUniqueId id{};
        std::string name; ///< for NCCL's own messages
        std::chrono::milliseconds timeout{30000};
    };

    /// Joins the others. Throws NcclError when one of them does not come in time.
    NcclGroup(const NcclApi &api, const Settings &settings);
    /// A group that has failed is left to the end of the process: taking it down may wait for its peers for ever.
    ~NcclGroup();
    NcclGroup(const NcclGroup &) = delete;
    NcclGroup &operator=(const NcclGroup &) = delete;

    void allReduce(const NcclBuffer &buffer, ncclRedOp_t op, cudaStream_t stream);
    /// To rank 0.
    void reduce(const NcclBuffer &buffer, ncclRedOp_t op, cudaStream_t stream);
    /// From rank 0.
    void broadcast(const NcclBuffer &buffer, cudaStream_t stream);
    /// `whole` holds the ranks' shards in rank order: size() times the shard's elements.
    void allGather(const NcclBuffer &shard, void *whole, cudaStream_t stream);
    /// `own` is this rank's part of the sum of all ranks' `addends`, which have size() times its elements.
    void reduceScatter(const void *addends, const NcclBuffer &own, ncclRedOp_t op, cudaStream_t stream);
    /// All of it at the same time.
    void exchange(const std::vector<NcclParcel> &sent, const std::vector<NcclParcel> &received, cudaStream_t stream);

    /// Throws when NCCL has noticed something since: a lost peer, a network error.
    void requireHealthy();
    [[nodiscard]] std::chrono::milliseconds timeout() const { return m_settings.timeout; }
    [[nodiscard]] int size() const { return m_settings.size; }

private:
    using Call = std::function<ncclResult_t()>;

    void order(const char *what, const Call &call);
    /// Waits while the communicator says "in progress".
    void settle(const char *what, ncclResult_t result);
    [[noreturn]] void fail(const char *what, ncclResult_t result);

    const NcclApi &m_api;
    Settings m_settings;
    ncclComm_t m_comm = nullptr;
    bool m_failed = false;
};

} // namespace shardscope
