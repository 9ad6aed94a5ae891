// SPDX-License-Identifier: MIT
#include "tests/cuda/fake_gpu_state.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace shardscope::fake {

namespace {

enum class Kind { AllReduce, Reduce, Broadcast, AllGather, ReduceScatter };

/// What the ranks have brought to one collective.
struct Brought {
    const void *from = nullptr;
    void *to = nullptr;
};

struct Collective {
    Kind kind = Kind::AllReduce;
    std::size_t count = 0;
    ncclDataType_t type = ncclFloat32;
    ncclRedOp_t op = ncclSum;
    std::map<int, Brought> brought;
    std::shared_ptr<Meeting> meeting = std::make_shared<Meeting>();
};

struct Letter {
    Brought buffers;
    std::size_t bytes = 0;
    std::shared_ptr<Meeting> meeting = std::make_shared<Meeting>();
};

struct Clique {
    int size = 1;
    int joined = 0;
    std::map<int, std::shared_ptr<Collective>> collectives;                      ///< by their number
    std::map<std::pair<int, int>, std::vector<std::shared_ptr<Letter>>> letters; ///< by sender and receiver
};

struct Communicator {
    std::shared_ptr<Clique> clique;
    int rank = 0;
    int collectives = 0;
    std::map<std::pair<int, int>, std::size_t> sent;
    std::map<std::pair<int, int>, std::size_t> received;
    int inProgress = 0;                 ///< answers that are left
    std::function<void()> whenItStands; ///< of an order that is in progress
    bool ordered = false;
    bool leaving = false;
};

struct Group {
    int depth = 0;
    std::vector<std::pair<std::shared_ptr<Meeting>, int>> meetings;
    Communicator *communicator = nullptr;
    cudaStream_t stream = nullptr;
};
thread_local Group group;

std::map<std::uint64_t, std::shared_ptr<Clique>> &cliques()
{
    static std::map<std::uint64_t, std::shared_ptr<Clique>> all;
    return all;
}

Communicator &of(ncclComm_t comm)
{
    return *reinterpret_cast<Communicator *>(comm);
}

std::size_t bytesOf(ncclDataType_t type)
{
    switch (type) {
    case ncclFloat64:
    case ncclInt64:
        return 8;
    case ncclFloat32:
        return 4;
    default:
        throw std::logic_error("the fake knows f32, f64 and int64");
    }
}

template <typename Number>
void combine(void *into, const void *addend, std::size_t count, ncclRedOp_t op)
{
    auto *sum = static_cast<Number *>(into);
    const auto *other = static_cast<const Number *>(addend);
    for (std::size_t i = 0; i < count; ++i)
        sum[i] = op == ncclSum ? sum[i] + other[i] : std::max(sum[i], other[i]);
}

/// The ranks' inputs combined in rank order.
std::vector<char> reduced(const Collective &collective, std::size_t count)
{
    std::vector<char> sum(count * bytesOf(collective.type));
    bool first = true;
    for (const auto &[rank, buffers] : collective.brought) {
        if (first)
            std::memcpy(sum.data(), buffers.from, sum.size());
        else if (collective.type == ncclFloat32)
            combine<float>(sum.data(), buffers.from, count, collective.op);
        else if (collective.type == ncclFloat64)
            combine<double>(sum.data(), buffers.from, count, collective.op);
        else
            combine<std::int64_t>(sum.data(), buffers.from, count, collective.op);
        first = false;
    }
    return sum;
}

void exchange(const Collective &collective)
{
    const std::size_t part = collective.count * bytesOf(collective.type);
    const auto ranks = collective.brought.size();
    switch (collective.kind) {
    case Kind::AllReduce:
    case Kind::Reduce: {
        const std::vector<char> sum = reduced(collective, collective.count);
        for (const auto &[rank, buffers] : collective.brought)
            if (collective.kind == Kind::AllReduce || rank == 0)
                std::memcpy(buffers.to, sum.data(), part);
        return;
    }
    case Kind::Broadcast:
        for (const auto &[rank, buffers] : collective.brought)
            if (rank != 0)
                std::memcpy(buffers.to, collective.brought.at(0).from, part);
        return;
    case Kind::AllGather:
        for (const auto &[rank, buffers] : collective.brought)
            for (const auto &[other, brought] : collective.brought)
                std::memcpy(static_cast<char *>(buffers.to) + std::size_t(other) * part, brought.from, part);
        return;
    case Kind::ReduceScatter: {
        const std::vector<char> sum = reduced(collective, collective.count * ranks);
        for (const auto &[rank, buffers] : collective.brought)
            std::memcpy(buffers.to, sum.data() + std::size_t(rank) * part, part);
        return;
    }
    }
}

/// Puts the order on its stream, at once or when it has been asked for so often.
ncclResult_t stand(Communicator &communicator, std::function<void()> order)
{
    if (state().nccl.refusal != ncclSuccess)
        return state().nccl.refusal;
    communicator.ordered = true;
    if (state().nccl.orderInProgress == 0) {
        order();
        return ncclSuccess;
    }
    communicator.inProgress = state().nccl.orderInProgress;
    communicator.whenItStands = std::move(order);
    return ncclInProgress;
}

ncclResult_t collective(Kind kind, Brought buffers, std::size_t count, ncclDataType_t type, ncclRedOp_t op,
                        ncclComm_t comm, cudaStream_t stream)
{
    const std::lock_guard lock(state().mutex);
    Communicator &mine = of(comm);
    return stand(mine, [=, &mine] {
        std::shared_ptr<Collective> &all = mine.clique->collectives[mine.collectives++];
        if (!all) {
            all = std::make_shared<Collective>();
            all->kind = kind;
            all->count = count;
            all->type = type;
            all->op = op;
            all->meeting->size = mine.clique->size;
            all->meeting->transferNs = state().nccl.transferNs;
            all->meeting->exchange = [raw = all.get()] { exchange(*raw); };
        }
        all->brought[mine.rank] = buffers;
        Order order;
        order.kind = Order::Kind::Meet;
        order.meetings = {{all->meeting, mine.rank}};
        put(stream, std::move(order));
    });
}

std::shared_ptr<Letter> letterOf(Clique &clique, std::pair<int, int> way, std::size_t number)
{
    auto &letters = clique.letters[way];
    while (letters.size() <= number) {
        letters.push_back(std::make_shared<Letter>());
        Letter *letter = letters.back().get();
        letter->meeting->size = 2;
        letter->meeting->transferNs = state().nccl.transferNs;
        letter->meeting->exchange = [letter] { std::memcpy(letter->buffers.to, letter->buffers.from, letter->bytes); };
    }
    return letters[number];
}

void addToGroup(Communicator &communicator, cudaStream_t stream, const std::shared_ptr<Meeting> &meeting, int end)
{
    if (group.depth == 0)
        throw std::logic_error("the fake wants sends and receives in a group");
    group.communicator = &communicator;
    group.stream = stream;
    group.meetings.emplace_back(meeting, end);
}

ncclResult_t send(const void *from, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                  cudaStream_t stream)
{
    const std::lock_guard lock(state().mutex);
    Communicator &mine = of(comm);
    const std::pair<int, int> way{mine.rank, peer};
    const auto letter = letterOf(*mine.clique, way, mine.sent[way]++);
    letter->buffers.from = from;
    letter->bytes = count * bytesOf(type);
    addToGroup(mine, stream, letter->meeting, 0);
    return ncclSuccess;
}

ncclResult_t receive(void *to, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream)
{
    const std::lock_guard lock(state().mutex);
    Communicator &mine = of(comm);
    const std::pair<int, int> way{peer, mine.rank};
    const auto letter = letterOf(*mine.clique, way, mine.received[way]++);
    letter->buffers.to = to;
    letter->bytes = count * bytesOf(type);
    addToGroup(mine, stream, letter->meeting, 1);
    return ncclSuccess;
}

ncclResult_t groupStart()
{
    ++group.depth;
    return ncclSuccess;
}

ncclResult_t groupEnd()
{
    const std::lock_guard lock(state().mutex);
    if (--group.depth > 0 || group.meetings.empty())
        return ncclSuccess;
    Order order;
    order.kind = Order::Kind::Meet;
    order.meetings = std::exchange(group.meetings, {});
    return stand(*group.communicator, [order, stream = group.stream] { put(stream, order); });
}

ncclResult_t getUniqueId(ncclUniqueId *id)
{
    const std::lock_guard lock(state().mutex);
    static std::uint64_t last = 0;
    ++last;
    std::memcpy(id->internal, &last, sizeof last);
    return ncclSuccess;
}

ncclResult_t commInit(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t *config)
{
    const std::lock_guard lock(state().mutex);
    if (config->blocking != 0)
        return ncclInvalidArgument; // nothing here may block
    std::uint64_t number = 0;
    std::memcpy(&number, id.internal, sizeof number);
    std::shared_ptr<Clique> &clique = cliques()[number];
    if (!clique)
        clique = std::make_shared<Clique>();
    clique->size = ranks;
    ++clique->joined;
    auto *mine = new Communicator;
    mine->clique = clique;
    mine->rank = rank;
    mine->inProgress = state().nccl.joinInProgress;
    *comm = reinterpret_cast<ncclComm_t>(mine);
    return ncclInProgress;
}

ncclResult_t getAsyncError(ncclComm_t comm, ncclResult_t *error)
{
    const std::lock_guard lock(state().mutex);
    Communicator &mine = of(comm);
    *error = ncclSuccess;
    if (mine.clique->joined < mine.clique->size || state().nccl.joinNever ||
        (mine.leaving && state().nccl.leaveNever)) {
        *error = ncclInProgress;
    } else if (mine.inProgress > 0) {
        --mine.inProgress;
        *error = ncclInProgress;
    } else if (mine.whenItStands) {
        std::exchange(mine.whenItStands, {})();
    } else if (mine.ordered && state().nccl.asyncError != ncclSuccess) {
        *error = state().nccl.asyncError;
    }
    return ncclSuccess;
}

ncclResult_t commFinalize(ncclComm_t comm)
{
    const std::lock_guard lock(state().mutex);
    of(comm).leaving = true;
    return ncclInProgress;
}

ncclResult_t commDestroy(ncclComm_t comm)
{
    const std::lock_guard lock(state().mutex);
    ++state().destroyed;
    delete &of(comm);
    return ncclSuccess;
}

const char *errorString(ncclResult_t result)
{
    switch (result) {
    case ncclRemoteError:
        return "remote process exited or there was a network error";
    case ncclSystemError:
        return "unhandled system error";
    default:
        return "fake error";
    }
}

const char *lastError(ncclComm_t)
{
    return state().nccl.lastError.c_str();
}

} // namespace

