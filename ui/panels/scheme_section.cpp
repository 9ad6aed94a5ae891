// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/scheme_section.h"

#include "ui/panels/derived_values.h"
#include "ui/panels/scheme_list.h"

#include <QVBoxLayout>

namespace shardscope {

SchemeSection::SchemeSection(QWidget *parent)
    : ExperimentSection(parent), m_scheme(new SchemeList),
      m_phase(new SegmentedChoice(
          tr("Phase"), {{tr("Training"), tr("Forward and backward: diagram and timeline show both passes.")},
                        {tr("Prefill"), tr("Inference over the whole prompt: forward only, t = b · s tokens.")},
                        {tr("Decode"), tr("Inference token by token: forward only, t = b tokens.")}}))
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    auto *label = new QLabel(tr("S&cheme"));
    label->setBuddy(m_scheme);
    column->addWidget(label);
    column->addWidget(m_scheme);
    column->addWidget(new QLabel(tr("Phase shown")));
    column->addWidget(m_phase);
    connect(m_scheme, &SchemeList::chosen, this,
            [this](Scheme scheme) { Q_EMIT edited(withScheme(experiment(), scheme), 0); });
    connect(m_phase, &SegmentedChoice::chosen, this, [this](int index) {
        Experiment wanted = experiment();
        wanted.phase = static_cast<Phase>(index);
        Q_EMIT edited(wanted, 0);
    });
}

void SchemeSection::showExperiment()
{
    m_scheme->setScheme(experiment().scheme);
    m_phase->setIndex(static_cast<int>(experiment().phase));
}

void SchemeSection::applyLook(const Look &look)
{
    layout()->setSpacing(look.px(6));
}

} // namespace shardscope
