// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workbench.h"

#include "ui/charts/comparison_chart.h"
#include "ui/derivation/derivation_card.h"
#include "ui/diagram/diagram_view.h"
#include "ui/diagram/scene_list.h"
#include "ui/diagram/scrub_bar.h"
#include "ui/diagram/transport_bar.h"
#include "ui/panels/experiment_panel.h"
#include "ui/timeline/timeline_view.h"
#include "ui/veil.h"
#include "ui/window_actions.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace shardscope {

namespace {

constexpr int kLayoutVersion = 1;
// Until the user moves a splitter.
constexpr int kPanelWidth = 290;
constexpr int kChartsWidth = 380;
// What the first window has room for.
constexpr double kDesignWidth = 1430;
constexpr double kDesignHeight = 785;
constexpr int kDiagramShare = 540;
constexpr int kTimelineShare = 460;
constexpr int kSettlingMs = 150; ///< longer than the pause between two moves of a drag

/// A card around one view.
Card *cardAround(QWidget *view)
{
    auto *card = new Card;
    auto *column = new QVBoxLayout(card);
    column->addWidget(view);
    return card;
}

} // namespace

Workbench::Workbench(QWidget *parent)
    : QWidget(parent), m_playback(new Playback(this)), m_panel(new ExperimentPanel), m_diagram(new DiagramView),
      m_scrub(new ScrubBar), m_transport(new TransportBar), m_timeline(new TimelineView(m_playback)),
      m_comparison(new ComparisonChart), m_derivation(new DerivationCard), m_why(new QPushButton(tr("Why this step"))),
      m_columns(new QSplitter(Qt::Horizontal)), m_middle(new QSplitter(Qt::Vertical))
{
    arrange();
    connectDerivation();
    m_diagram->installEventFilter(this);
    m_veils = {new Veil(*m_timelineCard), new Veil(*m_comparisonCard)};
    m_settling.setSingleShot(true);
    m_settling.setInterval(kSettlingMs);
    connect(&m_settling, &QTimer::timeout, this, [this] { setVeiled(m_results.pending); });
}

QWidget *Workbench::newDiagramCard()
{
    m_diagram->setPlayback(m_playback);
    m_scrub->setPlayback(m_playback);
    m_transport->setPlayback(m_playback);
    auto *card = new Card;
    auto *column = new QVBoxLayout(card);
    column->addWidget(m_diagram, 1);
    column->addWidget(m_scrub);
    auto *row = new QHBoxLayout;
    row->addWidget(m_transport);
    row->addStretch(1);
    row->addWidget(m_why);
    column->addLayout(row);
    return card;
}

QWidget *Workbench::newRightColumn()
{
    auto *charts = new QScrollArea;
    charts->setWidget(m_comparison);
    charts->setWidgetResizable(true);
    charts->setFrameShape(QFrame::NoFrame);
    charts->setFocusPolicy(Qt::NoFocus);
    charts->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_comparisonCard = cardAround(charts);
    m_right = new QStackedWidget;
    m_right->addWidget(m_comparisonCard);
    m_right->addWidget(m_derivation);
    return m_right;
}

void Workbench::arrange()
{
    m_diagramCard = newDiagramCard();
    m_timelineCard = cardAround(m_timeline);
    m_middle->addWidget(m_diagramCard);
    m_middle->addWidget(m_timelineCard);
    m_middle->setStretchFactor(0, kDiagramShare);
    m_middle->setStretchFactor(1, kTimelineShare);
    m_columns->addWidget(m_panel);
    m_columns->addWidget(m_middle);
    m_columns->addWidget(newRightColumn());
    m_columns->setStretchFactor(0, 0);
    m_columns->setStretchFactor(1, 1);
    m_columns->setStretchFactor(2, 0);
    for (QSplitter *splitter : {m_columns, m_middle})
        splitter->setChildrenCollapsible(false);
    auto *row = new QHBoxLayout(this);
    row->addWidget(m_columns);
}

bool Workbench::eventFilter(QObject *watched, QEvent *event)
{
    return watched == m_diagram && event->type() == QEvent::KeyPress &&
           WindowActions::handlePlaybackKey(*static_cast<QKeyEvent *>(event), *m_playback);
}

void Workbench::goToStep(int number)
{
    if (!m_plan || m_plan->steps.empty())
        return;
    const int last = static_cast<int>(m_plan->steps.size()) - 1;
    m_playback->pause();
    m_playback->setPosition(firstSceneOf(sceneList(*m_plan), std::clamp(number - 1, 0, last)));
}

void Workbench::focusPicture()
{
    m_diagram->setFocus();
}

void Workbench::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (!std::exchange(m_placed, true))
        placeSplitters();
}

void Workbench::placeSplitters()
{
    const int panel = qRound(kPanelWidth * m_unit);
    const int charts = qRound(kChartsWidth * m_unit);
    m_columns->setSizes({panel, std::max(1, width() - panel - charts), charts});
    m_middle->setSizes({kDiagramShare, kTimelineShare});
}

