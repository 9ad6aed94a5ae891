// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/fields.h"

#include <map>
#include <optional>
#include <simdjson.h>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

/// A text from the stream. An id that this version does not know still shows what came with it.
[[nodiscard]] Text textFromStream(std::string_view id, std::vector<std::string> args);

/// Reads the fields of one JSON object; a visitor of describe(). The first thing that is wrong stays as problem().
class LineReader
{
public:
    LineReader(simdjson::dom::object object, std::string_view kind)
        : m_begin(object.begin()), m_end(object.end()), m_next(object.begin()), m_kind(kind)
    {
    }

    template <typename T>
    void required(std::string_view name, T &value)
    {
        if (!readField(name, value))
            fail({TextId::StreamFieldMissing, {std::string(m_kind), std::string(name)}});
    }
    template <typename T>
    void optional(std::string_view name, T &value, const T &absent = T{})
    {
        if (!readField(name, value))
            value = absent;
    }
    [[nodiscard]] const std::optional<Text> &problem() const { return m_problem; }

    /// Looks on from the last field found, because writers keep the order; any order is read.
    [[nodiscard]] std::optional<simdjson::dom::element> find(std::string_view name);

private:
    /// False when the field is absent or null.
    template <typename T>
    bool readField(std::string_view name, T &value)
    {
        const auto element = find(name);
        if (!element || element->is_null())
            return false;
        if (const char *wanted = read(*element, value))
            fail({TextId::StreamFieldBad, {std::string(m_kind), std::string(name), wanted}});
        return true;
    }
    void fail(Text problem)
    {
        if (!m_problem)
            m_problem = std::move(problem);
    }

    // Each returns what the value must be, or nullptr when it is that.
    const char *read(simdjson::dom::element element, bool &value);
    const char *read(simdjson::dom::element element, int &value);
    const char *read(simdjson::dom::element element, std::int64_t &value);
    const char *read(simdjson::dom::element element, double &value);
    const char *read(simdjson::dom::element element, std::string &value);
    const char *read(simdjson::dom::element element, Text &value);
    const char *read(simdjson::dom::element element, std::vector<std::string> &value);
    const char *read(simdjson::dom::element element, std::vector<std::int64_t> &value);
    const char *read(simdjson::dom::element element, std::vector<int> &value);
    template <Part T>
    const char *read(simdjson::dom::element element, T &value)
    {
        simdjson::dom::object object;
        if (element.get(object) != simdjson::SUCCESS)
            return kPart<T>;
        LineReader fields(object, m_kind);
        describe(fields, value);
        return fields.problem() ? kPart<T> : nullptr;
    }
    template <Part T>
    const char *read(simdjson::dom::element element, std::vector<T> &value)
    {
        simdjson::dom::array array;
        if (element.get(array) != simdjson::SUCCESS)
            return "a list";
        value.clear();
        for (const auto item : array) {
            if (const char *wanted = read(item, value.emplace_back()))
                return wanted;
        }
        return nullptr;
    }
    const char *read(simdjson::dom::element element, std::map<std::string, std::string> &value);
    const char *read(simdjson::dom::element element, OptionValues &value);
    template <typename E>
    requires kIsWord<E>
    const char *read(simdjson::dom::element element, E &value)
    {
        std::string word;
        if (const char *wanted = read(element, word))
            return wanted;
        for (const E candidate : valuesOf(E{})) {
            if (name(candidate) == word) {
                value = candidate;
                return nullptr;
            }
        }
        return "a word that this version knows";
    }

    simdjson::dom::object::iterator m_begin;
    simdjson::dom::object::iterator m_end;
    simdjson::dom::object::iterator m_next;
    std::string_view m_kind;
    std::optional<Text> m_problem;
};

} // namespace shardscope
