// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/layout_parts.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

struct Entry {
    Swatch swatch;
    QString text;
};

/// Only what the picture shows: a legend of absent things teaches nothing.
std::vector<Entry> computeEntries(const DiagramFrame &frame, const Step &step)
{
    bool shard = false, replica = false, partial = false, gradient = false, whole = false;
    for (const auto *list : {&step.inputs, &step.outputs}) {
        for (const TensorId id : *list) {
            const MatrixView view = matrixView(*frame.plan, id, false, 0);
            shard |= view.look == MatrixView::Look::Shard;
            replica |= view.look == MatrixView::Look::Replica;
            partial |= view.look == MatrixView::Look::Partial;
            whole |= view.look == MatrixView::Look::Whole;
            gradient |= view.gradient;
        }
    }
    std::vector<Entry> entries;
    if (whole)
        entries.push_back({Swatch::Whole, Words::tr("whole: one rank holds everything")});
    if (shard) {
        entries.push_back({Swatch::Outline, Words::tr("dashed: the whole, on no single rank")});
        entries.push_back({Swatch::Shard, Words::tr("shard: this rank's slice")});
    }
    if (replica)
        entries.push_back({Swatch::Replica, Words::tr("replica: the same on every rank")});
    if (partial)
        entries.push_back(
            {Swatch::Partial,
             Words::tr("partial: a full-size addend, 1 of %1").arg(frame.plan->mesh().extent(MeshAxis::Tp))});
    const int ranks = frame.plan->mesh().extent(MeshAxis::Tp);
    if (ranks > 8 && (shard || partial))
        entries.push_back(
            {Swatch::Ramp, Words::tr("%1 … %2").arg(rankName(*frame.plan, 0), rankName(*frame.plan, ranks - 1))});
    if (gradient)
        entries.push_back({Swatch::Gradient, Words::tr("other lightness: gradient")});
    return entries;
}

std::vector<Entry> collectiveEntries(const CollectiveScene &c)
{
    std::vector<Entry> entries;
    if (c.gathers())
        entries.push_back({Swatch::Piece, Words::tr("piece of the rank with that colour")});
    else
        entries.push_back({Swatch::Slot, Words::tr("stripe j: rank j's addend is inside")});
    entries.push_back({Swatch::Sending, Words::tr("being sent")});
    if (c.transfers().front().accumulate)
        entries.push_back({Swatch::ReceivingAdd, Words::tr("what arrives is added")});
    else
        entries.push_back({Swatch::ReceivingKeep, Words::tr("what arrives is kept")});
    entries.push_back({Swatch::Complete, c.gathers() ? Words::tr("arrived") : Words::tr("complete sum")});
    return entries;
}

std::vector<Entry> entriesOf(const DiagramLayout &layout, const DiagramFrame &frame)
{
    if (layout.collective)
        return collectiveEntries(*layout.collective);
    return computeEntries(frame, frame.plan->steps[static_cast<std::size_t>(layout.scene.step)]);
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
