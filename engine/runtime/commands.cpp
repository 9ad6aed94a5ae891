// SPDX-License-Identifier: MIT
#include "engine/runtime/commands.h"

#include <array>
#include <cerrno>
#include <poll.h>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

namespace shardscope {

bool CommandReader::read(bool wait)
{
    pollfd entry{m_fd, POLLIN, 0};
    const int ready = poll(&entry, 1, wait ? -1 : 0);
    if (ready == 0 || (ready < 0 && errno == EINTR))
        return true;
    std::array<char, 4096> bytes{};
    const ssize_t count = ::read(m_fd, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR)
        throw std::system_error(errno, std::generic_category(), "reading commands");
    if (count > 0)
        m_buffer.append(bytes.data(), static_cast<std::size_t>(count));
    m_ended = count == 0;
    return !m_ended;
}

std::optional<Command> CommandReader::takeLine()
{
    const std::size_t end = m_buffer.find('\n');
    if (end == std::string::npos)
        return std::nullopt;
    const std::string line = m_buffer.substr(0, end);
    m_buffer.erase(0, end + 1);
    const auto command = decodeCommand(line);
    if (!command)
        throw std::runtime_error(english(command.problem()));
    return *command;
}

std::optional<Command> CommandReader::next()
{
    while (true) {
        if (auto command = takeLine())
            return command;
        if (!read(true))
            return std::nullopt;
    }
}

bool CommandReader::cancelArrived()
{
    if (!m_ended)
        read(false);
    if (m_ended)
        return true;
    const std::size_t end = m_buffer.find('\n');
    if (end == std::string::npos)
        return false;
    const auto command = decodeCommand(std::string_view(m_buffer).substr(0, end));
    if (!command || !std::holds_alternative<CancelCommand>(*command))
        return false;
    m_buffer.erase(0, end + 1);
    return true;
}

} // namespace shardscope
