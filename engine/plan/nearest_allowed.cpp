// SPDX-License-Identifier: MIT
#include "engine/plan/experiment_options.h"
#include "engine/plan/option_limits.h"
#include "engine/plan/option_reading.h"
#include "engine/plan/option_uses.h"
#include "engine/plan/violation.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <ranges>
#include <set>
#include <utility>

namespace shardscope {
namespace {

/// So many values are tried below and above: more than there are ranks to divide by.
constexpr std::int64_t kTried = 512;

/// What follows from other options where it is not given, in the order in which it does.
constexpr std::array<std::string_view, 5> kFollowers{"ffn", "heads", "kv-heads", "layers", "cache"};

std::optional<MeshAxis> axisCalled(std::string_view option)
{
    const auto found = std::ranges::find_if(kMeshAxes, [&](MeshAxis axis) { return axisName(axis) == option; });
    return found == kMeshAxes.end() ? std::nullopt : std::optional(*found);
}

/// `e` with the option at `value`; nothing where the option does not take it.
std::optional<Experiment> withValue(Experiment e, std::string_view option, const std::string &value)
{
    if (const auto axis = axisCalled(option)) {
        e.mesh.setExtent(*axis, std::stoi(value));
        return e.ranks() <= kMostRanks ? std::optional(e) : std::nullopt;
    }
    return findOption(option)->set(e, value) ? std::nullopt : std::optional(e);
}

/// What was not given follows the option that has changed.
void follow(Experiment &e, std::string_view changed, const GivenOptions &given)
{
    for (const std::string_view follower : kFollowers) {
        if (follower != changed && !given.contains(follower))
            findOption(follower)->set(e, findOption(follower)->get(defaultsFor(e)));
    }
}

/// An option at a value, as it is typed.
struct Setting {
    std::string option; ///< "--heads"
    std::string value;
};
using Settings = std::vector<Setting>;

/// "--heads 8 or 20, or --ranks 2".
std::string sentenceOf(const Settings &settings)
{
    std::string text;
    for (std::size_t i = 0; i < settings.size(); ++i) {
        const bool same = i > 0 && settings[i].option == settings[i - 1].option;
        text += (i == 0 ? "" : same ? " or " : ", or ") + (same ? "" : settings[i].option + " ") + settings[i].value;
    }
    return text;
}

/// Which answers count: that nothing is left to mend, or that only later rules are.
enum class Wanted { Valid, Better };

class Search
{
public:
    Search(const Experiment &e, const GivenOptions &given, std::size_t rule, Wanted wanted)
        : m_before(e), m_given(given), m_rule(rule), m_wanted(wanted)
    {
    }

    [[nodiscard]] bool allows(const Experiment &e) const
    {
        const auto found = firstViolation(e);
        return !found || (m_wanted == Wanted::Better && found->rule > m_rule);
    }

