// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace shardscope {

/// Where ranks meet: a store of c10d, and the network interface over which they then talk. Outlives the groups that
/// meet through it.
class MeetingPlace
{
public:
    /// Ranks of one host that were forked together: a file that c10d's FileStore keeps, `path` fresh for this set of
    /// ranks, and the loopback interface.
    MeetingPlace(const std::string &path, int size);

    struct Store;
    explicit MeetingPlace(std::unique_ptr<Store> store);
    ~MeetingPlace();
    MeetingPlace(const MeetingPlace &) = delete;
    MeetingPlace &operator=(const MeetingPlace &) = delete;

    [[nodiscard]] Store &store() { return *m_store; }
    /// Leaves bytes for the others under a key that is used once.
    void leave(const std::string &key, const std::vector<std::uint8_t> &bytes);
    /// What one of them has left; waits for it. Throws at the time limit.
    [[nodiscard]] std::vector<std::uint8_t> collect(const std::string &key, std::chrono::milliseconds timeout);
    [[nodiscard]] const std::string &interface() const;

private:
    std::unique_ptr<Store> m_store;
};

} // namespace shardscope
