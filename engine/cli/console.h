// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace shardscope::cli {

/// What the terminal behind a stream can show. The program never calls setlocale(), so that numbers stay in the C
/// locale; the words of the environment are enough to know the character set.
struct Console {
    bool terminal = false;
    bool clears = false; ///< a terminal that knows how to clear a line, not a dumb one
    bool unicode = false;
    bool colour = false; ///< a terminal that is not dumb, and NO_COLOR is not set
    int width = 0;       ///< columns; 0: no limit, the text goes to a file or pipe

    [[nodiscard]] std::string bold(std::string_view text) const { return painted("1", text); }
    [[nodiscard]] std::string dim(std::string_view text) const { return painted("2", text); }
    [[nodiscard]] std::string good(std::string_view text) const { return painted("32", text); }
    [[nodiscard]] std::string bad(std::string_view text) const { return painted("1;31", text); }
    [[nodiscard]] std::string warning(std::string_view text) const { return painted("33", text); }

    /// A bar of `cells` columns, filled by `share` in 0..1: eighths of a block in Unicode, else '#' and '.'.
    [[nodiscard]] std::string bar(double share, int cells) const;
    /// The text in lines of at most `width` columns, each after the first indented.
    [[nodiscard]] std::string wrapped(std::string_view text, int indent) const;
    /// Formulas and quotes in ASCII where the terminal knows no Unicode: "Y = X*W", "X^T".
    [[nodiscard]] std::string spelled(std::string text) const;

private:
    [[nodiscard]] std::string painted(std::string_view code, std::string_view text) const;
};

/// Of stdout when the result goes there.
[[nodiscard]] Console consoleOf(int fd);
/// For text that goes to a file: as stdout, but without colour and width.
[[nodiscard]] Console plainConsole();

/// Bytes as they are.
void writeToStderr(std::string_view text);

/// One line on stderr, whole.
void complain(std::string_view line);
/// From here on complaints say who complains: "rank 1".
void complainAs(std::string who);

} // namespace shardscope::cli
