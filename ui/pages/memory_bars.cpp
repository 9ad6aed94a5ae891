// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulate/advice.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/number_format.h"
#include "ui/nice_step.h"
#include "ui/pages/memory_parts.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <algorithm>

namespace shardscope {

namespace {

constexpr double kLabels = 82;  ///< design pixels left of the bars
constexpr double kTotals = 172; ///< and right of them
constexpr double kUnderBar = 27;
constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;
constexpr int kTicks = 8;
constexpr MemoryKind kKinds[] = {MemoryKind::Weights, MemoryKind::Gradients, MemoryKind::Optimizer,
                                 MemoryKind::Activations, MemoryKind::KvCache};

QString partTitle(MemoryPart part)
{
    switch (part) {
    case MemoryPart::EmbeddingAndHead:
        return tr("embedding, output layer");
    case MemoryPart::Replicated:
        return tr("on every rank of TP");
    case MemoryPart::Layers:
        break;
    }
    return tr("layers");
}

Hatch hatchOf(MemoryPart part)
{
    switch (part) {
    case MemoryPart::EmbeddingAndHead:
        return Hatch::Diagonal;
    case MemoryPart::Replicated:
        return Hatch::Upright;
    case MemoryPart::Layers:
        break;
    }
    return Hatch::None;
}

/// Both bars on one axis.
class MemoryBars
{
public:
    MemoryBars(SheetWriter &writer, const MemoryValues &values, const QRectF &area, double bar)
        : m_writer(writer), m_values(values), m_bar(bar)
    {
        const double card = values.hardware.memoryBytes;
        const auto most = static_cast<double>(std::max(values.training.totalBytes(), values.inference.totalBytes()));
        m_left = area.left() + px(kLabels);
        m_right = area.right() - px(kTotals);
        m_most = std::max(card, most) * 1.01;
    }

    double lay(const QRectF &area, double top)
    {
        double y = layLegend(area, top) + px(24);
        layCardName(y - px(4));
        y = layBar(tr("Training"), m_values.training, y, area);
        y = layBar(tr("Inference"), m_values.inference, y, area);
        return layAxis(y);
    }

private:
    [[nodiscard]] double px(double design) const { return m_writer.px(design); }
    [[nodiscard]] const Theme &theme() const { return m_writer.theme(); }
    [[nodiscard]] double at(double bytes) const { return m_left + (m_right - m_left) * bytes / m_most; }
    [[nodiscard]] double cardLine() const { return at(m_values.hardware.memoryBytes); }
    [[nodiscard]] double usableLine() const { return at(kUsableMemoryShare * m_values.hardware.memoryBytes); }

    double layLegend(const QRectF &area, double top)
    {
        double x = area.left();
        const double height = px(18);
        const auto entry = [&](const QString &words, std::optional<MemoryKind> kind, MemoryPart part) {
            memorySwatch(m_writer, {x, top + px(3), px(18), px(12)}, kind, part);
            const SheetWriter::Letters letters{12, 400, theme().text2};
            x += px(24);
            x += m_writer.text({x, top, area.right() - x, height}, words, letters) + px(18);
        };
        for (const MemoryKind kind : kKinds)
            entry(kindTitle(kind), kind, MemoryPart::Layers);
        for (const MemoryPart part : {MemoryPart::EmbeddingAndHead, MemoryPart::Replicated})
            entry(partTitle(part), std::nullopt, part);
        return top + height;
    }

    double layBar(const QString &title, const MemoryEstimate &estimate, double top, const QRectF &area)
    {
        const QRectF row(area.left(), top, px(kLabels) - px(10), px(m_bar));
        m_writer.text(row, title, {14, 600, {}});
        double from = 0;
        for (const MemoryKind kind : kKinds)
            from = layKind(estimate, kind, from, top);
        layTotal(estimate, from, top, area);
        // Across the bar alone: the words between the bars stay free.
        m_writer.rule({usableLine(), top - px(2)}, {usableLine(), top + px(m_bar + 2)}, theme().text, 1.6, true);
        m_writer.rule({cardLine(), top - px(2)}, {cardLine(), top + px(m_bar + 2)}, theme().text, 2.2);
        layStates(estimate, top + px(m_bar));
        return top + px(m_bar + kUnderBar);
    }

