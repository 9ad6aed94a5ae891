// SPDX-License-Identifier: MIT
#include "engine/record/line_writer.h"

#include <charconv>
#include <cmath>

namespace shardscope {
namespace {

// std::to_chars knows no locale, so a decimal comma can never get into a line.
template <typename T>
void appendNumber(std::string &line, T value)
{
    std::array<char, 32> digits; // NOLINT: written by to_chars before it is read
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    line.append(digits.data(), end);
}

void appendEscape(std::string &line, unsigned char c)
{
    constexpr std::string_view kHex = "0123456789abcdef";
    line += "\\u00";
    line += kHex[c >> 4];
    line += kHex[c & 15];
}

/// Length of the UTF-8 sequence at the start of `bytes`, 0 when it is not one (RFC 3629).
std::size_t utf8Length(std::string_view bytes)
{
    const auto at = [&](std::size_t i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U; };
    const auto continues = [&](std::size_t i) { return (at(i) & 0xC0U) == 0x80U; };
    const unsigned lead = at(0);
    if (lead < 0x80)
        return 1;
    if (lead >= 0xC2 && lead <= 0xDF)
        return continues(1) ? 2 : 0;
    if (lead >= 0xE0 && lead <= 0xEF) {
        const bool overlong = lead == 0xE0 && at(1) < 0xA0;
        const bool surrogate = lead == 0xED && at(1) > 0x9F;
        return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        const bool overlong = lead == 0xF0 && at(1) < 0x90;
        const bool tooLarge = lead == 0xF4 && at(1) > 0x8F;
        return continues(1) && continues(2) && continues(3) && !overlong && !tooLarge ? 4 : 0;
    }
    return 0;
}

} // namespace

void appendJsonQuoted(std::string &line, std::string_view text)
{
    line += '"';
    for (std::size_t i = 0; i < text.size();) {
        const auto c = static_cast<unsigned char>(text[i]);
        const std::size_t length = utf8Length(text.substr(i));
        if (c == '"' || c == '\\')
            (line += '\\') += text[i];
        else if (c < 0x20)
            appendEscape(line, c);
        else if (length > 0)
            line.append(text, i, length);
        else
            line += "\xEF\xBF\xBD"; // a library's words may be in any encoding; the line stays valid
        i += length > 0 ? length : 1;
    }
    line += '"';
}

std::string jsonQuoted(std::string_view text)
{
    std::string line;
    appendJsonQuoted(line, text);
    return line;
}

void LineWriter::key(std::string_view name)
{
    if (!m_first)
        m_line += ',';
    m_first = false;
    append(name);
    m_line += ':';
}

void LineWriter::append(std::int64_t value)
{
    appendNumber(m_line, value);
}

void LineWriter::append(double value)
{
    // JSON has no NaN and no infinity: -1 stands for "no number", as event.h says of relative errors.
    appendNumber(m_line, std::isfinite(value) ? value : -1.0);
}

} // namespace shardscope
