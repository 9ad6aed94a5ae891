// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/comparison_chart.h"

#include "ui/charts/comparison_picture.h"

#include <QCheckBox>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollArea>
#include <QToolTip>
#include <algorithm>

namespace shardscope {

ComparisonChart::ComparisonChart(QWidget *parent) : QWidget(parent), m_perToken(new QCheckBox(this))
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Training compared with inference"));
    m_perToken->setText(tr("Per token"));
    m_perToken->setToolTip(tr("Divide counts, bytes and times by the tokens of the pass: b·s in training and prefill, "
                              "b in decode"));
    m_perToken->setAccessibleName(m_perToken->text());
    connect(m_perToken, &QCheckBox::toggled, this, [this](bool on) {
        rebuild();
        Q_EMIT perTokenChanged(on);
    });
    setUnit(1);
}

void ComparisonChart::setResults(RunsByPhase predicted, RunsByPhase measured, RunPtr oneRank, bool stale)
{
    m_predicted = std::move(predicted);
    m_measured = std::move(measured);
    m_oneRank = std::move(oneRank);
    m_stale = stale;
    rebuild();
}

void ComparisonChart::setTheme(const Theme &theme)
{
    m_theme = theme;
    rebuild();
}

void ComparisonChart::setUnit(double unit)
{
    m_unit = unit;
    m_perToken->setFont(uiFont(13, unit, 500));
    arrange();
    updateGeometry();
}

bool ComparisonChart::perToken() const
{
    return m_perToken->isChecked();
}

void ComparisonChart::setPerToken(bool perToken)
{
    m_perToken->setChecked(perToken);
}

QSize ComparisonChart::minimumSizeHint() const
{
    return {qRound(300 * m_unit), qRound(240 * m_unit)};
}

void ComparisonChart::rebuild()
{
    ComparisonFrame frame;
    for (const auto &[phase, run] : m_predicted)
        frame.predicted[phase] = run.get();
    for (const auto &[phase, run] : m_measured)
        frame.measured[phase] = run.get();
    frame.oneRank = m_oneRank.get();
    frame.theme = &m_theme;
    frame.unit = m_unit;
    frame.perToken = perToken();
    frame.stale = m_stale;
    m_data = comparisonData(frame);
    arrange();
    describe();
}

void ComparisonChart::arrange()
{
    const QSize box = m_perToken->sizeHint();
    const int margin = qRound(14 * m_unit);
    m_perToken->setGeometry(margin, margin / 2, box.width(), box.height());
    const QRectF area = QRectF(rect()).adjusted(0, margin / 2 + box.height(), 0, 0);
    m_layout = comparisonLayout(m_data, area, m_unit, true);
    // What does not fit readably is scrolled to; charts side by side fit anyway.
    const bool column = !m_layout.slide && !m_data.groups.empty();
    const int least = column ? margin / 2 + box.height() + qCeil(readableHeight(m_data, width(), m_unit)) : 0;
    setMinimumHeight(least);
    m_hovered.reset();
    update();
}

bool ComparisonChart::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    auto *help = static_cast<QHelpEvent *>(event);
    const auto place = placeAt(m_layout, help->pos());
    if (!place) {
        QToolTip::hideText();
        event->ignore();
        return true;
    }
    showDetails(*place, help->globalPos());
    return true;
}

QString ComparisonChart::detailsAt(const ChartPlace &place) const
{
    const ChartRow &row = m_data.groups[place.chart].rows[place.row];
    return row.details.isEmpty() ? tr("Not run yet") : row.details;
}

void ComparisonChart::showDetails(const ChartPlace &place, const QPoint &global)
{
    QToolTip::showText(global, detailsAt(place), this, m_layout.charts[place.chart].rows[place.row].toRect());
}

void ComparisonChart::describe()
{
    setAccessibleDescription(m_hovered ? detailsAt(*m_hovered) : m_data.finding + QLatin1Char(' ') + m_data.speedup);
}

/// All bars from top to bottom.
std::vector<ChartPlace> ComparisonChart::places() const
{
    std::vector<ChartPlace> all;
    for (std::size_t chart = 0; chart < m_layout.charts.size(); ++chart) {
        for (std::size_t row = 0; row < m_layout.charts[chart].rows.size(); ++row)
            all.push_back({chart, row});
    }
    return all;
}

void ComparisonChart::keyPressEvent(QKeyEvent *event)
{
    const std::vector<ChartPlace> all = places();
    const bool down = event->key() == Qt::Key_Down;
    if (all.empty() || (!down && event->key() != Qt::Key_Up))
        return QWidget::keyPressEvent(event);
    auto next = down ? all.begin() : std::prev(all.end());
    if (m_hovered) {
        const auto here = std::find(all.begin(), all.end(), *m_hovered);
        if (down ? std::next(here) != all.end() : here != all.begin())
            next = down ? std::next(here) : std::prev(here);
        else
            next = here;
    }
    hover(*next);
    for (QWidget *above = parentWidget(); above; above = above->parentWidget()) {
        if (auto *scroll = qobject_cast<QScrollArea *>(above)) {
            const QPoint middle = m_layout.charts[next->chart].rows[next->row].center().toPoint();
            scroll->ensureVisible(middle.x(), middle.y(), 0, qRound(60 * m_unit));
            break;
        }
    }
    const QRectF row = m_layout.charts[next->chart].rows[next->row];
    showDetails(*next, mapToGlobal(row.bottomLeft().toPoint()));
}

void ComparisonChart::focusInEvent(QFocusEvent *event)
{
    QWidget::focusInEvent(event);
    update();
}

void ComparisonChart::focusOutEvent(QFocusEvent *event)
{
    hover({});
    QToolTip::hideText();
    QWidget::focusOutEvent(event);
    update();
}

void ComparisonChart::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.surface);
    paintComparisonData(painter, m_data, m_layout, m_theme, m_hovered);
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void ComparisonChart::resizeEvent(QResizeEvent *event)
{
    arrange();
    QWidget::resizeEvent(event);
}

void ComparisonChart::mouseMoveEvent(QMouseEvent *event)
{
    hover(placeAt(m_layout, event->position()));
}

void ComparisonChart::leaveEvent(QEvent *event)
{
    hover({});
    QWidget::leaveEvent(event);
}

void ComparisonChart::hover(std::optional<ChartPlace> place)
{
    if (place == m_hovered)
        return;
    m_hovered = place;
    describe();
    update();
}

} // namespace shardscope
