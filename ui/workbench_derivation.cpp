// SPDX-License-Identifier: GPL-3.0-or-later
// The derivation beside the picture: who asks for it, what it follows, how it goes away.
#include "ui/derivation/derivation_card.h"
#include "ui/diagram/diagram_view.h"
#include "ui/diagram/scene_list.h"
#include "ui/diagram/scrub_bar.h"
#include "ui/timeline/timeline_view.h"
#include "ui/workbench.h"

#include <QKeyEvent>
#include <QPushButton>
#include <QStackedWidget>
#include <utility>

namespace shardscope {

int Workbench::stepShown() const
{
    return m_plan ? stepAt(sceneList(*m_plan), m_playback->position()) : 0;
}

void Workbench::connectDerivation()
{
    m_why->setCheckable(true);
    m_why->setToolTip(tr("The derivation of the step: why it communicates, with this run's shapes (Enter, or a click "
                         "on the title or a collective)"));
    connect(m_why, &QPushButton::clicked, this,
            [this](bool on) { on ? showDerivation(stepShown()) : closeDerivation(); });
    connect(m_diagram, &DiagramView::derivationRequested, this, &Workbench::showDerivation);
    connect(m_timeline, &TimelineView::derivationRequested, this, &Workbench::showDerivation);
    connect(m_scrub, &ScrubBar::derivationRequested, this, &Workbench::showDerivation);
    connect(m_derivation, &DerivationCard::closed, this, &Workbench::closeDerivation);
    connect(m_derivation, &DerivationCard::stepChosen, this, [this](int step) { goToStep(step + 1); });
    connect(m_playback, &Playback::positionChanged, this, &Workbench::followPicture);
}

bool Workbench::derivationShown() const
{
    return m_right->currentWidget() == m_derivation;
}

void Workbench::showDerivation(int step)
{
    if (!m_plan || m_plan->steps.empty())
        return;
    m_followedStep = stepShown();
    m_derivation->setResults(m_results);
    m_derivation->setPlan(m_plan, step);
    m_right->setCurrentWidget(m_derivation);
    m_why->setChecked(true);
}

void Workbench::closeDerivation()
{
    m_right->setCurrentWidget(m_comparisonCard);
    m_why->setChecked(false);
}

/// A click on the timeline may ask for a step that runs beside the one in the picture: it stays until the picture
/// moves.
void Workbench::followPicture()
{
    if (!derivationShown())
        return;
    const int step = stepShown();
    if (std::exchange(m_followedStep, step) != step)
        m_derivation->setStep(step);
}

bool Workbench::event(QEvent *event)
{
    // Escape closes the derivation before it cancels a run.
    if (event->type() == QEvent::ShortcutOverride && derivationShown() &&
        static_cast<QKeyEvent *>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void Workbench::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape && derivationShown())
        closeDerivation();
    else
        QWidget::keyPressEvent(event);
}

} // namespace shardscope
