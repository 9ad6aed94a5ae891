// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/console.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace shardscope::cli {

/// What a program at work says of itself, the most important first: where the line ends, the last is cut.
struct Progress {
    double fraction = -1;                ///< in 0..1, negative when unknown
    std::string position{};              ///< "2 of 3", or nothing
    std::string stage{};                 ///< "timing step 3 of 20"
    std::optional<double> secondsLeft{}; ///< of that stage
    std::string label{};                 ///< what runs
};

/// The line, in at most the columns of the terminal but one.
[[nodiscard]] std::string progressText(const Progress &progress, const Console &console);

/// How long steps still take, once one has been seen from its begin to its end and a second has gone by.
class RemainingTime
{
public:
    using Clock = std::chrono::steady_clock;

    /// Step `step` of `count` begins, counted from 1. Another count, or a step before, begins anew.
    void stepBegins(int step, int count, Clock::time_point now = Clock::now());
    /// Something else is done.
    void forget() { m_count = 0; }
    /// Until the last step has ended.
    [[nodiscard]] std::optional<double> seconds(Clock::time_point now = Clock::now()) const;

private:
    Clock::time_point m_firstAt;
    Clock::time_point m_stepAt;
    int m_first = 0;
    int m_step = 0;
    int m_count = 0;
};

/// One line on stderr that is written over and over, and cleared when something else is printed. Silent unless stderr
/// is a terminal.
class ProgressLine
{
public:
    ProgressLine();
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine &) = delete;
    ProgressLine &operator=(const ProgressLine &) = delete;

    void show(const Progress &progress);
    void clear();

private:
    Console m_console;
    bool m_shown = false;
};

} // namespace shardscope::cli
