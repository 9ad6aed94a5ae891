// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/fields.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

/// The text as a JSON string, quotes included; bytes that are no UTF-8 become U+FFFD.
void appendJsonQuoted(std::string &line, std::string_view text);
[[nodiscard]] std::string jsonQuoted(std::string_view text);

/// Appends one JSON object to a string; a visitor of describe(). A small appender of our own: a rank writes one line
/// per operation between two measured steps.
class LineWriter
{
public:
    explicit LineWriter(std::string &line) : m_line(line) { m_line += '{'; }

    template <typename T>
    void required(std::string_view name, const T &value)
    {
        key(name);
        append(value);
    }
    template <typename T>
    void optional(std::string_view name, const T &value, const T &absent = T{})
    {
        if (!(value == absent))
            required(name, value);
    }
    void end() { m_line += '}'; }

private:
    void key(std::string_view name);
    void append(bool value) { m_line += value ? "true" : "false"; }
    void append(int value) { append(static_cast<std::int64_t>(value)); }
    void append(std::int64_t value);
    void append(double value);
    void append(std::string_view value) { appendJsonQuoted(m_line, value); }
    void append(const std::string &value) { append(std::string_view(value)); }
    void append(TextId id) { append(textName(id)); }
    template <typename E>
    requires kIsWord<E>
    void append(E value) { append(name(value)); }

    template <typename T>
    void append(const std::vector<T> &values)
    {
        m_line += '[';
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i > 0)
                m_line += ',';
            append(values[i]);
        }
        m_line += ']';
    }
    template <typename Compare>
    void append(const std::map<std::string, std::string, Compare> &values)
    {
        LineWriter object(m_line);
        for (const auto &[name, value] : values)
            object.required(name, value);
        object.end();
    }
    void append(const Text &text) { appendObject(text); }
    template <Part T>
    void append(const T &part)
    {
        appendObject(part);
    }
    template <typename T>
    void appendObject(const T &value)
    {
        LineWriter object(m_line);
        describe(object, value);
        object.end();
    }

    std::string &m_line;
    bool m_first = true;
};

} // namespace shardscope