void Workbench::scaleSplitters()
{
    // The new widths are shares of the new whole.
    resize(size().expandedTo(minimumSize()));
    layout()->activate();
    const int panel = qRound(m_scaledColumns.front() * m_unit);
    const int charts = qRound(m_scaledColumns.back() * m_unit);
    m_scaledColumns.clear();
    m_columns->setSizes({panel, std::max(1, m_columns->width() - panel - charts), charts});
}

void Workbench::setExperiment(const Experiment &experiment, std::shared_ptr<const Plan> plan)
{
    m_experiment = experiment;
    m_plan = std::move(plan);
    m_panel->setExperiment(experiment);
    m_panel->setPlan(*m_plan);
    m_diagram->setPlan(m_plan);
    m_scrub->setPlan(m_plan);
    if (derivationShown()) {
        m_followedStep = stepShown();
        m_derivation->setPlan(m_plan, m_followedStep);
    }
}

void Workbench::setResults(const Results &results)
{
    m_results = results;
    // The diagram's captions must fit the plan, so a run of other settings is none for it.
    const Phase phase = m_experiment.phase;
    const auto predicted = results.predicted.find(phase);
    const RunPtr prediction = predicted == results.predicted.end() ? nullptr : predicted->second;
    m_diagram->setRun(results.stale ? prediction : results.shown(phase));
    if (results.pending) {
        setVeiled(true);
        m_settling.start();
    } else {
        showResults();
        if (!m_settling.isActive())
            setVeiled(false);
    }
}

void Workbench::showResults()
{
    const Phase phase = m_experiment.phase;
    m_timeline->setRun(m_results.shown(phase), m_results.stale && m_results.measured.contains(phase));
    m_comparison->setResults(m_results.predicted, m_results.measured, m_results.shownOne(), m_results.stale);
    if (derivationShown())
        m_derivation->setResults(m_results);
}

void Workbench::setVeiled(bool veiled)
{
    for (Veil *veil : m_veils) {
        veil->setVisible(veiled);
        veil->raise();
    }
}

PictureContent Workbench::pictureContent() const
{
    PictureContent content;
    content.plan = m_plan;
    content.results = m_results;
    content.phase = m_experiment.phase;
    content.position = m_playback->position();
    content.followed = m_playback->followedTensor();
    content.perToken = m_comparison->perToken();
    content.timelineStep = m_timeline->choice();
    if (derivationShown())
        content.derivedStep = m_derivation->step();
    return content;
}

PictureView Workbench::activeView() const
{
    const auto active = [](const QWidget *card) {
        const QWidget *focus = card->window()->focusWidget();
        return focus && card->isAncestorOf(focus);
    };
    if (active(m_timelineCard))
        return PictureView::Timeline;
    if (active(m_comparisonCard))
        return PictureView::Comparison;
    return PictureView::Diagram;
}

QByteArray Workbench::saveLayout() const
{
    QByteArray bytes;
    QDataStream stream(&bytes, QIODevice::WriteOnly);
    stream << kLayoutVersion << m_columns->saveState() << m_middle->saveState();
    return bytes;
}

void Workbench::restoreLayout(const QByteArray &layout)
{
    QDataStream stream(layout);
    int version = 0;
    QByteArray columns;
    QByteArray middle;
    stream >> version >> columns >> middle;
    if (stream.status() != QDataStream::Ok || version != kLayoutVersion)
        return;
    m_placed = m_columns->restoreState(columns) && m_middle->restoreState(middle);
}

void Workbench::applyLook(const Look &look)
{
    const double before = std::exchange(m_unit, look.unit);
    // Larger means that everything is: the window scrolls before its pictures shrink.
    const bool enlarged = look.unit > 1;
    setMinimumSize(enlarged ? look.px(kDesignWidth) : 0, enlarged ? look.px(kDesignHeight) : 0);
    if (before != look.unit && m_placed && m_scaledColumns.isEmpty()) {
        for (const int size : m_columns->sizes())
            m_scaledColumns << size / before;
        QTimer::singleShot(0, this, &Workbench::scaleSplitters); // when every view knows its new smallest size
    }
    layout()->setContentsMargins(look.px(12), look.px(12), look.px(12), look.px(12));
    m_panel->setMinimumWidth(look.px(270));
    m_diagramCard->setMinimumSize(look.px(480), look.px(340));
    m_timelineCard->setMinimumSize(look.px(480), look.px(220));
    m_right->setMinimumSize(look.px(340), look.px(300));
    m_columns->setHandleWidth(look.px(10));
    m_middle->setHandleWidth(look.px(10));
    const auto give = [&look](const Theme &theme, auto *...views) {
        ((views->setTheme(theme), views->setUnit(look.unit)), ...);
    };
    // On its card the diagram's ground is the card's surface.
    m_diagramTheme = *look.theme;
    m_diagramTheme.background = look.theme->surface;
    give(m_diagramTheme, m_diagram);
    give(*look.theme, m_scrub, m_transport, m_timeline, m_comparison);
}

} // namespace shardscope
