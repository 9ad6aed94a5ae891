// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/layout_parts.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

constexpr int kMostShared = 16; ///< ranks; beyond it all ranks share one card, which shows no double outline

struct Entry {
    Swatch swatch;
    QString text;
};

/// Which looks the step's tensors have on the ranks that run it.
struct Looks {
    bool whole = false, shard = false, shared = false, replica = false, partial = false, slicePartial = false;
    bool gradient = false;
    int addends = 1;
};

Looks looksOf(const DiagramFrame &frame, const DiagramLayout &layout, const Step &step)
{
    const std::vector<int> ranks = allRanks(layout.ranks);
    const auto active = std::ranges::find_if(ranks, [&](int rank) { return takesPart(frame, layout, rank); });
    const int rank = active == ranks.end() ? 0 : *active;
    Looks looks;
    for (const auto *list : {&step.inputs, &step.outputs}) {
        for (const TensorId id : *list) {
            const MatrixView view = matrixView(*frame.plan, id, false, rank);
            const bool shard = view.look == MatrixView::Look::Shard;
            const bool partial = view.look == MatrixView::Look::Partial;
            const bool slice = view.held != QRectF(0, 0, 1, 1);
            looks.shard |= shard;
            looks.shared |= shard && view.shared && layout.ranks <= kMostShared;
            looks.replica |= view.look == MatrixView::Look::Replica;
            looks.partial |= partial && !slice;
            looks.slicePartial |= partial && slice;
            looks.whole |= view.look == MatrixView::Look::Whole;
            looks.gradient |= view.gradient;
            if (partial)
                looks.addends = view.addends;
        }
    }
    return looks;
}

/// Only what the picture shows: a legend of absent things teaches nothing.
std::vector<Entry> computeEntries(const DiagramFrame &frame, const DiagramLayout &layout, const Step &step)
{
    const Looks looks = looksOf(frame, layout, step);
    std::vector<Entry> entries;
    if (looks.whole)
        entries.push_back({Swatch::Whole, layout.ranks == 1 ? Words::tr("whole: one rank holds everything")
                                                            : Words::tr("whole, on this rank alone")});
    if (looks.shard) {
        entries.push_back({Swatch::Outline, Words::tr("dashed: the whole, on no single rank")});
        entries.push_back({Swatch::Shard, Words::tr("shard: this rank's slice")});
    }
    if (looks.shared)
        entries.push_back({Swatch::Shared, Words::tr("the same slice on several ranks")});
    if (looks.replica)
        entries.push_back({Swatch::Replica, Words::tr("replica: the same on every rank")});
    if (looks.partial)
        entries.push_back({Swatch::Partial, Words::tr("partial: a full-size addend, 1 of %1").arg(looks.addends)});
    else if (looks.slicePartial)
        entries.push_back({Swatch::Partial, Words::tr("partial: an addend of the slice, 1 of %1").arg(looks.addends)});
    if (layout.ranks > 8 && (looks.shard || looks.partial || looks.slicePartial))
        entries.push_back({Swatch::Ramp, Words::tr("%1 … %2").arg(rankName(*frame.plan, 0),
                                                                  rankName(*frame.plan, layout.ranks - 1))});
    if (looks.gradient)
        entries.push_back({Swatch::Gradient, Words::tr("other lightness: gradient")});
    return entries;
}

std::vector<Entry> collectiveEntries(const CollectiveScene &c)
{
    const bool maximum = c.reduce == ReduceOp::Max;
    std::vector<Entry> entries;
    if (c.handsOn())
        entries.push_back({Swatch::Piece, Words::tr("from the rank with that colour")});
    else if (c.gathers())
        entries.push_back({Swatch::Piece, Words::tr("piece of the rank with that colour")});
    else
        entries.push_back({Swatch::Slot, maximum ? Words::tr("stripe j: rank j's numbers are compared")
                                                 : Words::tr("stripe j: rank j's addend is inside")});
    entries.push_back({Swatch::Sending, Words::tr("being sent")});
    if (!c.transfers().front().accumulate)
        entries.push_back({Swatch::ReceivingKeep, Words::tr("what arrives is kept")});
    else
        entries.push_back(
            {Swatch::ReceivingAdd, maximum ? Words::tr("the larger is kept") : Words::tr("what arrives is added")});
    const QString complete = maximum ? Words::tr("the maximum of all") : Words::tr("complete sum");
    entries.push_back({Swatch::Complete, c.gathers() ? Words::tr("arrived") : complete});
    return entries;
}

/// How links are drawn, where there are several hosts.
void addHostEntries(std::vector<Entry> &entries, const DiagramLayout &layout)
{
    bool inside = false;
    bool between = false;
    for (const std::vector<int> &group : layout.collective->groups) {
        for (const Transfer &transfer : layout.collective->transfers()) {
            const bool apart = layout.areApart(group[static_cast<std::size_t>(transfer.from)],
                                               group[static_cast<std::size_t>(transfer.to)]);
            inside |= !apart;
            between |= apart;
        }
    }
    if (inside)
        entries.push_back({Swatch::InsideHost, Words::tr("inside a host")});
    if (between)
        entries.push_back({Swatch::BetweenHosts, Words::tr("between hosts")});
}

std::vector<Entry> entriesOf(const DiagramLayout &layout, const DiagramFrame &frame)
{
    if (layout.collective) {
        std::vector<Entry> entries = collectiveEntries(*layout.collective);
        if (!layout.hosts.empty())
            addHostEntries(entries, layout);
        return entries;
    }
    return computeEntries(frame, layout, frame.plan->steps[static_cast<std::size_t>(layout.scene.step)]);
}

} // namespace

double layoutLegend(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &room)
{
    const Metrics &m = layout.metrics;
    const double pixels = std::round(m.small);
    const double lineHeight = std::round(m.small * 1.75);
    const QSizeF swatch(lineHeight * 1.15, lineHeight * 0.66);
    const double gap = 6 * m.u;
    const std::size_t firstText = layout.texts.size();
    const std::size_t firstSwatch = layout.swatches.size();
    double x = room.x();
    double y = room.y();
    for (const Entry &entry : entriesOf(layout, frame)) {
        const double words = textSize(entry.text, pixels, 400).width() + 2;
        const double width = swatch.width() + gap + words;
        if (x > room.x() && x + width > room.right()) {
            x = room.x();
            y += lineHeight;
        }
        QRectF box(QPointF(x, 0), swatch);
        box.moveCenter({box.center().x(), y + lineHeight / 2});
        layout.swatches.push_back({box, entry.swatch});
        const TextBox text{
            {x + swatch.width() + gap, y, std::min(words, room.right() - x - swatch.width() - gap), lineHeight},
            entry.text,
            pixels,
            400,
            frame.theme->text2};
        layout.texts.push_back(fitted(text, 7 * m.u));
        x += width + 20 * m.u;
    }
    const double used = y + lineHeight - room.y();
    const double shift = room.bottom() - used - room.y();
    for (std::size_t i = firstText; i < layout.texts.size(); ++i)
        layout.texts[i].box.translate(0, shift);
    for (std::size_t i = firstSwatch; i < layout.swatches.size(); ++i)
        layout.swatches[i].box.translate(0, shift);
    return used + 4 * m.u;
}

} // namespace shardscope
