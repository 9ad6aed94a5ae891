// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/advice_page.h"

#include "engine/plan/option_limits.h"
#include "engine/plan/option_reading.h"
#include "ui/pages/advice_sheet.h"
#include "ui/pages/model_lists.h"
#include "ui/pages/option_words.h"
#include "ui/pages/page_controls.h"
#include "ui/panels/segmented_choice.h"
#include "ui/texts.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QSpinBox>

namespace shardscope {

namespace {

constexpr int kMostStepSequences = 1 << 20;
constexpr double kMostMilliseconds = 60'000;

QDoubleSpinBox *newLatency()
{
    auto *spin = new QDoubleSpinBox;
    spin->setRange(0, kMostMilliseconds);
    spin->setDecimals(1);
    spin->setSpecialValueText(AdvicePage::tr("no target"));
    spin->setSuffix(QStringLiteral(" ms"));
    spin->setLocale(QLocale::c());
    spin->setKeyboardTracking(false);
    spin->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    return spin;
}

} // namespace

AdvicePage::AdvicePage(QWidget *parent) : Page(tr("Which layout to choose"), parent)
{
    addControls();
    connectControls();
    setOptions({});
}

void AdvicePage::addControls()
{
    PageControls &c = controls();
    m_phase = new SegmentedChoice(tr("For"), {{tr("Training"), tr("The shortest step")},
                                              {tr("Inference"), tr("Most tokens a second, within the target")}});
    c.addWidget(m_phase);
    m_model = c.addList(tr("&Model"), modelList(), tr("The shape of the model"));
    m_hardware = c.addList(tr("Ma&chine"), presetList(), tr("GPUs of a node, their memory and links"));
    m_gpus = c.addNumber(tr("&GPUs"), powersOfTwo(65536), 1, kMostGpus, tr("How many there are in all"));
    c.addCaption(tr("Training"));
    m_stepSequences = c.addNumber(tr("&Sequences a step"), powersOfTwo(1 << 16), 1, kMostStepSequences,
                                  tr("Of one optimizer step, over all replicas"));
    m_bytesPerParameter = c.addList(tr("&Bytes a parameter"), bytesPerParameterList(),
                                    tr("Weight, gradient and optimizer state of one parameter"));
    c.addCaption(tr("Inference"));
    m_serveSequences = c.addNumber(tr("Sequences at &once"), powersOfTwo(4096), 1, static_cast<int>(kMostBatch),
                                   tr("That one replica decodes together"));
    m_latency = newLatency();
    c.addRow(tr("&Latency target"), m_latency, tr("Most time for an output token"));
}

void AdvicePage::connectControls()
{
    connect(m_phase, &SegmentedChoice::chosen, this, &AdvicePage::refresh);
    for (QComboBox *list : {m_hardware, m_bytesPerParameter})
        connect(list, &QComboBox::currentIndexChanged, this, &AdvicePage::refresh);
    for (QSpinBox *spin : {m_gpus, m_stepSequences, m_serveSequences})
        connect(spin, &QSpinBox::valueChanged, this, &AdvicePage::refresh);
    connect(m_latency, &QDoubleSpinBox::valueChanged, this, &AdvicePage::refresh);
    connect(m_model, &QComboBox::currentIndexChanged, this, [this] {
        // As many tokens a step, in sequences of the other model's length.
        if (m_showing)
            return;
        OptionValues kept = values();
        kept.erase("global-batch");
        setOptions(wordsOf(kept));
    });
}

OptionValues AdvicePage::values() const
{
    OptionValues values{{"model", m_model->currentData().toString().toStdString()},
                        {"hardware", m_hardware->currentData().toString().toStdString()},
                        {"gpus", std::to_string(m_gpus->value())},
                        {"global-batch", std::to_string(m_stepSequences->value())},
                        {"bytes-per-parameter", m_bytesPerParameter->currentData().toString().toStdString()},
                        {"batch", std::to_string(m_serveSequences->value())},
                        {"phase", m_phase->index() == 1 ? "decode" : "training"}};
    if (m_latency->value() > 0)
        values["latency-ms"] = numberText(m_latency->value());
    return values;
}

void AdvicePage::refresh()
{
    if (m_showing)
        return;
    const Expected<AdviceValues> read = readAdviceValues(values());
    controls().setProblem(read ? QString() : sentence(read.problem()));
    if (read)
        setPicture(advicePicture(*read));
}

QString AdvicePage::options() const
{
    return wordsOf(values());
}

void AdvicePage::setOptions(const QString &words)
{
    const Expected<AdviceValues> read = readAdviceValues(valuesOf(words));
    if (!read)
        return;
    const AdviceQuestion &question = read->advice.question;
    m_showing = true;
    m_phase->setIndex(read->serving ? 1 : 0);
    choose(*m_model, QString::fromStdString(question.model.name));
    choose(*m_hardware, QString::fromStdString(question.hardware.name));
    m_gpus->setValue(question.gpus);
    m_stepSequences->setValue(static_cast<int>(question.stepSequences));
    choose(*m_bytesPerParameter, QString::number(question.bytesPerParameter));
    m_serveSequences->setValue(static_cast<int>(question.serveSequences));
    m_latency->setValue(question.tokenSeconds.value_or(0) * 1e3);
    m_showing = false;
    refresh();
}

} // namespace shardscope
