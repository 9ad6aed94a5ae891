// SPDX-License-Identifier: MIT
#include "engine/cli/console.h"

#include "engine/cli/text_table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace shardscope::cli {
namespace {

std::string_view variable(const char *key)
{
    const char *value = std::getenv(key); // NOLINT: read before any thread exists
    return value == nullptr ? std::string_view{} : std::string_view{value};
}

/// LC_ALL beats LC_CTYPE beats LANG, as in setlocale(3).
bool utf8Locale()
{
    for (const char *key : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        std::string value(variable(key));
        if (value.empty())
            continue;
        std::ranges::transform(value, value.begin(), [](unsigned char c) { return std::toupper(c); });
        return value.find("UTF-8") != std::string::npos || value.find("UTF8") != std::string::npos;
    }
    return false;
}

/// Who complains, where several programs write to one terminal.
std::string &speaker()
{
    static std::string who;
    return who;
}

int widthOf(int fd)
{
    winsize size{};
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    const int columns = std::atoi(std::string(variable("COLUMNS")).c_str());
    return columns > 0 ? columns : 100;
}

} // namespace

std::string Console::painted(std::string_view code, std::string_view text) const
{
    if (!colour)
        return std::string(text);
    return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
}

std::string Console::bar(double share, int cells) const
{
    static constexpr std::array<std::string_view, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const double filled = std::clamp(share, 0.0, 1.0) * cells;
    std::string text;
    if (!unicode) {
        const auto full = static_cast<std::size_t>(std::lround(filled));
        return std::string(full, '#') + std::string(static_cast<std::size_t>(cells) - full, '.');
    }
    const int eighths = static_cast<int>(std::lround(filled * 8));
    for (int cell = 0; cell < eighths / 8; ++cell)
        text += "█";
    text += kEighths[static_cast<std::size_t>(eighths % 8)];
    const int used = (eighths + 7) / 8;
    return text + std::string(static_cast<std::size_t>(cells - used), ' ');
}

std::string Console::wrapped(std::string_view text, int indent) const
{
    const std::size_t limit = width > 0 ? static_cast<std::size_t>(std::max(width, 40)) : std::string::npos;
    std::string lines;
    std::size_t column = static_cast<std::size_t>(indent);
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        const std::string_view word = text.substr(begin, end - begin);
        const bool first = lines.empty();
        if (!first && column + 1 + columnsOf(word) > limit) {
            lines += '\n' + std::string(static_cast<std::size_t>(indent), ' ');
            column = static_cast<std::size_t>(indent);
        } else if (!first) {
            lines += ' ';
            ++column;
        }
        lines += word;
        column += columnsOf(word);
        begin = end + 1;
    }
    return lines;
}

std::string Console::spelled(std::string text) const
{
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kSpellings{{{"·", "*"},
                                                                                               {"ᵀ", "^T"},
                                                                                               {"²", "^2"},
                                                                                               {"Σ", "sum"},
                                                                                               {"‖", "|"},
                                                                                               {"×", "x"},
                                                                                               {"→", "->"},
                                                                                               {"…", "..."},
                                                                                               {"−", "-"},
                                                                                               {"√", "sqrt"}}};
    if (unicode)
        return text;
    for (const auto &[symbol, ascii] : kSpellings) {
        for (std::size_t at = text.find(symbol); at != std::string::npos; at = text.find(symbol, at + ascii.size()))
            text.replace(at, symbol.size(), ascii);
    }
    return text;
}

Console consoleOf(int fd)
{
    Console console;
    console.terminal = isatty(fd) == 1;
    console.clears = console.terminal && variable("TERM") != "dumb";
    console.unicode = utf8Locale();
    console.colour = console.clears && variable("NO_COLOR").empty();
    console.width = console.terminal ? widthOf(fd) : 0;
    return console;
}

Console plainConsole()
{
    return Console{.unicode = utf8Locale()};
}

void writeToStderr(std::string_view text)
{
    // Nobody can be told when stderr itself does not take it.
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

void complainAs(std::string who)
{
    speaker() = std::move(who);
}

void complain(std::string_view line)
{
    // A word of the command line may hold anything: it must neither break the line nor steer the terminal.
    std::string whole = consoleOf(STDERR_FILENO).spelled(std::string(line));
    if (!speaker().empty() && !whole.starts_with(speaker() + ' '))
        whole.insert(0, speaker() + ": ");
    std::ranges::replace_if(
        whole, [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
    writeToStderr("shardscope-engine: " + whole + '\n');
}

} // namespace shardscope::cli
