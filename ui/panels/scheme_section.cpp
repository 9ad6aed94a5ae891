// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/scheme_section.h"

#include "ui/texts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QVBoxLayout>

namespace shardscope {

namespace {

constexpr Scheme kSchemes[] = {Scheme::Mlp, Scheme::Column, Scheme::Row, Scheme::BugRowBiasEachRank,
                               Scheme::BugAllReduceColumns};

} // namespace

SchemeSection::SchemeSection(QWidget *parent)
    : ExperimentSection(parent), m_scheme(new QComboBox),
      m_phase(new SegmentedChoice(
          tr("Phase"), {{tr("Training"), tr("Forward and backward: diagram and timeline show both passes.")},
                        {tr("Prefill"), tr("Inference over the whole prompt: forward only, t = b · s tokens.")},
                        {tr("Decode"), tr("Inference token by token: forward only, t = b tokens.")}})),
      m_mlp(new SegmentedChoice(tr("MLP"),
                                {{tr("GELU"), tr("Y = GELU(X·W1)·W2")},
                                 {tr("SwiGLU"), tr("Y = (silu(X·Wg) * X·Wu)·W2: gate and up both column-parallel")}}))
{
    m_scheme->addItem(tr("MLP: columns, then rows"));
    m_scheme->addItem(tr("Column-parallel linear"));
    m_scheme->addItem(tr("Row-parallel linear"));
    m_scheme->addItem(tr("Bug: bias on every rank"));
    m_scheme->addItem(tr("Bug: all-reduce of columns"));
    m_scheme->setToolTip(tr("How the weights are cut: column W[:, k], row W[k, :], or both as in Megatron's MLP."));
    m_scheme->setAccessibleName(tr("Scheme"));
    m_scheme->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    auto *label = new QLabel(tr("S&cheme"));
    label->setBuddy(m_scheme);
    column->addWidget(label);
    column->addWidget(m_scheme);
    column->addWidget(m_mlp);
    column->addWidget(new QLabel(tr("Phase shown")));
    column->addWidget(m_phase);
    addSwitch("bias", &Experiment::bias, tr("Bias"),
              tr("Y = X·W + bias. A row-parallel bias is added once, after the sum."));
    addSwitch("gather-output", &Experiment::gatherOutput, tr("Gather the output"),
              tr("All-gather Y so that every rank holds all columns: (N−1)/N · t·f sent by each rank."));
    addSwitch("input-parallel", &Experiment::inputParallel, tr("Input arrives sharded"),
              tr("X is already cut along its columns, as a column-parallel layer leaves it."));
    addSwitch("input-gradient", &Experiment::inputGradient, tr("Input needs a gradient"),
              formulaText(
                  tr("dX = dY·Wᵀ is a partial sum on every rank and needs an all-reduce in backward.").toStdString()));
    connect(m_scheme, &QComboBox::activated, this, [this](int index) {
        Experiment wanted = experiment();
        wanted.scheme = kSchemes[index];
        Q_EMIT edited(wanted, 0);
    });
    connect(m_phase, &SegmentedChoice::chosen, this, [this](int index) {
        Experiment wanted = experiment();
        wanted.phase = static_cast<Phase>(index);
        Q_EMIT edited(wanted, 0);
    });
    connect(m_mlp, &SegmentedChoice::chosen, this, [this](int index) {
        Experiment wanted = experiment();
        wanted.mlp = static_cast<MlpKind>(index);
        Q_EMIT edited(wanted, 0);
    });
}

void SchemeSection::addSwitch(const char *option, bool Experiment::*member, const QString &text, const QString &tooltip)
{
    auto *box = new QCheckBox(text);
    box->setToolTip(tooltip);
    box->setAccessibleDescription(tooltip);
    layout()->addWidget(box);
    m_switches.push_back({option, member, box});
    connect(box, &QCheckBox::clicked, this, [this, member](bool on) {
        Experiment wanted = experiment();
        wanted.*member = on;
        Q_EMIT edited(wanted, 0);
    });
}

void SchemeSection::showExperiment()
{
    for (int i = 0; i < m_scheme->count(); ++i) {
        if (kSchemes[i] == experiment().scheme)
            m_scheme->setCurrentIndex(i);
    }
    m_phase->setIndex(static_cast<int>(experiment().phase));
    m_mlp->setIndex(static_cast<int>(experiment().mlp));
    m_mlp->setVisible(applies("mlp"));
    for (const Switch &entry : m_switches) {
        entry.box->setChecked(experiment().*entry.member);
        entry.box->setVisible(applies(entry.option));
    }
}

void SchemeSection::applyLook(const Look &look)
{
    layout()->setSpacing(look.px(6));
}

} // namespace shardscope
