// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/run_section.h"

#include "engine/plan/option_limits.h"
#include "ui/panels/milliseconds_box.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>
#include <utility>

namespace shardscope {

namespace {

constexpr DType kDTypes[] = {DType::F32, DType::BF16, DType::F16, DType::F64};

QComboBox *newCombo(const QString &name, const QString &tooltip)
{
    auto *combo = new QComboBox;
    combo->setAccessibleName(name);
    combo->setToolTip(tooltip);
    // Long titles elide in the box and not the panel's width.
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setMinimumContentsLength(12);
    return combo;
}

void addLabelled(QVBoxLayout &column, const QString &text, QWidget *control)
{
    auto *label = new QLabel(text);
    label->setBuddy(control);
    column.addWidget(label);
    column.addWidget(control);
}

} // namespace

RunSection::RunSection(QWidget *parent)
    : ExperimentSection(parent),
      m_dtype(new SegmentedChoice(tr("Number format"),
                                  {{QStringLiteral("f32"), tr("4 bytes a number")},
                                   {QStringLiteral("bf16"), tr("2 bytes a number; Gloo sums it as f32")},
                                   {QStringLiteral("f16"), tr("2 bytes a number")},
                                   {QStringLiteral("f64"), tr("8 bytes a number")}})),
      m_algorithm(
          newCombo(tr("Algorithm"), tr("Who sends what to whom in a collective. Ring: 2 (N−1) hops; "
                                       "halving-doubling: 2 log2 N; tree: to rank 0 and back; direct: one hop."))),
      m_hardware(newCombo(tr("Prediction for"), tr("The machine of the hollow, predicted bars."))),
      m_autoRun(new QCheckBox(tr("Run when the slider rests"))), m_moreButton(new QPushButton(tr("&More options"))),
      m_more(new QWidget)
{
    m_autoRun->setChecked(true);
    m_autoRun->setToolTip(
        tr("Measures training, prefill, decode and N = 1 as soon as nothing moves. Automatic runs: 1 warm-up step, "
           "then 3 to as many timed steps as chosen below, about 2 s each."));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    addLabelled(*column, tr("&Number format"), m_dtype);
    addLabelled(*column, tr("&Algorithm of collectives"), m_algorithm);
    addLabelled(*column, tr("&Prediction for"), m_hardware);
    column->addWidget(m_autoRun);
    column->addWidget(m_moreButton);
    column->addWidget(m_more);
    fillAlgorithms();
    buildMore();
    connect(m_dtype, &SegmentedChoice::chosen, this, [this](int index) {
        Experiment wanted = experiment();
        wanted.dtype = kDTypes[index];
        Q_EMIT edited(wanted, 0);
    });
    connect(m_algorithm, &QComboBox::activated, this, [this](int index) {
        Experiment wanted = experiment();
        wanted.algorithm = static_cast<Algorithm>(index);
        Q_EMIT edited(wanted, 0);
    });
    connect(m_hardware, &QComboBox::activated, this,
            [this](int index) { Q_EMIT hardwareChosen(m_hardware->itemData(index).toString()); });
    connect(m_autoRun, &QCheckBox::clicked, this, &RunSection::autoRunChanged);
}

void RunSection::fillAlgorithms()
{
    // In the order of the enumeration.
    m_algorithm->addItems({tr("Library's own (Gloo)"), tr("Ring"), tr("Tree"), tr("Direct"), tr("Halving-doubling")});
}

QSpinBox *RunSection::addSpin(const QString &text, const QString &tooltip, int low, int high)
{
    auto *grid = static_cast<QGridLayout *>(m_more->layout());
    auto *spin = new QSpinBox;
    spin->setRange(low, high);
    spin->setKeyboardTracking(false);
    spin->setLocale(QLocale::c());
    spin->setAccessibleName(text);
    spin->setToolTip(tooltip);
    auto *label = new QLabel(text);
    label->setBuddy(spin);
    const int row = grid->rowCount();
    grid->addWidget(label, row, 0);
    grid->addWidget(spin, row, 1);
    return spin;
}

void RunSection::buildMore()
{
    auto *grid = new QGridLayout(m_more);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setColumnStretch(0, 1);
    m_steps = addSpin(
        tr("Steps"),
        tr("Timed steps of a run; median and p10 to p90 are over these. Fewer, but at least 3, where they would "
           "take longer than 10 s; automatic runs: 2 s."),
        1, kMostSteps);
    m_warmup = addSpin(tr("Warm-up"), tr("Steps before the timed ones; out of the statistics. Automatic runs: 1."), 0,
                       kMostSteps);
    m_lateRank = addSpin(tr("Late rank"), tr("This rank starts each step late, to show the others waiting."), 0,
                         kMostRanksInRun - 1);
    m_lateMs = newMillisecondsBox(tr("How late"), tr("not late"));
    auto *label = new QLabel(tr("How late"));
    label->setBuddy(m_lateMs);
    const int row = grid->rowCount();
    grid->addWidget(label, row, 0);
    grid->addWidget(m_lateMs, row, 1);
    m_moreButton->setCheckable(true);
    m_more->hide();
    connect(m_moreButton, &QPushButton::toggled, m_more, &QWidget::setVisible);
    const auto connectSpin = [this](QSpinBox *spin, auto apply) {
        connect(spin, &QSpinBox::valueChanged, this, [this, apply](int value) {
            Experiment wanted = experiment();
            apply(wanted, value);
            Q_EMIT edited(wanted, 0);
        });
    };
    connectSpin(m_steps, [](Experiment &wanted, int value) { wanted.steps = value; });
    connectSpin(m_warmup, [](Experiment &wanted, int value) { wanted.warmup = value; });
    connect(m_lateRank, &QSpinBox::valueChanged, this, &RunSection::editDelay);
    connect(m_lateMs, &QDoubleSpinBox::valueChanged, this, &RunSection::editDelay);
}

void RunSection::editDelay()
{
    Experiment wanted = experiment();
    wanted.delay.reset();
    if (m_lateMs->value() > 0)
        wanted.delay = Delay{m_lateRank->value(), m_lateMs->value()};
    if (wanted.delay != experiment().delay)
        Q_EMIT edited(wanted, 0);
}

void RunSection::setHardware(const QVector<QPair<QString, QString>> &machines, const QString &chosen)
{
    // An open list is not rebuilt under the mouse.
    if (std::exchange(m_machines, machines) != machines) {
        m_hardware->clear();
        for (const auto &[id, title] : machines) {
            m_hardware->addItem(title, id);
            m_hardware->setItemData(m_hardware->count() - 1, title, Qt::ToolTipRole);
        }
    }
    m_hardware->setCurrentIndex(m_hardware->findData(chosen));
    // A long title is elided in the box.
    m_hardware->setToolTip(tr("The machine of the hollow, predicted bars: %1").arg(m_hardware->currentText()));
}

void RunSection::setAutoRun(bool on)
{
    m_autoRun->setChecked(on);
}

void RunSection::showExperiment()
{
    for (int i = 0; i < 4; ++i) {
        if (kDTypes[i] == experiment().dtype)
            m_dtype->setIndex(i);
    }
    m_algorithm->setCurrentIndex(static_cast<int>(experiment().algorithm));
    const auto quietly = [](auto *spin, auto value) {
        const QSignalBlocker quiet(spin);
        spin->setValue(value);
    };
    quietly(m_steps, experiment().steps);
    quietly(m_warmup, experiment().warmup);
    quietly(m_lateMs, experiment().delay ? experiment().delay->milliseconds : 0.0);
    if (experiment().delay) {
        const QSignalBlocker quiet(m_lateRank);
        m_lateRank->setMaximum(std::max(kMostRanksInRun - 1, experiment().delay->rank));
        m_lateRank->setValue(experiment().delay->rank);
    }
}

void RunSection::applyLook(const Look &look)
{
    layout()->setSpacing(look.px(6));
}

} // namespace shardscope
