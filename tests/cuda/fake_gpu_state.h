// SPDX-License-Identifier: MIT
#pragma once

#include "tests/cuda/fake_gpu.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace shardscope::fake {

/// An operation that several streams meet in: it ends on all of them, `transferNs` after the last has come.
struct Meeting {
    int size = 1;
    std::int64_t transferNs = 0;
    std::map<int, std::int64_t> arrivals; ///< by rank, host time
    std::function<void()> exchange;       ///< moves the data, once all are there
    std::optional<std::int64_t> endNs;    ///< host time
};

struct Event;

/// One order on a stream.
struct Order {
    enum class Kind { Work, Record, Wait, Meet, Hang } kind = Kind::Work;
    std::int64_t ns = 0; ///< of work; of the others when it was given, host time
    Event *event = nullptr;
    std::size_t recording = 0; ///< which recording of the event is meant
    std::vector<std::pair<std::shared_ptr<Meeting>, int>>
        meetings; ///< that begin together, and this one's rank in each
};

struct Event {
    std::vector<std::optional<std::int64_t>> times; ///< of each recording, on its stream's clock
    std::vector<std::int64_t> skews;
};

struct Stream {
    std::int64_t skewNs = 0;
    std::int64_t freeNs = 0; ///< host time at which all settled orders have ended
    std::size_t settled = 0;
    std::vector<Order> orders;
};

struct State {
    std::mutex mutex;
    std::int64_t nowNs = 1'000'000'000;
    std::vector<std::unique_ptr<Stream>> streams;
    std::vector<std::unique_ptr<Event>> events;
    NcclBehaviour nccl;
    int destroyed = 0;
};
[[nodiscard]] State &state();

/// Works off what can be worked off; the mutex is held.
void settleStreams();
/// Puts an order on the stream; the mutex is held.
void put(cudaStream_t stream, Order order);

} // namespace shardscope::fake
