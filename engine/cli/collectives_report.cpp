// SPDX-License-Identifier: MIT
#include "engine/cli/collectives_report.h"

#include "engine/cli/text_table.h"
#include "engine/cli/units.h"
#include "engine/record/collective_kinds.h"
#include "engine/record/hiding.h"
#include "engine/record/traffic_matrix.h"

#include <algorithm>
#include <set>

namespace shardscope::cli {
namespace {

/// Above this a table of all pairs is wider than a terminal.
constexpr int kMostRanksInMatrix = 8;

std::string readable(std::string_view op)
{
    std::string text(op);
    std::ranges::replace(text, '_', '-');
    return text;
}

std::string countText(const Plan &plan, const CollectiveKind &kind)
{
    const int count = countPerRank(plan, kind, &CollectiveSummary::count);
    const int planned = countPerRank(plan, kind, &CollectiveSummary::plannedCount);
    return count == planned ? std::to_string(count) : std::to_string(count) + " of " + std::to_string(planned);
}

/// Of those that have the value.
template <typename Get>
std::optional<double> mean(const CollectiveKind &kind, Get get)
{
    double sum = 0;
    int count = 0;
    for (const CollectiveSummary *c : kind) {
        if (const std::optional<double> value = get(*c)) {
            sum += *value;
            ++count;
        }
    }
    return count > 0 ? std::optional(sum / count) : std::nullopt;
}

/// A verdict compares with a baseline, which only ranks can give.
std::string verdictText(const Run &run, const CollectiveKind &kind)
{
    if (!run.hardware.empty())
        return "-";
    const Verdict first = kind.front()->verdict;
    const bool agree = std::ranges::all_of(kind, [&](const CollectiveSummary *c) { return c->verdict == first; });
    return std::string(agree ? name(first) : name(Verdict::Mixed));
}

/// "tp", "tp x2": of the replicas among its ranks only.
std::string axisText(const CollectiveSummary &c, const Mesh &mesh)
{
    const std::string axis(axisName(c.axis));
    const bool message = c.op == name(CollectiveOp::SendRecv);
    return c.groupSize == mesh.extent(c.axis) || message ? axis : axis + ", " + counted(c.groupSize, "rank|ranks");
}

std::string notes(const Run &run, const std::vector<CollectiveKind> &kinds, const Console &console)
{
    std::string text;
    if (std::ranges::any_of(kinds, [](const CollectiveKind &kind) { return kind.size() > 1; }))
        text = "lines of several: count is of the rank with the most, bytes and times are of one, on average. ";
    if (!run.isPrediction())
        text +=
            "median: the slowest rank; transfer: the fastest rank, for which nobody was late; wait: of the rank that "
            "waited longest (medians each for itself, so they need not add up). verdict: what costs the time; a wait "
            "counts only beyond a tenth of the transfer and beyond the waits of a baseline, the same collective with "
            "all ranks released together, so it may differ from what the columns suggest; inconclusive: fewer than " +
            counted(kVerdictSamples, "sample|samples") + " of it or of the baseline";
    return text.empty() ? "" : "  " + console.dim(console.wrapped(text, 2)) + '\n';
}

} // namespace

std::string collectivesTable(const Run &run, const RunSummary &summary, const Console &console)
{
    if (summary.collectives.empty())
        return "  none: nothing has to travel\n";
    const bool axes = severalAxes(summary.collectives);
    std::vector<TextTable::Column> columns{{.title = "pass"}, {.title = "collective"}, {.title = "of"}};
    if (axes)
        columns.push_back({.title = "axis"});
    for (TextTable::Column &column :
         std::vector<TextTable::Column>{{.title = "count", .right = true},
                                        {.title = "payload", .right = true},
                                        {.title = "sent/rank", .right = true},
                                        {.title = "wire", .importance = 1},
                                        {.title = "hops", .right = true, .importance = 2},
                                        {.title = "median", .right = true},
                                        {.title = "transfer", .right = true, .importance = 5},
                                        {.title = "wait", .right = true, .importance = 5},
                                        {.title = "algbw", .right = true, .importance = 3},
                                        {.title = "busbw", .right = true, .importance = 4},
                                        {.title = "verdict", .importance = 6}})
        columns.push_back(std::move(column));
    const bool told = std::ranges::any_of(
        summary.collectives, [](const CollectiveSummary &collective) { return !collective.algorithm.empty(); });
    if (told)
        columns.push_back({.title = "carried by", .importance = 3});
    TextTable table(std::move(columns));
    const std::vector<CollectiveKind> kinds = kindsOf(summary.collectives);
    for (const CollectiveKind &kind : kinds) {
        const CollectiveSummary &c = *kind.front();
        std::vector<std::string> cells{std::string(name(c.pass)), readable(c.op), tensorsOf(kind)};
        if (axes)
            cells.push_back(axisText(c, run.plan.mesh()));
        const auto median = mean(kind, [](const CollectiveSummary &one) {
            return one.duration ? std::optional(one.duration->median) : std::nullopt;
        });
        for (std::string &cell : std::vector<std::string>{
                 countText(run.plan, kind), bytesText(c.payloadBytes), bytesText(c.sentBytesPerRank), c.wireDtype,
                 c.hops > 0 ? std::to_string(c.hops) : "-", durationText(median),
                 durationText(mean(kind, [](const CollectiveSummary &one) { return one.transferNs; })),
                 durationText(mean(kind, [](const CollectiveSummary &one) { return one.waitNs; })),
                 bandwidthText(mean(kind, [](const CollectiveSummary &one) { return one.algbwGBs; })),
                 bandwidthText(mean(kind, [](const CollectiveSummary &one) { return one.busbwGBs; })),
                 verdictText(run, kind)})
            cells.push_back(std::move(cell));
        if (told)
            cells.push_back(c.algorithm.empty() ? "unknown" : c.algorithm + ", " + c.protocol);
        table.add(std::move(cells));
    }
    return table.text(console) + notes(run, kinds, console);
}

std::string collectiveReasons(const RunSummary &summary, const Console &console)
{
    std::string lines;
    std::set<std::string> said;
    for (const CollectiveKind &kind : kindsOf(summary.collectives)) {
        const CollectiveSummary &c = *kind.front();
        const std::string why = english(c.why);
        // The same sentence for every other layer or pass tells nothing new.
        if (!said.insert(readable(c.op) + withoutPlace(c.tensor) + withoutPlace(why)).second)
            continue;
        const std::string left = "  " + readable(c.op) + ' ' + tensorsOf(kind) + ": ";
        lines += left + console.wrapped(why, static_cast<int>(columnsOf(left))) + '\n';
    }
    return lines;
}

namespace {

/// "yes", "44 % of it", "no: Y + b2 needs it".
std::string hidingVerdict(const Plan &plan, const Hiding &hiding)
{
    if (hiding.possible())
        return "yes";
    if (hiding.computeNs > 0)
        return percentText(hiding.availableGBs / hiding.requiredGBs) + " of it";
    switch (hiding.whyNot) {
    case WhyNotHidden::NeededByStep:
        return "no: " + plan.steps[static_cast<std::size_t>(hiding.needs)].label + " needs it";
    case WhyNotHidden::NeededByNext:
        return "no: the next layer or the loss needs it";
    case WhyNotHidden::NothingBefore:
        return "no: nothing is computed before it";
    case WhyNotHidden::NextStep:
        return "no: only under the next step's forward";
    case WhyNotHidden::NothingLeft:
        break;
    }
    return "no: nothing is left to compute";
}

/// Of one kind its numbers and answer are those of the first that has compute beside it.
const Hiding &shownOf(const std::vector<const Hiding *> &kind)
{
    const auto any = std::ranges::find_if(kind, [](const Hiding *hiding) { return hiding->computeNs > 0; });
    return any == kind.end() ? *kind.front() : **any;
}

/// Of one kind: where layers differ, for how many the answer holds.
std::string hidingVerdict(const Plan &plan, const std::vector<const Hiding *> &kind)
{
    const bool possible = std::ranges::any_of(kind, &Hiding::possible);
    const auto same = std::ranges::count_if(
        kind, [&](const Hiding *hiding) { return possible ? hiding->possible() : hiding->computeNs > 0; });
    const bool some = same > 0 && same < static_cast<std::ptrdiff_t>(kind.size());
    return (possible ? "yes" : hidingVerdict(plan, shownOf(kind))) +
           (some ? ", " + std::to_string(same) + " of " + std::to_string(kind.size()) : "");
}

/// Two that could each be hidden under the same compute need both bandwidths at once.
bool shareCompute(const std::vector<Hiding> &all)
{
    std::set<int> taken;
    return std::ranges::any_of(all, [&](const Hiding &hiding) {
        return std::ranges::any_of(hiding.beside, [&](int step) { return !taken.insert(step).second; });
    });
}

} // namespace

std::string hidingTable(const Run &run, const RunSummary &summary, const Console &console)
{
    const std::vector<Hiding> all = hidings(run, summary);
    TextTable table({{.title = "pass"},
                     {.title = "collective"},
                     {.title = "of"},
                     {.title = "beside it"},
                     {.title = "computes for", .right = true},
                     {.title = "would need", .right = true},
                     {.title = "had", .right = true},
                     {.title = "could be hidden"}});
    for (const CollectiveKind &kind : kindsOf(summary.collectives)) {
        std::vector<const Hiding *> hiding;
        for (const CollectiveSummary *collective : kind) {
            const auto found = std::ranges::find(all, collective->step, &Hiding::step);
            if (found != all.end())
                hiding.push_back(&*found);
        }
        if (hiding.empty())
            continue;
        const Hiding &shown = shownOf(hiding);
        const bool any = shown.computeNs > 0;
        table.add({std::string(name(kind.front()->pass)), readable(kind.front()->op), tensorsOf(kind),
                   any ? besideText(run.plan, shown) : "nothing", durationText(shown.computeNs),
                   bandwidthText(any ? std::optional(shown.requiredGBs) : std::nullopt),
                   bandwidthText(shown.availableGBs), hidingVerdict(run.plan, hiding)});
    }
    if (table.empty())
        return "";
    const std::string note = "of several collectives beside the same compute each is held against all of it; to hide "
                             "them together takes the sum of what they need";
    return table.text(console) + (shareCompute(all) ? "  " + console.dim(console.wrapped(note, 2)) + '\n' : "");
}

std::string trafficTable(const Plan &plan, const Console &console)
{
    if (plan.mesh().size() > kMostRanksInMatrix)
        return "";
    const TrafficMatrix matrix = trafficMatrix(plan);
    if (matrix.total() == 0)
        return "";
    std::vector<TextTable::Column> columns{{.title = "from \\ to"}};
    for (int to = 0; to < matrix.ranks(); ++to)
        columns.push_back({.title = "rank " + std::to_string(to), .right = true});
    columns.push_back({.title = "sent", .right = true});
    TextTable table(std::move(columns));
    for (int from = 0; from < matrix.ranks(); ++from) {
        std::vector<std::string> cells{"rank " + std::to_string(from)};
        for (int to = 0; to < matrix.ranks(); ++to)
            cells.push_back(matrix.bytes(from, to) > 0 ? bytesText(matrix.bytes(from, to)) : "-");
        cells.push_back(bytesText(matrix.sentBy(from)));
        table.add(std::move(cells));
    }
    const CountedPaths paths = countedPaths(plan);
    if (!paths.asRing && !paths.asChain)
        return table.text(console);
    const std::string counted = !paths.asChain  ? "a ring"
                                : !paths.asRing ? "a chain"
                                                : "a ring, or as a chain to and from rank 0";
    return table.text(console) + "  " +
           console.dim(console.wrapped("the library's own paths are not known: counted as " + counted, 2)) + '\n';
}

} // namespace shardscope::cli
