// SPDX-License-Identifier: MIT
#include "engine/plan/text.h"

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

std::string fillPlaceholders(std::string_view pattern, const std::vector<std::string> &args)
{
    std::string filled;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const bool placeholder = pattern[i] == '{' && i + 2 < pattern.size() && pattern[i + 2] == '}';
        const auto index = placeholder ? static_cast<std::size_t>(pattern[i + 1] - '0') : args.size();
        if (index < args.size()) {
            filled += args[index];
            i += 2;
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

} // namespace shardscope
