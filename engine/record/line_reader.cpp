// SPDX-License-Identifier: MIT
#include "engine/record/line_reader.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace shardscope {
namespace {

constexpr const char *kWholeNumber = "a whole number in range";
constexpr const char *kTextWanted = "a text {\"id\", \"args\"}";

/// An option's value as text, whatever JSON type a foreign writer chose: 4096, true, "on".
std::optional<std::string> optionText(simdjson::dom::element element)
{
    if (std::string_view text; element.get(text) == simdjson::SUCCESS)
        return std::string(text);
    if (bool on = false; element.get(on) == simdjson::SUCCESS)
        return on ? "on" : "off";
    if (element.is_number())
        return simdjson::minify(element);
    return std::nullopt;
}

template <typename T, typename Read>
const char *readArray(simdjson::dom::element element, std::vector<T> &values, const char *wanted, Read readItem)
{
    simdjson::dom::array array;
    if (element.get(array) != simdjson::SUCCESS)
        return wanted;
    values.clear();
    for (const simdjson::dom::element item : array) {
        if (readItem(item, values.emplace_back()))
            return wanted;
    }
    return nullptr;
}

} // namespace

Text textFromStream(std::string_view id, std::vector<std::string> args)
{
    Text text;
    if (textIdFromName(id, text.id)) {
        text.args = std::move(args);
        return text;
    }
    std::string said;
    for (const std::string &arg : args)
        addToList(said, arg);
    return {TextId::TextUnknown, {std::string(id), said}};
}

std::optional<simdjson::dom::element> LineReader::find(std::string_view name)
{
    for (auto field = m_next; field != m_end; ++field) {
        if (field.key_equals(name)) {
            m_next = field;
            ++m_next;
            return field.value();
        }
    }
    for (auto field = m_begin; field != m_next; ++field) {
        if (field.key_equals(name))
            return field.value();
    }
    return std::nullopt;
}

const char *LineReader::read(simdjson::dom::element element, bool &value)
{
    return element.get(value) == simdjson::SUCCESS ? nullptr : "true or false";
}

const char *LineReader::read(simdjson::dom::element element, int &value)
{
    std::int64_t wide = 0;
    if (element.get(wide) != simdjson::SUCCESS || wide < std::numeric_limits<int>::min() ||
        wide > std::numeric_limits<int>::max())
        return kWholeNumber;
    value = static_cast<int>(wide);
    return nullptr;
}

const char *LineReader::read(simdjson::dom::element element, std::int64_t &value)
{
    return element.get(value) == simdjson::SUCCESS ? nullptr : kWholeNumber;
}

const char *LineReader::read(simdjson::dom::element element, double &value)
{
    return element.get(value) == simdjson::SUCCESS ? nullptr : "a number";
}

const char *LineReader::read(simdjson::dom::element element, std::string &value)
{
    std::string_view text;
    if (element.get(text) != simdjson::SUCCESS)
        return "a text in quotes";
    value.assign(text);
    return nullptr;
}

const char *LineReader::read(simdjson::dom::element element, Text &value)
{
    simdjson::dom::object object;
    std::string_view id;
    std::vector<std::string> args;
    if (element.get(object) != simdjson::SUCCESS || object["id"].get(id) != simdjson::SUCCESS)
        return kTextWanted;
    if (simdjson::dom::element list; object["args"].get(list) == simdjson::SUCCESS && read(list, args))
        return kTextWanted;
    value = textFromStream(id, std::move(args));
    return nullptr;
}

const char *LineReader::read(simdjson::dom::element element, std::vector<std::string> &value)
{
    return readArray(element, value, "a list of texts",
                     [this](auto item, std::string &text) { return read(item, text); });
}

const char *LineReader::read(simdjson::dom::element element, std::vector<std::int64_t> &value)
{
    return readArray(element, value, "a list of whole numbers",
                     [this](auto item, std::int64_t &number) { return read(item, number); });
}

const char *LineReader::read(simdjson::dom::element element, std::vector<int> &value)
{
    return readArray(element, value, "a list of whole numbers",
                     [this](auto item, int &number) { return read(item, number); });
}

const char *LineReader::read(simdjson::dom::element element, std::map<std::string, std::string> &value)
{
    simdjson::dom::object object;
    if (element.get(object) != simdjson::SUCCESS)
        return "an object of texts";
    value.clear();
    for (const auto field : object) {
        if (const char *wanted = read(field.value, value[std::string(field.key)]))
            return wanted;
    }
    return nullptr;
}

const char *LineReader::read(simdjson::dom::element element, OptionValues &value)
{
    constexpr const char *kWanted = "an object of option values";
    simdjson::dom::object object;
    if (element.get(object) != simdjson::SUCCESS)
        return kWanted;
    value.clear();
    for (const auto field : object) {
        if (field.value.is_null())
            continue; // "delay": null, as the RUN document says that there is none
        const auto text = optionText(field.value);
        if (!text)
            return kWanted;
        std::string name(field.key);
        std::replace(name.begin(), name.end(), '_', '-');
        value[name] = *text;
    }
    return nullptr;
}

} // namespace shardscope
