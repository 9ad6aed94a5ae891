// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/event.h"

#include <string>
#include <string_view>
#include <utility>

namespace shardscope {

/// Writes events as JSON lines to a descriptor. Nothing is written before flush(), which blocks until all is.
class EventWriter
{
public:
    explicit EventWriter(int fd) : m_fd(fd) {}

    void add(const Event &event);
    /// Throws std::system_error when the reader is gone.
    void flush();
    void write(const Event &event);
    /// Lines that another rank has written.
    void addLines(std::string_view lines) { m_pending += lines; }
    /// What has been added and not been written: somebody else will.
    [[nodiscard]] std::string take() { return std::exchange(m_pending, {}); }

private:
    int m_fd;
    std::string m_pending;
};

} // namespace shardscope
