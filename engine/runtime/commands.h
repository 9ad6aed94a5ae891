// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/codec.h"

#include <optional>
#include <string>

namespace shardscope {

/// Reads a rank's commands, one JSON line each, from a descriptor.
class CommandReader
{
public:
    explicit CommandReader(int fd) : m_fd(fd) {}

    /// Waits for the next command; nothing at the end of the input. Throws std::runtime_error on a line that is none.
    [[nodiscard]] std::optional<Command> next();
    /// Whether a cancel command, or the end of the input, has arrived; does not wait. The cancel is taken.
    [[nodiscard]] bool cancelArrived();

private:
    [[nodiscard]] std::optional<Command> takeLine();
    /// Reads what is there; waits for something when `wait`. False at the end of the input.
    bool read(bool wait);

    int m_fd;
    bool m_ended = false;
    std::string m_buffer;
};

} // namespace shardscope
