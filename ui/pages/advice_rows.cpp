// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_style.h"
#include "ui/charts/number_format.h"
#include "ui/pages/advice_parts.h"
#include "ui/pages/memory_sheet.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <algorithm>

namespace shardscope {

namespace {

constexpr double kVerdict = 192; ///< widths of columns, design pixels
constexpr double kLayout = 152;
constexpr double kMemory = 190;
constexpr double kTime = 236;
constexpr double kGap = 18;
constexpr double kRow = 50; ///< height, where the reason is no longer than that
constexpr double kBar = 15;
constexpr double kMostOverCard = 1.6; ///< bars beyond it are cut off: the number says how much it is

const SheetWriter::Letters kWhy{12, 400, {}};

struct VerdictSign {
    SheetMark mark;
    QColor colour;
};

VerdictSign signOf(LayoutVerdict verdict, const Theme &theme)
{
    switch (verdict) {
    case LayoutVerdict::Recommended:
        return {SheetMark::Star, theme.accent};
    case LayoutVerdict::Slower:
        return {SheetMark::Tick, theme.ok};
    case LayoutVerdict::CommunicationBound:
    case LayoutVerdict::TooSlow:
        return {SheetMark::Warning, theme.warn};
    case LayoutVerdict::DoesNotFit:
        return {SheetMark::Cross, theme.error};
    case LayoutVerdict::NotDivisible:
    case LayoutVerdict::LeavesNode:
    case LayoutVerdict::TooFewSequences:
        break;
    }
    return {SheetMark::Dash, theme.text3};
}

QColor timeColour(TimeKind kind, const Theme &theme)
{
    switch (kind) {
    case TimeKind::Compute:
        return theme.backwardCompute;
    case TimeKind::Recompute:
        return theme.forwardCompute;
    case TimeKind::TensorParallel:
        return theme.allReduce;
    case TimeKind::Pipeline:
        return theme.ranks[7]; // the parameters' bars have the blue of an all-gather
    case TimeKind::DataParallel:
        return theme.reduceScatter;
    case TimeKind::Bubble:
        break;
    }
    return theme.surface2;
}

class AdviceRows
{
public:
    AdviceRows(SheetWriter &writer, const AdviceValues &values, const QRectF &area)
        : m_writer(writer), m_values(values), m_area(area)
    {
        const double inset = area.left() + px(10);
        m_layout = inset + px(kVerdict);
        m_memory = m_layout + px(kLayout);
        m_time = m_memory + px(kMemory + kGap);
        m_timed = std::ranges::any_of(values.rows, [](const AdviceRow &row) { return !row.times.empty(); });
        m_why = m_timed ? m_time + px(kTime + kGap) : m_time;
        const double card = values.advice.question.hardware.memoryBytes;
        double most = card;
        for (const AdviceRow &row : values.rows) {
            most = std::max(most, static_cast<double>(row.memoryBytes()));
            m_mostSeconds = std::max(m_mostSeconds, row.seconds());
        }
        m_mostBytes = std::min(most, kMostOverCard * card);
    }

    double lay(double top)
    {
        double y = layHead(layLegend(top));
        const double rows = y;
        for (const AdviceRow &row : m_values.rows)
            y = layRow(row, y);
        layCardName(rows);
        return y;
    }

private:
    [[nodiscard]] double px(double design) const { return m_writer.px(design); }
    [[nodiscard]] const Theme &theme() const { return m_writer.theme(); }

    double layLegend(double top)
    {
        double x = m_area.left();
        const double height = px(19);
        const auto words = [&](const QString &text, int weight, double gap) {
            x += m_writer.text({x, top, m_area.right() - x, height}, text, {12, weight, theme().text2}) + px(gap);
        };
        // What has no room left in the line begins the next one.
        const auto swatchOf = [&](const QString &text) {
            if (x + px(22) + m_writer.widthOf(text, {12, 400, {}}) > m_area.right()) {
                x = m_area.left();
                top += height;
            }
            x += px(22);
            return QRectF(x - px(22), top + px(4), px(16), px(11));
        };
        words(tr("memory"), 600, 10);
        const QString states = m_values.serving ? tr("weights") : tr("parameters, gradients, optimizer");
        m_writer.box({.rect = swatchOf(states), .fill = memoryColour(MemoryKind::Weights, theme())});
        words(states, 400, 14);
        const QString load = m_values.serving ? tr("KV cache") : tr("activations");
        m_writer.box({.rect = swatchOf(load), .fill = memoryColour(loadKind(), theme())});
        words(load, 400, 30);
        if (m_timed)
            words(tr("time"), 600, 10);
        for (const TimeKind kind : shownKinds()) {
            const QString title = timeKindTitle(kind, m_values.serving);
            layTimeBox(swatchOf(title), kind);
            words(title, 400, 14);
        }
        return top + height;
    }

