// SPDX-License-Identifier: MIT
#include "engine/cuda/nccl_choices.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <regex>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace shardscope {

std::vector<NcclChoice> parseNcclChoices(std::string_view log)
{
    static const std::regex line(R"((\w+): (\d+) Bytes -> Algo (\w+) proto (\w+))");
    std::vector<NcclChoice> choices;
    for (std::cregex_iterator it(log.data(), log.data() + log.size(), line), end; it != end; ++it) {
        NcclChoice choice{(*it)[1].str(), std::strtoll((*it)[2].str().c_str(), nullptr, 10), (*it)[3].str(),
                          (*it)[4].str()};
        if (std::find(choices.begin(), choices.end(), choice) == choices.end())
            choices.push_back(std::move(choice));
    }
    return choices;
}

std::vector<LibraryChoice> libraryChoicesOf(const std::vector<NcclChoice> &choices)
{
    constexpr std::array<std::pair<std::string_view, CollectiveOp>, 5> kNames{
        {{"AllReduce", CollectiveOp::AllReduce},
         {"AllGather", CollectiveOp::AllGather},
         {"ReduceScatter", CollectiveOp::ReduceScatter},
         {"Broadcast", CollectiveOp::Broadcast},
         {"Reduce", CollectiveOp::Reduce}}};
    std::vector<LibraryChoice> known;
    for (const NcclChoice &choice : choices) {
        const auto *const found = std::ranges::find(kNames, choice.collective, &decltype(kNames)::value_type::first);
        if (found != kNames.end())
            known.push_back({found->second, choice.bytes, choice.algorithm, choice.protocol});
    }
    return known;
}

NcclChoices::NcclChoices()
{
    if (std::getenv("NCCL_DEBUG") != nullptr)
        return;
    m_fd = ::memfd_create("shardscope-nccl", MFD_CLOEXEC);
    if (m_fd < 0)
        return;
    ::setenv("NCCL_DEBUG", "INFO", 1);
    ::setenv("NCCL_DEBUG_SUBSYS", "TUNING", 1);
    ::setenv("NCCL_DEBUG_FILE", ("/proc/self/fd/" + std::to_string(m_fd)).c_str(), 1);
}

NcclChoices::~NcclChoices()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

std::vector<NcclChoice> NcclChoices::read() const
{
    std::string log;
    std::array<char, 4096> part{};
    // By offset: NCCL writes through a description of its own.
    for (ssize_t count = 0; m_fd >= 0 && (count = ::pread(m_fd, part.data(), part.size(), off_t(log.size()))) > 0;)
        log.append(part.data(), std::size_t(count));
    return parseNcclChoices(log);
}

} // namespace shardscope