    /// What is to be typed for that value of the option, if it is allowed.
    [[nodiscard]] std::optional<Setting> tried(std::string_view option, const std::string &value) const
    {
        auto changed = withValue(m_before, option, value);
        if (!changed)
            return std::nullopt;
        follow(*changed, option, m_given);
        if (!allows(*changed))
            return std::nullopt;
        if (!axisCalled(option))
            return Setting{"--" + std::string(option), value};
        // --ranks says it all where only the scheme's own axis is used.
        const bool ownAxisOnly = changed->mesh == meshAlong(ownAxis(changed->scheme), changed->ranks());
        return ownAxisOnly ? Setting{"--ranks", std::to_string(changed->ranks())}
                           : Setting{"--mesh", findOption("mesh")->get(*changed)};
    }

private:
    const Experiment &m_before;
    const GivenOptions &m_given;
    std::size_t m_rule;
    Wanted m_wanted;
};

std::vector<std::int64_t> divisorsOf(std::int64_t size)
{
    std::vector<std::int64_t> divisors;
    for (std::int64_t n = 1; n * n <= size; ++n) {
        if (size % n == 0) {
            divisors.push_back(n);
            if (n * n != size)
                divisors.push_back(size / n);
        }
    }
    std::ranges::sort(divisors);
    return divisors;
}

std::int64_t valueOf(const Experiment &e, std::string_view option)
{
    if (const auto axis = axisCalled(option))
        return e.extent(*axis);
    return std::stoll(findOption(option)->get(e));
}

/// The numbers worth trying, ascending.
std::vector<std::int64_t> numbersFor(const Experiment &e, std::string_view option)
{
    if (option == "heads")
        return divisorsOf(e.hidden);
    if (option == "kv-heads")
        return divisorsOf(e.heads);
    const std::int64_t unit = option == "hidden" && option_uses::attention(e) ? e.heads : 1;
    const std::int64_t middle = valueOf(e, option) / unit;
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = std::max<std::int64_t>(1, middle - kTried); i <= middle + kTried; ++i)
        numbers.push_back(i * unit);
    return numbers;
}

/// The nearest below and the nearest above.
Settings nearestNumbers(const Search &search, const Experiment &e, std::string_view option)
{
    const std::vector<std::int64_t> numbers = numbersFor(e, option);
    const std::int64_t now = valueOf(e, option);
    Settings found;
    const auto first = [&](auto &&range) {
        for (const std::int64_t number : range) {
            if (auto setting = search.tried(option, std::to_string(number))) {
                found.push_back(std::move(*setting));
                return;
            }
        }
    };
    const auto below = std::ranges::lower_bound(numbers, now);
    const auto above = std::ranges::upper_bound(numbers, now);
    first(std::ranges::subrange(numbers.begin(), below) | std::views::reverse);
    first(std::ranges::subrange(above, numbers.end()));
    return found;
}

/// All words that the option may have instead.
Settings allowedWords(const Search &search, const Experiment &e, const ExperimentOption &option)
{
    Settings found;
    for (const std::string &value : option.values) {
        auto setting = value == option.get(e) ? std::nullopt : search.tried(option.name, value);
        if (setting)
            found.push_back(std::move(*setting));
    }
    return found;
}

/// A mesh of the scheme's own axis alone, with as many ranks or nearly as many.
Settings meshesOfOwnAxis(const Search &search, const Experiment &e)
{
    Settings found;
    for (int off = 0; off < kMostRanks && found.empty(); ++off) {
        for (const int ranks : std::set{e.ranks() - off, e.ranks() + off}) {
            Experiment alone = e;
            alone.mesh = meshAlong(ownAxis(e.scheme), ranks);
            auto setting = ranks < 1 ? std::nullopt : search.tried("mesh", findOption("mesh")->get(alone));
            if (setting)
                found.push_back(std::move(*setting));
        }
    }
    return found;
}

/// Where no single option mends it: all sizes as they are by default, those that differ, in one.
Settings defaultSizes(const Search &search, const Experiment &e)
{
    Experiment defaults;
    defaults.scheme = e.scheme;
    defaults.layer = e.layer;
    defaults = defaultsFor(defaultsFor(defaults)); // the mesh of the scheme, and then what follows from it
    Experiment changed = e;
    Settings found;
    for (const std::string_view option :
         {"ranks", "hidden", "ffn", "heads", "kv-heads", "vocabulary", "layers", "sequence"}) {
        const ExperimentOption &each = *findOption(option);
        if (!each.applies(e) || each.get(e) == each.get(defaults))
            continue;
        each.set(changed, each.get(defaults));
        if (found.empty())
            found.push_back({"--" + std::string(option), each.get(defaults)});
        else
            found.back().value += " --" + std::string(option) + " " + each.get(defaults);
    }
    return search.allows(changed) ? found : Settings{};
}

bool takesWords(std::string_view option)
{
    return findOption(option) != nullptr && !findOption(option)->values.empty();
}

Settings allowedBy(const Search &search, const Experiment &e, const Violation &violation)
{
    Settings all;
    for (const std::string_view option : violation.mendedBy) {
        Settings found;
        if (option == "mesh")
            found = meshesOfOwnAxis(search, e);
        else if (takesWords(option))
            found = allowedWords(search, e, *findOption(option));
        else
            found = nearestNumbers(search, e, option);
        std::ranges::move(found, std::back_inserter(all));
    }
    return all;
}

} // namespace

std::string nearestAllowed(const Experiment &e, const FirstViolation &found, const GivenOptions &given)
{
    const auto &mendedBy = found.violation.mendedBy;
    for (const Wanted wanted : {Wanted::Valid, Wanted::Better}) {
        const Search search(e, given, found.rule, wanted);
        Settings allowed = allowedBy(search, e, found.violation);
        if (!allowed.empty() && mendedBy.size() == 1 && takesWords(mendedBy.front())) {
            std::vector<std::string> words;
            std::ranges::transform(allowed, std::back_inserter(words), &Setting::value);
            return listText(words);
        }
        if (allowed.empty())
            allowed = defaultSizes(search, e);
        if (!allowed.empty())
            return sentenceOf(allowed);
    }
    return "--scheme " + std::string(name(Experiment{}.scheme));
}

std::string agreeingMeshes(const Experiment &e, int ranks, const GivenOptions &given)
{
    Settings allowed;
    const Setting asMesh{"--ranks", std::to_string(e.ranks())};
    if (!firstViolation(e))
        allowed.push_back(asMesh);
    std::set<std::string> meshes;
    for (const MeshAxis axis : kMeshAxes) {
        Experiment changed = e;
        const int others = e.ranks() / e.extent(axis);
        changed.mesh.setExtent(axis, ranks / others);
        follow(changed, "mesh", given);
        const std::string mesh = findOption("mesh")->get(changed);
        if (ranks % others == 0 && !firstViolation(changed) && meshes.insert(mesh).second)
            allowed.push_back({"--mesh", mesh});
    }
    // Whichever it is, something else is to be mended, too.
    return sentenceOf(allowed.empty() ? Settings{asMesh} : allowed);
}

} // namespace shardscope