    [[nodiscard]] MemoryKind loadKind() const
    {
        return m_values.serving ? MemoryKind::KvCache : MemoryKind::Activations;
    }

    [[nodiscard]] std::vector<TimeKind> shownKinds() const
    {
        std::vector<TimeKind> kinds;
        for (const AdviceRow &row : m_values.rows) {
            for (const AdviceRow::Part &part : row.times) {
                if (part.seconds > 0 && std::ranges::find(kinds, part.kind) == kinds.end())
                    kinds.push_back(part.kind);
            }
        }
        std::ranges::sort(kinds);
        return kinds;
    }

    void layTimeBox(const QRectF &rect, TimeKind kind)
    {
        const bool idle = kind == TimeKind::Bubble;
        m_writer.box({.rect = rect,
                      .fill = timeColour(kind, theme()),
                      .outline = idle ? theme().warn : QColor(),
                      .hatch = idle ? Hatch::Diagonal : Hatch::None,
                      .hatchColour = theme().warn,
                      .spacing = px(5)});
    }

    double layHead(double top)
    {
        const SheetWriter::Letters letters{12, 600, theme().text2};
        const double height = px(20);
        const auto head = [&](double x, double right, const QString &words) {
            m_writer.text({x, top, right - x - px(8), height}, words, letters);
        };
        head(m_area.left() + px(10), m_layout, tr("verdict"));
        head(m_layout, m_memory, tr("layout"));
        head(m_memory, m_time, tr("memory per GPU"));
        if (m_timed)
            head(m_time, m_why, m_values.serving ? tr("time of an output token") : tr("time of a training step"));
        head(m_why, m_area.right(), tr("why [rule]"));
        m_writer.rule({m_area.left(), top + height}, {m_area.right(), top + height}, theme().border);
        return top + height + px(15); // the card's name has room
    }

    double layRow(const AdviceRow &row, double top)
    {
        const double height = std::max(px(kRow), m_writer.heightOf(whyOf(row), kWhy, whyWidth()) + px(6));
        const QRectF whole(m_area.left(), top, m_area.width(), height);
        if (row.verdict == LayoutVerdict::Recommended)
            m_writer.box({.rect = whole,
                          .fill = mixed(theme().surface, theme().accent, 0.08),
                          .outline = theme().accent,
                          .line = std::max(1.0, px(2)),
                          .radius = px(5)});
        else
            m_writer.rule(whole.bottomLeft(), whole.bottomRight(), theme().grid);
        layVerdict(row, whole);
        layMemory(row, whole);
        if (m_timed)
            layTime(row, whole);
        layWhy(row, whole);
        m_writer.spot(whole, detailsOf(row));
        return whole.bottom();
    }

    void layVerdict(const AdviceRow &row, const QRectF &whole)
    {
        const VerdictSign sign = signOf(row.verdict, theme());
        const double side = px(19);
        const double left = m_area.left() + px(10);
        m_writer.mark(sign.mark, {left, whole.center().y() - side / 2, side, side}, sign.colour);
        const double x = left + side + px(8);
        m_writer.text({x, whole.top(), m_layout - px(8) - x, whole.height()}, sentence(describe(row.verdict)),
                      {13, 600, visibleOutline(sign.colour, theme().surface, 4.5)});
        const QRectF names(m_layout, whole.top() + px(6), px(kLayout) - px(8), px(20));
        m_writer.text(names, row.layout, {14, 600, {}});
        m_writer.text(names.translated(0, px(20)), row.aside, {12, 400, theme().text2});
    }

    [[nodiscard]] double memoryWidth(std::int64_t bytes) const
    {
        return px(kMemory) * std::min(1.0, static_cast<double>(bytes) / m_mostBytes);
    }

