// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/number_format.h"
#include "ui/pages/layer_words.h"
#include "ui/pages/traffic_parts.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QStringList>

namespace shardscope {

namespace {

constexpr double kHead = 24; ///< design pixels
constexpr double kLine = 41;
constexpr double kTotal = 30;
constexpr double kSwatch = 18;
constexpr double kBytes = 92;

class Lines
{
public:
    Lines(SheetWriter &writer, const TrafficValues &values, const QRectF &room)
        : m_writer(writer), m_values(values), m_room(room)
    {
    }

    double lay()
    {
        double y = layHead(m_room.top());
        if (m_values.lines.empty())
            return layNothing(y);
        const std::size_t shown = fitting(m_room.bottom() - y);
        for (std::size_t i = 0; i < shown; ++i)
            y = layLine(m_values.lines[i], y);
        if (shown < m_values.lines.size())
            y = layMore(shown, y);
        return layTotal(y);
    }

private:
    [[nodiscard]] double px(double design) const { return m_writer.px(design); }
    [[nodiscard]] const Theme &theme() const { return m_writer.theme(); }

    [[nodiscard]] std::size_t fitting(double height) const
    {
        const auto places = static_cast<std::size_t>(std::max(1.0, (height - px(kTotal)) / px(kLine)));
        // The last place is that of the rest.
        return m_values.lines.size() <= places ? m_values.lines.size() : places - 1;
    }

    double layHead(double top)
    {
        const QRectF line(m_room.left(), top, m_room.width(), px(kHead));
        m_writer.text(line.adjusted(0, 0, -px(kBytes), 0), tr("What travels in a step"), {15, 600, {}});
        m_writer.text({line.right() - px(kBytes), top, px(kBytes), px(kHead)}, tr("all ranks"),
                      {12.5, 600, theme().text2}, Qt::AlignRight | Qt::AlignVCenter);
        m_writer.rule(line.bottomLeft(), line.bottomRight(), theme().border);
        return line.bottom() + px(3);
    }

    double layNothing(double top)
    {
        const QString words = tr("No collective has anybody to talk to.");
        return top +
               m_writer.paragraph({m_room.left(), top, m_room.width(), px(kLine)}, words, {13.5, 400, theme().text2});
    }

    [[nodiscard]] static QString placeOf(const TrafficLine &line)
    {
        const bool message = line.op == CollectiveOp::SendRecv;
        const QString each = message ? tr("%1 each") : line.atMost ? tr("up to %1 a rank") : tr("%1 a rank");
        const QString bytes = each.arg(bytesWords(line.bytesEach));
        return line.count == 1 ? tr("%1: %2").arg(line.place, bytes)
                               : tr("%1: %2 times %3").arg(line.place).arg(line.count).arg(bytes);
    }

    double layLine(const TrafficLine &line, double top)
    {
        const QRectF whole(m_room.left(), top, m_room.width(), px(kLine));
        const QRectF swatch(whole.left(), top + px(7), px(11), px(11));
        m_writer.box({.rect = swatch, .fill = theme().collective(line.op), .radius = px(2)});
        const QRectF words = whole.adjusted(px(kSwatch), px(3), -px(kBytes), 0);
        m_writer.text({words.left(), words.top(), words.width(), px(19)}, line.what, {14, 600, {}});
        m_writer.text({words.left(), words.top() + px(18), whole.width() - px(kSwatch), px(18)}, placeOf(line),
                      {12.5, 400, theme().text2});
        m_writer.text({whole.right() - px(kBytes), words.top(), px(kBytes), px(19)}, bytesWords(line.totalBytes),
                      {14, 600, {}}, Qt::AlignRight | Qt::AlignVCenter);
        m_writer.spot(whole, QStringList{line.what + QStringLiteral(", ") + placeOf(line),
                                         tr("all ranks together: %1").arg(formatExactBytes(line.totalBytes)), line.why}
                                 .join(QLatin1Char('\n')));
        return whole.bottom();
    }

    double layMore(std::size_t shown, double top)
    {
        std::int64_t bytes = 0;
        for (std::size_t i = shown; i < m_values.lines.size(); ++i)
            bytes += m_values.lines[i].totalBytes;
        const QRectF whole(m_room.left() + px(kSwatch), top, m_room.width() - px(kSwatch), px(kLine));
        m_writer.text(whole.adjusted(0, 0, -px(kBytes), 0),
                      counted(static_cast<qint64>(m_values.lines.size() - shown), tr("%1 more kind|%1 more kinds")),
                      {13.5, 400, theme().text2});
        m_writer.text({whole.right() - px(kBytes), top, px(kBytes), whole.height()}, bytesWords(bytes), {14, 600, {}},
                      Qt::AlignRight | Qt::AlignVCenter);
        return whole.bottom();
    }

    double layTotal(double top)
    {
        const QRectF whole(m_room.left(), top, m_room.width(), px(kTotal - 4));
        m_writer.box({.rect = whole, .fill = theme().surface2});
        const QString words = tr("in all: %1 of %2 pairs of ranks talk")
                                  .arg(m_values.talkingPairs())
                                  .arg(m_values.matrix.ranks() * (m_values.matrix.ranks() - 1));
        m_writer.text(whole.adjusted(px(kSwatch), 0, -px(kBytes), 0), words, {13, 500, {}});
        m_writer.text(whole.adjusted(0, 0, -px(3), 0), bytesWords(m_values.matrix.total()), {14, 700, {}},
                      Qt::AlignRight | Qt::AlignVCenter);
        return whole.bottom();
    }

    SheetWriter &m_writer;
    const TrafficValues &m_values;
    QRectF m_room;
};

} // namespace

double layTrafficLines(SheetWriter &writer, const TrafficValues &values, const QRectF &room)
{
    return Lines(writer, values, room).lay();
}

} // namespace shardscope
