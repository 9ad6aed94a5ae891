// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/experiment_panel.h"

#include "ui/panels/derived_values.h"
#include "ui/panels/formula_card.h"
#include "ui/panels/mesh_section.h"
#include "ui/panels/option_sections.h"
#include "ui/panels/run_section.h"
#include "ui/panels/scheme_section.h"
#include "ui/panels/scrolling_column.h"
#include "ui/panels/size_section.h"
#include "ui/panels/snap.h"

#include <QEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

namespace shardscope {

namespace {

/// As wide as its content asks, whatever the scale; only the height scrolls.
class PanelScroll : public QScrollArea
{
public:
    QSize sizeHint() const override { return {minimumSizeHint().width(), QScrollArea::sizeHint().height()}; }
    QSize minimumSizeHint() const override
    {
        const int content = widget() ? widget()->minimumSizeHint().width() : 0;
        return {content + verticalScrollBar()->sizeHint().width(), 120};
    }

protected:
    /// Options come and go with the scheme: what the content needs, this asks for.
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (watched == widget() && event->type() == QEvent::LayoutRequest)
            updateGeometry();
        return QScrollArea::eventFilter(watched, event);
    }
};

/// Options that come and go change what their rows need; from the innermost layout outwards, so that nobody asks for
/// less or more than that before the events of layouts have gone round.
void settleLayouts(const QWidget &widget)
{
    for (QObject *child : widget.children()) {
        if (const auto *inner = qobject_cast<QWidget *>(child))
            settleLayouts(*inner);
    }
    if (widget.layout())
        widget.layout()->activate();
}

} // namespace

ExperimentPanel::ExperimentPanel(QWidget *parent)
    : Card(parent), m_size(new SizeSection), m_run(new RunSection),
      m_sections{m_size, new MeshSection, new SchemeSection, newLayerOptions(), newCuttingOptions(), m_run},
      m_hint(new TextLabel({}, 12, 500, TextLabel::Role::Warn)), m_formula(new FormulaCard)
{
    auto *content = new QWidget;
    auto *sections = new QVBoxLayout(content);
    sections->setContentsMargins(0, 0, 0, 0);
    sections->addWidget(new TextLabel(tr("Layer and machine"), 16, 600, TextLabel::Role::Text));
    for (ExperimentSection *section : m_sections) {
        sections->addWidget(section);
        connect(section, &ExperimentSection::edited, this, &ExperimentPanel::onEdited);
    }
    sections->addStretch(1);
    auto *scroll = new PanelScroll;
    scrollColumn(*scroll, content);
    m_hint->setWordWrap(true);
    m_hint->hide();
    auto *column = new QVBoxLayout(this);
    column->addWidget(scroll, 1);
    column->addWidget(m_hint);
    column->addWidget(m_formula);
    setAccessibleName(tr("Layer and machine"));
}

void ExperimentPanel::setExperiment(const Experiment &experiment)
{
    // An undo or an opened file is no longer what the hint is about.
    if (experiment != m_experiment)
        showHint({});
    m_experiment = experiment;
    for (ExperimentSection *section : m_sections)
        section->setExperiment(experiment);
    settle();
}

void ExperimentPanel::setPlan(const Plan &plan)
{
    m_formula->setFormula(trafficFormula(plan));
}

void ExperimentPanel::setMostRanks(int ranks)
{
    m_size->setMostRanks(ranks);
}

void ExperimentPanel::onEdited(const Experiment &wanted, int gesture)
{
    const Snapped snapped = snap(followDefaults(m_experiment, wanted));
    // The controls show what holds now, also where that is not what was asked for.
    setExperiment(snapped.valid ? snapped.experiment : m_experiment);
    showHint(snapped.hint);
    if (snapped.valid)
        Q_EMIT edited(m_experiment, gesture);
}

void ExperimentPanel::showHint(const QString &hint)
{
    m_hint->setText(hint);
    m_hint->setVisible(!hint.isEmpty());
}

void ExperimentPanel::applyLook(const Look &look)
{
    Card::applyLook(look);
    layout()->setSpacing(look.px(10));
    auto *scroll = findChild<QScrollArea *>();
    scroll->widget()->layout()->setSpacing(look.px(8));
    scroll->widget()->layout()->setContentsMargins(0, 0, look.px(8), 0);
    settle();
}

void ExperimentPanel::settle()
{
    auto *scroll = findChild<QScrollArea *>();
    settleLayouts(*scroll->widget());
    scroll->updateGeometry();
}

} // namespace shardscope