    /// The parts of one kind, and their sum in words where it has room; bytes up to its end are returned.
    double layKind(const MemoryEstimate &estimate, MemoryKind kind, double from, double top)
    {
        const double start = from;
        for (const MemoryPart part : {MemoryPart::Layers, MemoryPart::EmbeddingAndHead, MemoryPart::Replicated}) {
            for (const MemoryTerm &term : estimate.terms) {
                if (term.kind == kind && term.part == part)
                    from += laySegment(term, from, top);
            }
        }
        const QRectF whole(at(start), top, at(from) - at(start), px(m_bar));
        if (start > 0 && whole.width() >= 1)
            m_writer.rule(whole.topLeft(), whole.bottomLeft(), theme().surface, 1.4);
        layWords(whole, kindTitle(kind), gibibytes(estimate.bytes(kind)), memoryColour(kind, theme()));
        return from;
    }

    double laySegment(const MemoryTerm &term, double from, double top)
    {
        const auto bytes = static_cast<double>(term.bytes);
        const QRectF rect(at(from), top, at(from + bytes) - at(from), px(m_bar));
        memorySwatch(m_writer, rect, term.kind, term.part);
        const QStringList details{kindTitle(term.kind) + QStringLiteral(", ") + sentence(term.name) +
                                      QStringLiteral(": ") + gibibytes(term.bytes),
                                  formulaText(term.formula), sentence(term.source)};
        m_writer.spot(rect.adjusted(-1, 0, 1, 0), details.join(QLatin1Char('\n')));
        return bytes;
    }

    /// In the widest part where the card's lines cut through.
    void layWords(const QRectF &whole, const QString &name, const QString &value, const QColor &fill)
    {
        const SheetWriter::Letters letters{12, 500, Theme::textOn(fill)};
        const SheetWriter::Letters numbers{13, 600, Theme::textOn(fill)};
        QRectF rect(whole.topLeft(), QSizeF(0, whole.height()));
        double from = whole.left();
        for (const double line : {usableLine(), cardLine(), whole.right()}) {
            const double to = std::clamp(line, from, whole.right());
            if (to - from > rect.width())
                rect = {from, whole.top(), to - from, whole.height()};
            from = to;
        }
        const double room = rect.width() - px(10);
        if (m_writer.widthOf(value, numbers) > room || m_writer.widthOf(name, letters) > room)
            return;
        const QRectF above(rect.left() + px(5), rect.center().y() - px(17), room, px(17));
        m_writer.text(above, name, letters, Qt::AlignCenter);
        m_writer.text(above.translated(0, px(17)), value, numbers, Qt::AlignCenter);
    }

    void layTotal(const MemoryEstimate &estimate, double bytes, double top, const QRectF &area)
    {
        const std::int64_t total = estimate.totalBytes();
        const Fit fit = fitOf(total, m_values.hardware);
        const QColor colour = fit == Fit::Fits ? theme().ok : fit == Fit::Tight ? theme().warn : theme().error;
        const SheetMark mark = fit == Fit::Fits    ? SheetMark::Tick
                               : fit == Fit::Tight ? SheetMark::Warning
                                                   : SheetMark::Cross;
        // Beside the bar where that leaves the words whole, so that the eye does not travel.
        const double wide = px(kTotals - 14);
        const double x = std::min(wordsStart(bytes) + px(10), area.right() - wide);
        const double middle = top + px(m_bar) / 2;
        const QRectF line(x, middle - px(21), area.right() - x, px(22));
        m_writer.text(line, gibibytes(total), {18, 700, {}});
        const double side = px(15);
        const QRectF below(x, line.bottom(), line.width(), px(18));
        m_writer.mark(mark, {x, below.center().y() - side / 2, side, side}, colour);
        m_writer.text(below.adjusted(side + px(6), 0, 0, 0), fitWords(total, m_values.hardware), {12, 500, colour});
    }

