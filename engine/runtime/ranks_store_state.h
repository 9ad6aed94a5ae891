// SPDX-License-Identifier: MIT
#pragma once

// What the ranks' store is made of, for the files that know c10d.
#include "engine/runtime/meeting_store.h"
#include "engine/runtime/ranks_store.h"

#include <chrono>

namespace shardscope {

struct RanksStoreState {
    int rank = 0;
    std::string address;
    std::vector<Presence> ranks;
    c10::intrusive_ptr<c10d::Store> store;

    void put(const std::string &key, const std::string &value) const
    {
        store->set(key, std::vector<std::uint8_t>(value.begin(), value.end()));
    }
    [[nodiscard]] bool has(const std::string &key) const { return store->check({key}); }
    [[nodiscard]] std::string text(const std::string &key) const
    {
        const std::vector<std::uint8_t> value = store->get(key);
        return {value.begin(), value.end()};
    }
};

struct RanksStore::State : RanksStoreState {
};

inline constexpr auto kStorePause = std::chrono::milliseconds(20); ///< between two looks at the store

/// Where the cause of a failure is left for the other ranks.
inline constexpr const char *kCauseKey = "cause";
void leaveCause(const RanksStoreState &state, const MessageEvent &cause);
[[nodiscard]] MessageEvent causeLeft(const RanksStoreState &state);

} // namespace shardscope