void behave(const NcclBehaviour &behaviour)
{
    const std::lock_guard lock(state().mutex);
    state().nccl = behaviour;
}

int destroyedCommunicators()
{
    const std::lock_guard lock(state().mutex);
    return state().destroyed;
}

const NcclApi &nccl()
{
    static const NcclApi api = [] {
        NcclApi table;
        table.getVersion = [](int *version) {
            *version = state().nccl.version;
            return ncclSuccess;
        };
        table.getUniqueId = getUniqueId;
        table.commInitRankConfig = commInit;
        table.commGetAsyncError = getAsyncError;
        table.commFinalize = commFinalize;
        table.commDestroy = commDestroy;
        table.getErrorString = errorString;
        table.getLastError = lastError;
        table.allReduce = [](const void *from, void *to, std::size_t count, ncclDataType_t type, ncclRedOp_t op,
                             ncclComm_t comm, cudaStream_t stream) {
            return collective(Kind::AllReduce, {from, to}, count, type, op, comm, stream);
        };
        table.reduce = [](const void *from, void *to, std::size_t count, ncclDataType_t type, ncclRedOp_t op, int,
                          ncclComm_t comm, cudaStream_t stream) {
            return collective(Kind::Reduce, {from, to}, count, type, op, comm, stream);
        };
        table.broadcast = [](const void *from, void *to, std::size_t count, ncclDataType_t type, int, ncclComm_t comm,
                             cudaStream_t stream) {
            return collective(Kind::Broadcast, {from, to}, count, type, ncclSum, comm, stream);
        };
        table.allGather = [](const void *from, void *to, std::size_t count, ncclDataType_t type, ncclComm_t comm,
                             cudaStream_t stream) {
            return collective(Kind::AllGather, {from, to}, count, type, ncclSum, comm, stream);
        };
        table.reduceScatter = [](const void *from, void *to, std::size_t count, ncclDataType_t type, ncclRedOp_t op,
                                 ncclComm_t comm, cudaStream_t stream) {
            return collective(Kind::ReduceScatter, {from, to}, count, type, op, comm, stream);
        };
        table.send = send;
        table.receive = receive;
        table.groupStart = groupStart;
        table.groupEnd = groupEnd;
        return table;
    }();
    return api;
}

} // namespace shardscope::fake
