// SPDX-License-Identifier: MIT
#include "engine/plan/text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace shardscope {
namespace {

struct Entry {
    TextId id;
    std::string_view name;
    std::string_view english;
};

constexpr std::array kEntries{
#define SHARDSCOPE_TEXT(id, english) Entry{TextId::id, #id, english},
#include "engine/plan/texts/all.def"
#undef SHARDSCOPE_TEXT
};

/// What stands in braces: "{1}", "{1#rank|ranks}", "{1:a}".
struct Placeholder {
    std::size_t length = 0; ///< 0: it is none
    std::size_t index = 0;
    std::string_view how; ///< what stands behind the number

    [[nodiscard]] std::string with(const std::string &argument) const
    {
        if (how.empty())
            return argument;
        if (how.front() == ':')
            return withArticle(argument);
        // What is no whole number, "1.5", takes the form of many.
        const bool whole = argument.find_first_not_of("0123456789") == std::string::npos && argument.size() < 18;
        return std::string(pluralForm(how.substr(1), whole && !argument.empty() ? std::stoll(argument) : 5));
    }
};

Placeholder placeholderAt(std::string_view pattern, std::size_t begin)
{
    const std::size_t end = pattern.find('}', begin);
    const std::size_t how = std::min(pattern.find_first_not_of("0123456789", begin + 1), pattern.size());
    if (end == std::string_view::npos || how == begin + 1 || how > begin + 3)
        return {};
    Placeholder found{end + 1 - begin, 0, pattern.substr(how, end - how)};
    for (std::size_t i = begin + 1; i < how; ++i)
        found.index = found.index * 10 + static_cast<std::size_t>(pattern[i] - '0');
    const bool known = found.how.empty() || found.how == ":a" || found.how.front() == '#';
    return known ? found : Placeholder{};
}

} // namespace

std::string_view textName(TextId id)
{
    return kEntries[static_cast<std::size_t>(id)].name;
}

bool textIdFromName(std::string_view name, TextId &id)
{
    for (const Entry &entry : kEntries) {
        if (entry.name == name) {
            id = entry.id;
            return true;
        }
    }
    return false;
}

std::string_view englishTemplate(TextId id)
{
    return kEntries[static_cast<std::size_t>(id)].english;
}

const std::vector<TextId> &allTextIds()
{
    static const std::vector<TextId> ids = [] {
        std::vector<TextId> all;
        for (const Entry &entry : kEntries)
            all.push_back(entry.id);
        return all;
    }();
    return ids;
}

std::string_view pluralForm(std::string_view forms, std::int64_t count)
{
    const std::size_t first = forms.find('|');
    if (first == std::string_view::npos)
        return forms;
    const std::size_t second = forms.find('|', first + 1);
    const std::string_view one = forms.substr(0, first);
    if (second == std::string_view::npos)
        return count == 1 ? one : forms.substr(first + 1);
    const std::int64_t ten = count % 10;
    const bool teen = count % 100 > 10 && count % 100 < 20;
    if (ten == 1 && !teen)
        return one;
    const bool few = ten > 1 && ten < 5 && !teen;
    return few ? forms.substr(first + 1, second - first - 1) : forms.substr(second + 1);
}

std::string counted(std::int64_t count, std::string_view forms)
{
    return std::to_string(count) + ' ' + std::string(pluralForm(forms, count));
}

std::string withArticle(std::string_view word)
{
    const bool vowel = !word.empty() && std::string_view("aeioAEIO").find(word.front()) != std::string_view::npos;
    return (vowel ? "an " : "a ") + std::string(word);
}

std::string fillPlaceholders(std::string_view pattern, const std::vector<std::string> &args)
{
    std::string filled;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const Placeholder found = pattern[i] == '{' ? placeholderAt(pattern, i) : Placeholder{};
        if (found.length > 0 && found.index < args.size()) {
            filled += found.with(args[found.index]);
            i += found.length - 1;
        } else {
            filled += pattern[i];
        }
    }
    return filled;
}

std::string english(const Text &text)
{
    return fillPlaceholders(englishTemplate(text.id), text.args);
}

void addToList(std::string &list, std::string_view word)
{
    if (!list.empty())
        list += ", ";
    list += word;
}

std::string commaList(const std::vector<std::string> &words)
{
    std::string list;
    for (const std::string &word : words)
        addToList(list, word);
    return list;
}

} // namespace shardscope
