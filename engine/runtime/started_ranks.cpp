// SPDX-License-Identifier: MIT
#include "engine/runtime/started_ranks.h"

#include "engine/runtime/host_cores.h"
#include "engine/runtime/network_route.h"
#include "engine/runtime/told_failure.h"
#include "engine/runtime/torch_headers.h"

#include <algorithm>
#include <future>
#include <thread>

namespace shardscope {

namespace {

constexpr int kTag = 1;

std::string secondsText(std::chrono::milliseconds time)
{
    std::string text = std::to_string(static_cast<double>(time.count()) / 1000);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.')
        text.pop_back();
    return text;
}

} // namespace

StartedRanks::StartedRanks(const RankContext &context, EventWriter &events)
    : m_context(context), m_events(events), m_store(context, events)
{
    chooseInterface();
    m_place = m_store.makePlace(m_interface);
}

/// The one that leads to rank 0; on rank 0's own host that may be the loopback one, which reaches no other.
void StartedRanks::chooseInterface()
{
    const std::vector<Presence> &ranks = m_store.ranks();
    const Presence &own = ranks[static_cast<std::size_t>(m_context.rank)];
    const auto elsewhere =
        std::find_if(ranks.begin(), ranks.end(), [&](const Presence &rank) { return rank.hostKey != own.hostKey; });
    m_interface = m_context.store->interface;
    if (m_interface.empty()) {
        auto route = routeTo(m_context.store->host);
        if (elsewhere != ranks.end() && (!route || isLoopback(route->interface)))
            route = routeTo(elsewhere->address);
        m_interface = route ? route->interface : "lo";
    }
    if (elsewhere == ranks.end() || !isLoopback(m_interface))
        return;
    const ToldFailure failure(
        m_context.rank,
        {TextId::LoopbackReachesNone,
         {std::to_string(m_context.rank), m_interface, std::to_string(elsewhere - ranks.begin()), elsewhere->hostName}},
        TextId::InterfaceRemedy);
    (void)m_store.explain(failure.message, {}); // the others would wait for this rank
    throw failure;
}

void StartedRanks::setTimeout(std::chrono::milliseconds timeout)
{
    if (m_group && timeout == m_timeout)
        return;
    m_timeout = timeout;
    // Gloo may wait for a connection for longer than it was told, so it is left behind then.
    auto made = std::make_shared<std::promise<std::unique_ptr<GlooCommunicator>>>();
    auto group = made->get_future();
    std::thread([this, made, timeout, name = "started" + std::to_string(m_groups++)] {
        try {
            made->set_value(std::make_unique<GlooCommunicator>(*m_place, name, m_context.rank, m_context.worldSize,
                                                               timeout, m_stopwatch));
        } catch (...) {
            made->set_exception(std::current_exception());
        }
    }).detach();
    if (group.wait_for(timeout + std::chrono::seconds(1)) != std::future_status::ready)
        throw ToldFailure(explainNoMesh({}));
    m_group = group.get();
}

MessageEvent StartedRanks::explainNoMesh(const std::string &detail) const
{
    return ToldFailure(m_context.rank,
                       {TextId::MeshNotMade, {std::to_string(m_context.rank), m_store.address(), m_interface}},
                       TextId::InterfaceRemedy, detail)
        .message;
}

MessageEvent StartedRanks::explain(const MessageEvent &own) const
{
    return m_store.explain(own, secondsText(m_timeout));
}

/// The lowest rank of each host.
std::vector<int> StartedRanks::hostLeaders() const
{
    std::vector<int> leaders;
    const std::vector<Presence> &ranks = m_store.ranks();
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        const auto sameHost = [&](int leader) {
            return ranks[static_cast<std::size_t>(leader)].hostKey == ranks[rank].hostKey;
        };
        if (std::none_of(leaders.begin(), leaders.end(), sameHost))
            leaders.push_back(static_cast<int>(rank));
    }
    return leaders;
}