    void layMemory(const AdviceRow &row, const QRectF &whole)
    {
        const QRectF below(m_memory, whole.top() + px(26), px(kMemory), px(18));
        if (row.memoryBytes() == 0) {
            m_writer.text(below, undefinedText(), {12, 400, theme().text3});
            return;
        }
        const double y = whole.top() + px(9);
        layLimits(y);
        const double states = memoryWidth(row.stateBytes);
        m_writer.box({.rect = {m_memory, y, states, px(kBar)}, .fill = memoryColour(MemoryKind::Weights, theme())});
        m_writer.box({.rect = {m_memory + states, y, memoryWidth(row.memoryBytes()) - states, px(kBar)},
                      .fill = memoryColour(loadKind(), theme())});
        const double card = m_values.advice.question.hardware.memoryBytes;
        const bool fits = row.memoryBytes() <= m_values.advice.usableBytes;
        const QString words =
            tr("%1, %2 of the card")
                .arg(gibibytes(row.memoryBytes()), formatShare(static_cast<double>(row.memoryBytes()) / card));
        m_writer.text(below, words, {12, fits ? 400 : 600, fits ? theme().text2 : theme().error});
    }

    void layTime(const AdviceRow &row, const QRectF &whole)
    {
        const QRectF below(m_time, whole.top() + px(26), px(kTime), px(18));
        if (row.times.empty()) {
            m_writer.text(below, tr("not predicted"), {12, 400, theme().text3});
            return;
        }
        double x = m_time;
        for (const AdviceRow::Part &part : row.times) {
            const double width = px(kTime) * part.seconds / m_mostSeconds;
            if (width > 0)
                layTimeBox({x, whole.top() + px(9), width, px(kBar)}, part.kind);
            x += width;
        }
        const QString words = tr("%1, %2 in communication")
                                  .arg(formatDuration(row.seconds() * 1e9), formatShare(row.communicationShare()));
        m_writer.text(below, words, {12, 400, theme().text2});
    }

    [[nodiscard]] static QString whyOf(const AdviceRow &row)
    {
        return row.rule > 0 ? QStringLiteral("%1 [%2]").arg(row.why).arg(row.rule) : row.why;
    }

    [[nodiscard]] double whyWidth() const { return m_area.right() - px(8) - m_why; }

    void layWhy(const AdviceRow &row, const QRectF &whole)
    {
        const double height = m_writer.heightOf(whyOf(row), kWhy, whyWidth()) + 1;
        m_writer.paragraph({m_why, whole.center().y() - height / 2, whyWidth(), height}, whyOf(row), kWhy);
    }

    [[nodiscard]] QString detailsOf(const AdviceRow &row) const
    {
        QStringList lines{row.layout + QStringLiteral(": ") + sentence(describe(row.verdict)), row.why};
        for (const AdviceRow::Part &part : row.times) {
            if (part.seconds > 0)
                lines << timeKindTitle(part.kind, m_values.serving) + QStringLiteral(": ") +
                             formatDuration(part.seconds * 1e9);
        }
        if (row.rule > 0) {
            const AdviceValues::Rule &rule = m_values.rules[static_cast<std::size_t>(row.rule) - 1];
            lines << tr("rule: %1").arg(rule.words) << tr("from: %1").arg(rule.source);
        }
        return lines.join(QLatin1Char('\n'));
    }

    /// The memory of a GPU, and the part of it that may be used, across a bar: the words under it stay free.
    void layLimits(double top)
    {
        const auto card = static_cast<std::int64_t>(m_values.advice.question.hardware.memoryBytes);
        const double usable = m_memory + memoryWidth(m_values.advice.usableBytes);
        const double all = m_memory + memoryWidth(card);
        m_writer.rule({usable, top - px(4)}, {usable, top + px(kBar + 4)}, theme().text, 1.2, true);
        m_writer.rule({all, top - px(4)}, {all, top + px(kBar + 4)}, theme().text, 1.8);
    }

    void layCardName(double top)
    {
        const auto card = static_cast<std::int64_t>(m_values.advice.question.hardware.memoryBytes);
        const QRectF names(m_memory, top - px(15), px(kMemory), px(14));
        m_writer.text(names, tr("usable 90 %, card %1").arg(gibibytes(card)), {11, 400, theme().text2},
                      Qt::AlignRight | Qt::AlignVCenter);
    }

    SheetWriter &m_writer;
    const AdviceValues &m_values;
    QRectF m_area;
    double m_layout = 0; ///< left edges of the columns
    double m_memory = 0;
    double m_time = 0;
    double m_why = 0;
    bool m_timed = true; ///< any row has times
    double m_mostBytes = 1;
    double m_mostSeconds = 1e-12;
};

} // namespace

double layAdviceRows(SheetWriter &writer, const AdviceValues &values, const QRectF &area, double top)
{
    return AdviceRows(writer, values, area).lay(top);
}

} // namespace shardscope
