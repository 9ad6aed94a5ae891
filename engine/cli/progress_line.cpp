// SPDX-License-Identifier: MIT
#include "engine/cli/progress_line.h"

#include "engine/cli/text_table.h"
#include "engine/plan/text.h"

#include <algorithm>
#include <cmath>
#include <unistd.h>

namespace shardscope::cli {
namespace {

constexpr std::string_view kHint = "Ctrl-C cancels";
constexpr std::size_t kLeastLabel = 12; ///< less of it says nothing

/// As much of the text as fits that many columns.
std::string firstColumns(std::string_view text, std::size_t columns)
{
    std::size_t end = 0;
    for (std::size_t used = 0; end < text.size(); ++end) {
        const bool continuation = (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80;
        if (!continuation && ++used > columns)
            break;
    }
    return std::string(text.substr(0, end));
}

/// "about 8 s left", "about 2 min left": no more digits than an estimate has.
std::string timeText(double seconds)
{
    constexpr double kMinutesFrom = 100;
    if (seconds >= kMinutesFrom)
        return "about " + std::to_string(std::lround(seconds / 60)) + " min left";
    const double unit = seconds < 10 ? 1 : 5;
    return "about " + std::to_string(std::max(1L, std::lround(seconds / unit) * std::lround(unit))) + " s left";
}

/// Whatever has no room is cut, and what is cut says so.
std::string cutLabel(const std::string &label, std::size_t room, bool unicode)
{
    if (columnsOf(label) <= room)
        return label;
    const std::string_view dots = unicode ? "…" : "...";
    return firstColumns(label, room - columnsOf(dots)) + std::string(dots);
}

} // namespace

std::string progressText(const Progress &progress, const Console &console)
{
    // A line that wraps could not be cleared: only its last row would be.
    const auto room = static_cast<std::size_t>(std::max(console.width - 1, 1));
    constexpr std::size_t kWide = 100;
    std::string line;
    if (progress.fraction >= 0)
        line = console.bar(progress.fraction, room >= kWide ? 20 : 10) + ' ' +
               std::to_string(std::lround(progress.fraction * 100)) + " % ";
    line += progress.position.empty() ? progress.stage : progress.position + ": " + progress.stage;
    const std::string left = progress.secondsLeft ? ", " + timeText(*progress.secondsLeft) : std::string();
    if (columnsOf(line) + left.size() <= room)
        line += left;
    line = firstColumns(line, room);
    std::size_t used = columnsOf(line);
    const bool hint = used + 2 + kHint.size() <= room;
    if (hint)
        used += 2 + kHint.size();
    constexpr std::string_view kBetween = " - ";
    if (!progress.label.empty() && used + kBetween.size() + kLeastLabel <= room)
        line += std::string(kBetween) + cutLabel(progress.label, room - used - kBetween.size(), console.unicode);
    return hint ? line + "  " + console.dim(kHint) : line;
}

void RemainingTime::stepBegins(int step, int count, Clock::time_point now)
{
    if (count != m_count || step < m_step) {
        m_count = count;
        m_first = step;
        m_firstAt = now;
    }
    m_step = step;
    m_stepAt = now;
}

std::optional<double> RemainingTime::seconds(Clock::time_point now) const
{
    using Seconds = std::chrono::duration<double>;
    const double seen = Seconds(m_stepAt - m_firstAt).count();
    if (m_count == 0 || m_step == m_first || Seconds(now - m_firstAt).count() < 1)
        return std::nullopt;
    const double each = seen / (m_step - m_first);
    return std::max(0.0, each * (m_count - m_step + 1) - Seconds(now - m_stepAt).count());
}

ProgressLine::ProgressLine() : m_console(consoleOf(STDERR_FILENO))
{
    // What cannot clear a line gets none.
    m_console.terminal = m_console.terminal && m_console.clears;
}

void ProgressLine::show(const Progress &progress)
{
    if (!m_console.terminal)
        return;
    writeToStderr("\r\033[K" + progressText(progress, m_console));
    m_shown = true;
}

void ProgressLine::clear()
{
    if (m_shown)
        writeToStderr("\r\033[K");
    m_shown = false;
}

} // namespace shardscope::cli