/// A ping-pong of rank 0 with one rank of each other host: in the quickest exchange the other clock was read at some
/// time between sending and receiving, so that half of it is the uncertainty.
void StartedRanks::compareClocks()
{
    constexpr int kExchanges = 20;
    const std::vector<int> leaders = hostLeaders();
    std::vector<std::int64_t> clocks(2 * static_cast<std::size_t>(m_context.worldSize), 0);
    at::Tensor word = at::zeros({1}, at::kLong);
    for (const int leader : leaders) {
        std::int64_t quickest = 0;
        for (int i = 0; leader > 0 && i < kExchanges; ++i) {
            if (m_context.rank == leader) {
                m_group->receive(word, 0, kTag)->wait();
                word.fill_(Stopwatch::rawNs());
                m_group->send(word, 0, kTag)->wait();
            } else if (m_context.rank == 0) {
                const std::int64_t sent = Stopwatch::rawNs();
                m_group->send(word, leader, kTag)->wait();
                m_group->receive(word, leader, kTag)->wait();
                const std::int64_t took = Stopwatch::rawNs() - sent;
                if (i > 0 && took >= quickest)
                    continue;
                quickest = took;
                const auto at = 2 * static_cast<std::size_t>(leader);
                clocks[at] = word.item<std::int64_t>() - (sent + took / 2);
                clocks[at + 1] = (took + 1) / 2;
            }
        }
    }
    const std::vector<std::int64_t> ofAll = m_group->gather(clocks);
    m_clocks.assign(ofAll.begin(), ofAll.begin() + static_cast<std::ptrdiff_t>(clocks.size())); // rank 0's
    for (const int leader : leaders) {
        if (m_store.ranks()[static_cast<std::size_t>(leader)].hostKey ==
            m_store.ranks()[static_cast<std::size_t>(m_context.rank)].hostKey)
            m_clockAheadNs = m_clocks[2 * static_cast<std::size_t>(leader)];
    }
}

std::vector<Host> StartedRanks::hosts() const
{
    std::vector<Host> found;
    const std::vector<Presence> &ranks = m_store.ranks();
    const std::vector<int> leaders = hostLeaders();
    for (const int leader : leaders) {
        const auto at = static_cast<std::size_t>(leader);
        Host host{ranks[at].hostName, {}, -m_clocks[2 * at], m_clocks[2 * at + 1]};
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            if (ranks[rank].hostKey == ranks[at].hostKey)
                host.ranks.push_back(static_cast<int>(rank));
        }
        const auto sameName = [&](int other) {
            return other != leader && ranks[static_cast<std::size_t>(other)].hostName == host.name;
        };
        if (std::any_of(leaders.begin(), leaders.end(), sameName))
            host.name += " (" + ranks[at].address + ')';
        found.push_back(std::move(host));
    }
    return found;
}

void StartedRanks::introduce(const std::string &device, const std::string &backend)
{
    compareClocks();
    const std::string key = "device " + std::to_string(m_introductions++) + " of rank ";
    m_place->leave(key + std::to_string(m_context.rank), {device.begin(), device.end()});
    const std::vector<std::int64_t> facts = allowedCoreBits();
    const std::vector<std::int64_t> ofAll = m_group->gather(facts);
    const std::vector<Host> where = hosts();
    HelloEvent hello;
    std::vector<std::int64_t> cores(where.size() * facts.size(), 0);
    for (std::size_t i = 0; i < where.size(); ++i) {
        for (const int rank : where[i].ranks) {
            for (std::size_t word = 0; word < facts.size(); ++word)
                cores[i * facts.size() + word] |= ofAll[static_cast<std::size_t>(rank) * facts.size() + word];
        }
    }
    for (std::size_t rank = 0; rank < m_store.ranks().size(); ++rank) {
        const std::vector<std::uint8_t> title = m_place->collect(key + std::to_string(rank), m_timeout);
        hello.machine.devices.push_back("rank " + std::to_string(rank) + ": " +
                                        std::string(title.begin(), title.end()));
    }
    hello.machine.backend = backend;
    hello.machine.host = counted(bitsIn(cores), "core|cores");
    if (where.size() > 1)
        hello.machine.hosts = where;
    m_events.write(hello);
}

void StartedRanks::collectEvents()
{
    std::string mine = m_context.rank == 0 ? std::string() : m_events.take();
    const std::vector<std::int64_t> sizes = m_group->gather({static_cast<std::int64_t>(mine.size())});
    if (!mine.empty()) {
        const at::Tensor bytes = at::from_blob(mine.data(), {static_cast<std::int64_t>(mine.size())}, at::kByte);
        m_group->send(bytes, 0, kTag)->wait();
    }
    for (std::size_t rank = 1; m_context.rank == 0 && rank < sizes.size(); ++rank) {
        if (sizes[rank] == 0)
            continue;
        at::Tensor bytes = at::empty({sizes[rank]}, at::kByte);
        m_group->receive(bytes, static_cast<int>(rank), kTag)->wait();
        m_events.addLines(
            {reinterpret_cast<const char *>(bytes.data_ptr<std::uint8_t>()), static_cast<std::size_t>(sizes[rank])});
    }
    m_events.flush();
}

} // namespace shardscope
