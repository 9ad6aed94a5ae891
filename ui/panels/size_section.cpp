// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/size_section.h"

#include "ui/panels/derived_values.h"

#include <QVBoxLayout>

namespace shardscope {

namespace {

/// Powers of two with their halfway stops: 256, 384, 512, 768, ...
std::vector<int> stopsBetween(int first, int last)
{
    std::vector<int> stops;
    for (int power = first; power <= last; power *= 2) {
        stops.push_back(power);
        if (power > 1 && power * 3 / 2 <= last)
            stops.push_back(power * 3 / 2);
    }
    return stops;
}

} // namespace

SizeSection::SizeSection(QWidget *parent)
    : ExperimentSection(parent), m_ranks(new ValueSlider(tr("&Ranks, N"), {1, 2, 4, 8, 16, 32, 64})),
      m_ranksNote(new TextLabel({}, 12, 400, TextLabel::Role::Text3)),
      m_hidden(new ValueSlider(tr("&Hidden size, h"), stopsBetween(256, 16384))),
      m_batch(new ValueSlider(tr("&Batch, b"), stopsBetween(1, 64))),
      m_sequence(new ValueSlider(tr("&Sequence, s"), stopsBetween(1, 8192)))
{
    m_ranks->setExplanation(tr("How many ranks share the layer. Each holds 1/N of the weights; "
                               "an all-reduce sends 2 (N−1)/N of the result from every rank."));
    m_hidden->setExplanation(tr("Width h of the layer's input and output. Weights grow with h², messages with h."));
    m_batch->setExplanation(tr("Sequences per step, b. Tokens t = b · s; in decode one token per sequence, t = b."));
    m_sequence->setExplanation(tr("Tokens per sequence, s. Tokens t = b · s in training and prefill."));
    m_ranksNote->setWordWrap(true);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_ranks);
    column->addWidget(m_ranksNote);
    column->addWidget(m_hidden);
    column->addWidget(m_batch);
    column->addWidget(m_sequence);
    connect(m_ranks, &ValueSlider::edited, this, &SizeSection::editRanks);
    const auto connectSize = [this](ValueSlider *slider, std::int64_t Experiment::*size) {
        connect(slider, &ValueSlider::edited, this, [this, size](int value, int gesture) {
            Experiment wanted = experiment();
            wanted.*size = value;
            Q_EMIT edited(wanted, gesture);
        });
    };
    connectSize(m_hidden, &Experiment::hidden);
    connectSize(m_batch, &Experiment::batch);
    connectSize(m_sequence, &Experiment::sequence);
}

void SizeSection::setMostRanks(int ranks)
{
    m_ranksNote->setText(tr("1 · 2 · 4 … 64 (above %1: predicted, not measured)").arg(ranks));
}

void SizeSection::editRanks(int ranks, int gesture)
{
    Experiment wanted = experiment();
    wanted.mesh = meshWithRanks(wanted, ranks);
    Q_EMIT edited(wanted, gesture);
}

void SizeSection::showExperiment()
{
    m_ranks->setValue(experiment().ranks());
    m_hidden->setValue(experiment().hidden);
    m_batch->setValue(experiment().batch);
    m_sequence->setValue(experiment().sequence);
}

} // namespace shardscope