    /// Where words beside the bar start, behind the card's lines that they would cross.
    [[nodiscard]] double wordsStart(double bytes) const
    {
        double start = at(bytes);
        for (const double line : {usableLine(), cardLine()}) {
            if (line > start && line < start + px(kTotals + 8))
                start = line;
        }
        return start;
    }

    /// A bracket under what tensor parallelism and ZeRO cut, and what the popular rule would make of it.
    void layStates(const MemoryEstimate &estimate, double top)
    {
        const QString divided = dividedWords(estimate, m_values.settings);
        const double end = at(static_cast<double>(estimate.stateBytes()));
        const double y = top + px(5);
        m_writer.rule({m_left, y}, {end, y}, theme().text3);
        for (const double x : {m_left, end})
            m_writer.rule({x, y - px(3)}, {x, y + px(0.5)}, theme().text3);
        const bool training = estimate.bytes(MemoryKind::Optimizer) > 0;
        QString words = training ? tr("states (parameters, gradients, optimizer): %1") : tr("weights: %1");
        words = words.arg(gibibytes(estimate.stateBytes()));
        if (!divided.isEmpty())
            words += QStringLiteral("; ") + divided;
        m_writer.text({m_left, y + px(1), m_right - m_left, px(16)}, words, {11.5, 400, theme().text2});
    }

    void layCardName(double bottom)
    {
        const auto bytes = static_cast<std::int64_t>(m_values.hardware.memoryBytes);
        const auto usable = static_cast<std::int64_t>(kUsableMemoryShare * m_values.hardware.memoryBytes);
        const QString words =
            tr("%1: %2 (line), %3 usable (dashed): %4")
                .arg(cardName(m_values.hardware), gibibytes(bytes), formatShare(kUsableMemoryShare), gibibytes(usable));
        const SheetWriter::Letters letters{12, 600, {}};
        const double width = m_writer.widthOf(words, letters) + px(2);
        const double left = std::clamp(cardLine() - width / 2, m_left, m_right + px(kTotals) - width);
        m_writer.text({left, bottom - px(17), width, px(16)}, words, letters);
    }

    double layAxis(double top)
    {
        const double step = niceStep(m_most / kGibibyte / kTicks);
        const SheetWriter::Letters letters{11.5, 400, theme().text3};
        for (double gib = 0; gib * kGibibyte <= m_most; gib += step) {
            const double x = at(gib * kGibibyte);
            m_writer.rule({x, top}, {x, top + px(4)}, theme().text3);
            const QString words = QString::number(gib) + (gib == 0 ? QStringLiteral(" GiB") : QString());
            const double half = px(40);
            m_writer.text({gib == 0 ? x : x - half, top + px(4), 2 * half, px(15)}, words, letters,
                          (gib == 0 ? Qt::AlignLeft : Qt::AlignHCenter) | Qt::AlignVCenter);
        }
        m_writer.rule({m_left, top}, {m_right, top}, theme().text3);
        return top + px(20);
    }

    SheetWriter &m_writer;
    const MemoryValues &m_values;
    double m_bar; ///< height, design pixels
    double m_left = 0;
    double m_right = 0;
    double m_most = 1; ///< bytes at the right end
};

} // namespace

void memorySwatch(SheetWriter &writer, const QRectF &rect, std::optional<MemoryKind> kind, MemoryPart part)
{
    const Theme &theme = writer.theme();
    Sheet::Box box;
    box.rect = rect;
    box.fill = kind ? memoryColour(*kind, theme) : theme.surface2;
    box.hatch = rect.width() >= writer.px(3) ? hatchOf(part) : Hatch::None;
    box.hatchColour = kind ? mixed(box.fill, Theme::textOn(box.fill), 0.75) : theme.text2;
    box.spacing = writer.px(part == MemoryPart::Replicated ? 4 : 5);
    if (!kind)
        box.outline = theme.text3;
    writer.box(box);
}

double layMemoryBars(SheetWriter &writer, const MemoryValues &values, const QRectF &area, double top, double bar)
{
    return MemoryBars(writer, values, area, bar).lay(area, top);
}

} // namespace shardscope
