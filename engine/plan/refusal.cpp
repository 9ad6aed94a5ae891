// SPDX-License-Identifier: MIT
#include "engine/plan/refusal.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace shardscope {
namespace {

/// Options that must change together are no good advice beyond so many.
constexpr std::size_t kMostTogether = 4;
/// So many combinations are offered.
constexpr std::size_t kMostCombinations = 2;

/// `changes` and then `more`, each option once.
Changes joined(Changes changes, const Changes &more)
{
    for (const Change &change : more) {
        std::erase_if(changes, [&](const Change &each) { return each.option == change.option; });
        changes.push_back(change);
    }
    return changes;
}

/// "--heads" of "--heads 8: ...": what a refusal is about.
std::string_view subjectOf(const Refusal &refusal)
{
    const std::string_view text = englishTemplate(refusal.text.id);
    const bool named = text.starts_with("--{0} ") && !refusal.text.args.empty();
    return named ? std::string_view(refusal.text.args.front()) : text.substr(0, text.find(' '));
}

/// "1001" of "--ffn 1001: ...".
std::string valueOf(const Refusal &refusal)
{
    const std::string text = english(refusal.text);
    const std::size_t begin = std::min(text.find(' '), text.size() - 1) + 1;
    return text.substr(begin, text.find(':') - begin);
}

/// Whether the value stands in a list that may hold others.
bool isAmong(const std::string &value, const OptionValues &given, std::string_view option)
{
    const auto list = given.find(option);
    if (list == given.end())
        return false;
    const std::string whole = ',' + list->second + ',';
    return whole.find(',' + value + ',') != std::string::npos;
}

class Search
{
public:
    Search(const OptionValues &given, const Reader &reader, int readings)
        : m_given(given), m_reader(reader), m_left(readings)
    {
    }

    /// What mends it alone.
    [[nodiscard]] std::vector<Changes> singles(const Refusal &refusal)
    {
        std::vector<Changes> found;
        for (const Row &row : refusal.rows()) {
            auto accepted = single(row, refusal);
            if (accepted && std::ranges::find(found, *accepted) == found.end())
                found.push_back(std::move(*accepted));
        }
        return found;
    }

    /// What mends it together with what mends the refusals that follow; the command line has `before` already.
    [[nodiscard]] std::vector<Changes> combinations(const Refusal &refusal, const Changes &before = {})
    {
        std::vector<Changes> found;
        for (const Row &row : refusal.rows()) {
            if (found.size() == kMostCombinations || (!before.empty() && !found.empty()))
                break;
            auto whole = combination(row, refusal, before);
            if (whole && std::ranges::find(found, *whole) == found.end())
                found.push_back(std::move(*whole));
        }
        return found;
    }

    /// When nothing near is accepted: the fewest options left out, from the back.
    [[nodiscard]] std::vector<Changes> leftOut()
    {
        m_left = static_cast<int>(m_given.size());
        Changes changes;
        for (const auto &[option, value] : m_given) {
            changes.push_back({option, std::nullopt});
            if (!read(changes))
                return {changes};
        }
        return {};
    }

private:
    [[nodiscard]] std::optional<Changes> single(const Row &row, const Refusal &refusal)
    {
        constexpr int kMostOthers = 24; // where something else is wrong, further numbers seldom mend that as well
        int others = 0;
        for (const Changes &each : row) {
            const auto next = read(each);
            if (!next)
                return each;
            if (!isSame(*next, refusal) && ++others == kMostOthers)
                break;
        }
        return std::nullopt;
    }

    /// Whether `next` says again what `refusal` said, of a value that was only tried; of another one that was given it
    /// is another refusal.
    [[nodiscard]] bool isSame(const Refusal &next, const Refusal &refusal) const
    {
        const std::string_view subject = subjectOf(next);
        if (next.text.id != refusal.text.id || subject != subjectOf(refusal))
            return false;
        const std::string value = valueOf(next);
        return value == valueOf(refusal) || !isAmong(value, m_given, subject.substr(subject.starts_with("--") ? 2 : 0));
    }

