// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/topology.h"
#include "ui/pages/sheet_writer.h"

#include <QStringList>
#include <optional>

namespace shardscope {

/// One GPU of a node's drawing.
struct GpuCard {
    int number = 0;
    int of = 1;        ///< GPUs of the machine: their colours tell them apart
    QStringList lines; ///< what it is, a line each
    QString details;
    bool predicted = false; ///< hollow: not there, described by a data sheet
    bool showsLoad = false;
    std::optional<GpuLoad> load;   ///< with showsLoad: how busy it is; nothing: not told
    std::int64_t memoryBytes = -1; ///< in all
    bool dimmed = false;           ///< the load is that of the last run
};

inline constexpr double kLeastCardWidth = 80; ///< design pixels
inline constexpr double kCardGap = 11;
/// Of the gap on either side of it: where lines to cards of another row run beside a card.
inline constexpr double kBesideCard = 0.32 * kCardGap;

/// In design pixels.
[[nodiscard]] double gpuCardHeight(const GpuCard &card);
void layGpuCard(SheetWriter &writer, const GpuCard &card, const QRectF &rect);

/// A bar with `share` of it filled: 0 to 1.
void layMeter(SheetWriter &writer, const QRectF &rect, double share, const QColor &colour);

/// How cards lie in rows of equal length, as few as have room.
struct CardRows {
    int columns = 1;
    int rows = 1;
    double width = 0; ///< of a card, pixels
};
[[nodiscard]] CardRows cardRows(const SheetWriter &writer, int cards, double width);

} // namespace shardscope
