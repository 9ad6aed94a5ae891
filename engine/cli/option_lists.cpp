// SPDX-License-Identifier: MIT
#include "engine/cli/option_lists.h"

#include "engine/cli/advised_reading.h"

#include <algorithm>

namespace shardscope::cli {
namespace {

char separatorOf(const std::string &option)
{
    return option == "mesh" ? ';' : ',';
}

} // namespace

std::vector<std::string> splitList(const std::string &option, const std::string &list)
{
    std::vector<std::string> items;
    std::size_t begin = 0;
    while (begin <= list.size()) {
        const std::size_t end = std::min(list.find(separatorOf(option), begin), list.size());
        items.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    for (const std::string &item : items) {
        if (item.empty())
            throw badArgument("--" + option + ' ' + list + ": an empty value; a list is written " +
                              (option == "mesh"      ? "'tp=1;tp=2'"
                               : option == "schemes" ? "mlp,zero3"
                                                     : "1,2,4"));
        if (std::ranges::count(items, item) > 1)
            throw badArgument("--" + option + ' ' + list + ": " + item + " stands there twice; each value once");
    }
    return items;
}

std::string joinList(const std::string &option, const std::vector<std::string> &values)
{
    std::string list;
    for (const std::string &value : values)
        list += (list.empty() ? std::string() : std::string(1, separatorOf(option))) + value;
    return list;
}

void refuseUnused(const OptionValues &given, const std::vector<Experiment> &points, OptionValues first)
{
    const auto usedBy = [](const auto &entry, const Experiment &point) {
        return findOption(entry.first)->applies(point);
    };
    const auto unused = std::ranges::find_if(given, [&](const auto &entry) {
        return std::ranges::none_of(points, [&](const Experiment &point) { return usedBy(entry, point); });
    });
    if (unused == given.end())
        return;
    // What only other points use is no fault of the first, and must not be named in its place.
    std::erase_if(first,
                  [&](const auto &entry) { return entry.first != unused->first && !usedBy(entry, points.front()); });
    (void)readOrRefuse(first, Unused::Refuse);
}

} // namespace shardscope::cli
