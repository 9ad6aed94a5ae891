// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/comparison_layout.h"
#include "ui/results.h"

#include <QWidget>

class QCheckBox;

namespace shardscope {

/// The charts card: training beside prefill and decode, one rank beside N, per step or per token. The tooltip of a bar
/// gives its formula and exact numbers, also with the keys up and down; the accessible description is the finding, or
/// what the chosen bar says.
class ComparisonChart : public QWidget
{
    Q_OBJECT
public:
    explicit ComparisonChart(QWidget *parent = nullptr);

    /// `oneRank` may be null; `stale`: `measured` belongs to other settings.
    void setResults(RunsByPhase predicted, RunsByPhase measured, RunPtr oneRank, bool stale);
    void setTheme(const Theme &theme);
    void setUnit(double unit); ///< pixels per design pixel

    [[nodiscard]] bool perToken() const;
    void setPerToken(bool perToken);
    [[nodiscard]] const ComparisonData &comparison() const { return m_data; }
    [[nodiscard]] const ComparisonLayout &chartLayout() const { return m_layout; }

    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void perTokenChanged(bool perToken);

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    void rebuild();
    void arrange();
    void hover(std::optional<ChartPlace> place);
    [[nodiscard]] std::vector<ChartPlace> places() const;
    [[nodiscard]] QString detailsAt(const ChartPlace &place) const;
    void showDetails(const ChartPlace &place, const QPoint &global);
    void describe();

    QCheckBox *m_perToken;
    RunsByPhase m_predicted;
    RunsByPhase m_measured;
    RunPtr m_oneRank;
    bool m_stale = false;
    Theme m_theme = Theme::light();
    double m_unit = 1;
    ComparisonData m_data;
    ComparisonLayout m_layout;
    std::optional<ChartPlace> m_hovered;
};

} // namespace shardscope
