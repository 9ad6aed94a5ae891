// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/console.h"

#include <string>
#include <string_view>
#include <utility>

namespace shardscope::cli {

/// Where a result goes: stdout, or a file that is written whole or not at all. A file that cannot be made is found out
/// before anything runs (exit 2); one that cannot be completed leaves the old one as it was (exit 4).
class Output
{
public:
    /// `path` empty: stdout. Throws Failure.
    explicit Output(std::string path);
    ~Output();
    Output(const Output &) = delete;
    Output &operator=(const Output &) = delete;

    [[nodiscard]] bool isFile() const { return !m_path.empty(); }
    /// How tables look there.
    [[nodiscard]] Console console() const;

    void write(std::string_view bytes);
    /// Text for people, in the characters that the terminal knows.
    void writeText(std::string text) { write(console().spelled(std::move(text))); }
    /// The file takes its name; without this call nothing of it remains. Throws Failure.
    void commit();

private:
    std::string m_path;      ///< as given
    std::string m_target;    ///< where that leads
    std::string m_temporary; ///< empty for what is no regular file, such as a pipe or /dev/null
    int m_fd = -1;
};

/// Standard streams that were closed when the program started lead nowhere from here on: else the next file or socket
/// to be opened would take their number, and what is printed.
void reserveStandardStreams();
/// Throws Failure (exit 2) when nothing can be written to stdout.
void requireStdout();

} // namespace shardscope::cli
