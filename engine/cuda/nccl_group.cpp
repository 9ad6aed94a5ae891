// SPDX-License-Identifier: MIT
#include "engine/cuda/nccl_group.h"

#include <thread>

namespace shardscope {

namespace {

using Clock = std::chrono::steady_clock;

/// First spinning, because most orders stand within microseconds; then a sleep, because a peer may take seconds.
void pauseAfter(Clock::time_point start)
{
    if (Clock::now() - start > std::chrono::milliseconds(1))
        std::this_thread::sleep_for(std::chrono::microseconds(200));
}

std::string seconds(std::chrono::milliseconds timeout)
{
    return std::to_string(timeout.count()) + " ms";
}

} // namespace

int ncclVersion(const NcclApi &api)
{
    int version = 0;
    if (const ncclResult_t result = api.getVersion(&version); result != ncclSuccess)
        throw NcclError("NCCL, asking for its version: " + std::string(api.getErrorString(result)));
    return version;
}

std::string ncclVersionText(int version)
{
    return std::to_string(version / 10000) + '.' + std::to_string(version % 10000 / 100) + '.' +
           std::to_string(version % 100);
}

void requireNcclVersion(const NcclApi &api)
{
    const int loaded = ncclVersion(api);
    if (loaded >= NCCL_VERSION_CODE && loaded / 10000 == NCCL_MAJOR)
        return;
    throw NcclError("NCCL " + ncclVersionText(loaded) + " is loaded, this program needs " +
                    ncclVersionText(NCCL_VERSION_CODE) + " or a newer " + std::to_string(NCCL_MAJOR) + ".x");
}

NcclGroup::NcclGroup(const NcclApi &api, const Settings &settings) : m_api(api), m_settings(settings)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    config.commName = m_settings.name.c_str();
    settle("joining", m_api.commInitRankConfig(&m_comm, settings.size, settings.id, settings.rank, &config));
}

NcclGroup::~NcclGroup()
{
    if (m_failed || !m_comm)
        return;
    try {
        settle("leaving", m_api.commFinalize(m_comm));
        m_api.commDestroy(m_comm);
    } catch (const NcclError &) { // it is left to the end of the process
    }
}

void NcclGroup::allReduce(const NcclBuffer &buffer, ncclRedOp_t op, cudaStream_t stream)
{
    order("all-reduce",
          [&] { return m_api.allReduce(buffer.data, buffer.data, buffer.count, buffer.type, op, m_comm, stream); });
}

void NcclGroup::reduce(const NcclBuffer &buffer, ncclRedOp_t op, cudaStream_t stream)
{
    order("reduce",
          [&] { return m_api.reduce(buffer.data, buffer.data, buffer.count, buffer.type, op, 0, m_comm, stream); });
}

void NcclGroup::broadcast(const NcclBuffer &buffer, cudaStream_t stream)
{
    order("broadcast",
          [&] { return m_api.broadcast(buffer.data, buffer.data, buffer.count, buffer.type, 0, m_comm, stream); });
}

void NcclGroup::allGather(const NcclBuffer &shard, void *whole, cudaStream_t stream)
{
    order("all-gather", [&] { return m_api.allGather(shard.data, whole, shard.count, shard.type, m_comm, stream); });
}

void NcclGroup::reduceScatter(const void *addends, const NcclBuffer &own, ncclRedOp_t op, cudaStream_t stream)
{
    order("reduce-scatter",
          [&] { return m_api.reduceScatter(addends, own.data, own.count, own.type, op, m_comm, stream); });
}

void NcclGroup::exchange(const std::vector<NcclParcel> &sent, const std::vector<NcclParcel> &received,
                         cudaStream_t stream)
{
    if (sent.empty() && received.empty())
        return;
    order("send and receive", [&] {
        const auto refused = [](ncclResult_t result) { return result != ncclSuccess && result != ncclInProgress; };
        ncclResult_t worst = m_api.groupStart();
        for (const NcclParcel &parcel : received)
            if (!refused(worst))
                worst = m_api.receive(parcel.buffer.data, parcel.buffer.count, parcel.buffer.type, parcel.peer, m_comm,
                                      stream);
        for (const NcclParcel &parcel : sent)
            if (!refused(worst))
                worst = m_api.send(parcel.buffer.data, parcel.buffer.count, parcel.buffer.type, parcel.peer, m_comm,
                                   stream);
        const ncclResult_t ended = m_api.groupEnd(); // also after a refusal, or the next group would nest in this one
        return refused(worst) ? worst : ended;
    });
}

void NcclGroup::requireHealthy()
{
    ncclResult_t state = ncclSuccess;
    const ncclResult_t asked = m_api.commGetAsyncError(m_comm, &state);
    if (asked != ncclSuccess)
        fail("asking for errors", asked);
    if (state != ncclSuccess && state != ncclInProgress)
        fail("asynchronous error", state);
}

void NcclGroup::order(const char *what, const Call &call)
{
    settle(what, call());
}

void NcclGroup::settle(const char *what, ncclResult_t result)
{
    const Clock::time_point start = Clock::now();
    while (result == ncclInProgress) {
        const ncclResult_t asked = m_api.commGetAsyncError(m_comm, &result);
        if (asked != ncclSuccess)
            fail(what, asked);
        if (result != ncclInProgress)
            break;
        if (Clock::now() - start > m_settings.timeout) {
            m_failed = true;
            throw NcclError("NCCL, " + std::string(what) + ": timed out after " + seconds(m_settings.timeout));
        }
        pauseAfter(start);
    }
    if (result != ncclSuccess)
        fail(what, result);
}

void NcclGroup::fail(const char *what, ncclResult_t result)
{
    m_failed = true;
    std::string words = "NCCL, " + std::string(what) + ": " + m_api.getErrorString(result);
    if (const char *last = m_api.getLastError(m_comm); last && *last)
        words += ": " + std::string(last);
    throw NcclError(words);
}

} // namespace shardscope
