// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/export/picture.h"
#include "ui/look.h"
#include "ui/playback.h"

#include <QTimer>
#include <QWidget>

class QPushButton;
class QSplitter;
class QStackedWidget;

namespace shardscope {

class ComparisonChart;
class DerivationCard;
class DiagramView;
class ExperimentPanel;
class ScrubBar;
class TimelineView;
class TransportBar;
class Veil;

/// The panel and the three cards, between splitters. Scrolls where the window is smaller than what must be readable.
class Workbench : public QWidget, public LookUser
{
    Q_OBJECT
public:
    explicit Workbench(QWidget *parent = nullptr);

    void setExperiment(const Experiment &experiment, std::shared_ptr<const Plan> plan);
    /// While the prediction is pending timeline and charts keep what they show, under a veil that stays until the
    /// settings rest for a moment: it neither flickers during a drag nor lets old numbers pass for new ones.
    void setResults(const Results &results);
    void applyLook(const Look &look) override;
    /// Keys that move the picture mean the same whether the diagram or the window has the focus.
    bool eventFilter(QObject *watched, QEvent *event) override;

    [[nodiscard]] ExperimentPanel &panel() { return *m_panel; }
    [[nodiscard]] Playback &playback() { return *m_playback; }
    /// What the views show now, for a picture.
    [[nodiscard]] PictureContent pictureContent() const;
    /// The view that has the keyboard focus; the diagram when none has.
    [[nodiscard]] PictureView activeView() const;

    /// The step of the plan at which the picture stands, counted from 0.
    [[nodiscard]] int stepShown() const;
    /// Puts the picture at a step of the plan, counted from 1.
    void goToStep(int number);
    /// Shows the derivation of a step of the plan in the place of the charts; it follows the picture until it is
    /// closed.
    void showDerivation(int step);
    void closeDerivation();
    /// Gives the keyboard to the diagram.
    void focusPicture();

    /// Positions of the splitters.
    [[nodiscard]] QByteArray saveLayout() const;
    void restoreLayout(const QByteArray &layout);

protected:
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void showEvent(QShowEvent *event) override;

private:
    void arrange();
    void placeSplitters();
    /// Panel and charts grow with the words in them.
    void scaleSplitters();
    void showResults();
    void setVeiled(bool veiled);
    [[nodiscard]] QWidget *newDiagramCard();
    [[nodiscard]] QWidget *newRightColumn();
    void connectDerivation();
    [[nodiscard]] bool derivationShown() const;
    void followPicture();

    Theme m_diagramTheme = Theme::light();
    Playback *m_playback;
    ExperimentPanel *m_panel;
    DiagramView *m_diagram;
    ScrubBar *m_scrub;
    TransportBar *m_transport;
    TimelineView *m_timeline;
    ComparisonChart *m_comparison;
    DerivationCard *m_derivation;
    QPushButton *m_why;
    QWidget *m_diagramCard = nullptr;
    QWidget *m_timelineCard = nullptr;
    QWidget *m_comparisonCard = nullptr;
    QStackedWidget *m_right = nullptr; ///< charts, or the derivation
    int m_followedStep = -1;           ///< the one at which the picture stood when the derivation last looked
    std::vector<Veil *> m_veils;       ///< of timeline and charts
    QTimer m_settling;                 ///< runs while the settings have just moved
    QSplitter *m_columns;
    QSplitter *m_middle;
    std::shared_ptr<const Plan> m_plan;
    Results m_results;
    Experiment m_experiment;
    double m_unit = 1;
    QList<double> m_scaledColumns; ///< widths in design pixels, until the splitter has them in the new unit
    bool m_placed = false;         ///< the splitters have their first, or their kept, positions
};

} // namespace shardscope
