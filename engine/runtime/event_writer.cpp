// SPDX-License-Identifier: MIT
#include "engine/runtime/event_writer.h"

#include "engine/record/codec.h"

#include <cerrno>
#include <system_error>
#include <unistd.h>

namespace shardscope {

void EventWriter::add(const Event &event)
{
    m_pending += encode(event);
}

void EventWriter::flush()
{
    std::size_t written = 0;
    while (written < m_pending.size()) {
        const ssize_t count = ::write(m_fd, m_pending.data() + written, m_pending.size() - written);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            throw std::system_error(errno, std::generic_category(), "writing events");
        written += static_cast<std::size_t>(count);
    }
    m_pending.clear();
}

void EventWriter::write(const Event &event)
{
    add(event);
    flush();
}

} // namespace shardscope