    /// Without what a later change has made superfluous, in the order of --help.
    [[nodiscard]] Changes needed(Changes all)
    {
        std::ranges::sort(all, {}, [](const Change &change) { return findOption(change.option); });
        for (std::size_t i = 0; i < all.size() && all.size() > 1;) {
            Changes fewer = all;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            if (read(fewer))
                ++i;
            else
                all = std::move(fewer);
        }
        return all;
    }

    [[nodiscard]] std::optional<Changes> combination(const Row &row, const Refusal &refusal, const Changes &before)
    {
        for (const Changes &each : row) {
            Changes all = joined(before, each);
            const auto next = read(all);
            if (!next)
                return needed(std::move(all));
            if (m_left == 0)
                return std::nullopt;
            if (!next->rows || isSame(*next, refusal))
                continue;
            // One that takes an earlier change back would lead round in a circle.
            if (all.size() >= kMostTogether || all.size() <= before.size())
                return std::nullopt;
            const auto rest = combinations(*next, all);
            return rest.empty() ? std::nullopt : std::optional(rest.front());
        }
        return std::nullopt;
    }

    [[nodiscard]] std::optional<Refusal> read(const Changes &changes)
    {
        if (m_left == 0)
            return Refusal{};
        --m_left;
        return m_reader(changedBy(m_given, changes));
    }

    const OptionValues &m_given;
    const Reader &m_reader;
    int m_left;
};

/// As a shell takes it.
std::string quoted(const std::string &value)
{
    return value.find(';') == std::string::npos ? value : '\'' + value + '\'';
}

std::string textOf(const Changes &changes)
{
    std::string text;
    std::string without;
    for (const Change &change : changes) {
        if (change.value)
            text += (text.empty() ? "--" : " --") + change.option + ' ' + quoted(*change.value);
        else
            without += (without.empty() ? "without --" : " --") + change.option;
    }
    return text + (text.empty() || without.empty() ? "" : " ") + without;
}

/// "--heads 8, 10 or 20, or --ranks 2, or --ranks 4 --kv-heads 2, or without --zero".
std::string sentenceOf(const std::vector<Changes> &all)
{
    const auto isValue = [](const Changes &each) { return each.size() == 1 && each.front().value; };
    // Whether the i-th is one more value of the option before it.
    const auto goesOn = [&](std::size_t i) {
        return i > 0 && i < all.size() && isValue(all[i]) && isValue(all[i - 1]) &&
               all[i].front().option == all[i - 1].front().option;
    };
    // As a mesh has, "tp=2,dp=4", of which a list would be hard to read.
    const auto hasComma = [](const Changes &each) { return each.front().value->find(',') != std::string::npos; };
    std::string text;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (goesOn(i))
            text += (goesOn(i + 1) && !hasComma(all[i]) ? ", " : " or ") + quoted(*all[i].front().value);
        else
            text += (i == 0 ? "" : ", or ") + textOf(all[i]);
    }
    return text;
}

} // namespace

OptionValues changedBy(OptionValues given, const Changes &changes)
{
    for (const Change &change : changes) {
        if (change.value)
            given[change.option] = *change.value;
        else
            given.erase(change.option);
    }
    return given;
}

Text advised(const Refusal &refusal, const OptionValues &given, const Reader &reader, int readings)
{
    Text text = refusal.text;
    if (!refusal.rows)
        return text;
    Search search(given, reader, readings);
    std::vector<Changes> allowed = search.singles(refusal);
    if (allowed.empty())
        allowed = search.combinations(refusal);
    if (allowed.empty())
        allowed = search.leftOut();
    text.args.push_back(allowed.empty() ? "nothing near it" : sentenceOf(allowed));
    return text;
}

} // namespace shardscope
