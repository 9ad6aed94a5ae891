// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/memory_page.h"

#include "engine/plan/option_limits.h"
#include "ui/pages/memory_sheet.h"
#include "ui/pages/model_lists.h"
#include "ui/pages/option_words.h"
#include "ui/pages/page_controls.h"
#include "ui/texts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QSignalBlocker>
#include <QSpinBox>

namespace shardscope {

namespace {

constexpr char kFirst[] = "--model gpt3 --tp 8"; ///< until the user chooses

} // namespace

MemoryPage::MemoryPage(QWidget *parent) : Page(tr("Memory of one GPU"), parent)
{
    addControls();
    connectControls();
    setOptions(QLatin1String(kFirst));
}

void MemoryPage::addControls()
{
    PageControls &c = controls();
    m_model = c.addList(tr("&Model"), modelList(), tr("The shape of the model; its parameters are counted exactly"));
    m_hardware = c.addList(tr("&GPU"), presetList(), tr("Whose memory is the limit"));
    c.addCaption(tr("Layout"));
    m_tp = c.addNumber(tr("&TP, ranks of a layer"), powersOfTwo(64), 1, kMostGpus,
                       tr("Tensor parallelism cuts every matrix: sharded/t + replicated"));
    m_pp = c.addNumber(tr("&PP, stages"), powersOfTwo(64), 1, kMostGpus, tr("Pipeline parallelism cuts the layers"));
    m_dp = c.addNumber(tr("&DP, replicas"), powersOfTwo(1024), 1, kMostGpus,
                       tr("Data parallelism copies everything; ZeRO cuts the copies"));
    m_microBatches = c.addNumber(tr("Micro-&batches, 0: PP"), powersOfTwo(256), 0, static_cast<int>(kMostBatch),
                                 tr("m of a training step; the first stage keeps min(m, PP) of them"));
    addTrainingControls();
    c.addCaption(tr("Load"));
    m_batch = c.addNumber(tr("Se&quences"), powersOfTwo(4096), 1, static_cast<int>(kMostBatch),
                          tr("Training: of one micro-batch; inference: at once"));
    m_sequence = c.addNumber(tr("To&kens of each"), powersOfTwo(1 << 20), 1, static_cast<int>(kMostSequence),
                             tr("Training: of a sequence; inference: in the KV cache"));
    m_weights = c.addList(tr("Weights at &inference"),
                          {{QStringLiteral("bf16"), QStringLiteral("bf16")},
                           {QStringLiteral("fp8"), QStringLiteral("fp8")},
                           {QStringLiteral("int8"), QStringLiteral("int8")}},
                          tr("Number format of the layers' matrices; the KV cache stays in 16 bits"));
}

void MemoryPage::addTrainingControls()
{
    PageControls &c = controls();
    c.addCaption(tr("Training"));
    m_zero = c.addList(tr("&ZeRO"),
                       {{QStringLiteral("0"), tr("0: nothing is cut over DP")},
                        {QStringLiteral("1"), tr("1: optimizer")},
                        {QStringLiteral("2"), tr("2: and gradients")},
                        {QStringLiteral("3"), tr("3: and weights")}},
                       tr("What is cut over the DP replicas"));
    m_recompute = c.addList(tr("&Recomputation"),
                            {{QStringLiteral("none"), tr("None")},
                             {QStringLiteral("selective"), tr("Selective: core attention")},
                             {QStringLiteral("full"), tr("Full: only a layer's input is kept")}},
                            tr("What backward computes again instead of keeping it"));
    m_bytesPerParameter = c.addList(tr("Bytes a parameter"), bytesPerParameterList(),
                                    tr("Weight, gradient and optimizer state of one parameter"));
    m_sequenceParallel =
        c.addSwitch(tr("&Sequence parallelism"), tr("Cuts the activations between the parallel layers by tokens"));
}

void MemoryPage::connectControls()
{
    for (QComboBox *list : {m_hardware, m_zero, m_recompute, m_bytesPerParameter, m_weights})
        connect(list, &QComboBox::currentIndexChanged, this, &MemoryPage::refresh);
    for (QSpinBox *spin : {m_tp, m_pp, m_dp, m_microBatches, m_batch, m_sequence})
        connect(spin, &QSpinBox::valueChanged, this, &MemoryPage::refresh);
    connect(m_sequenceParallel, &QCheckBox::toggled, this, &MemoryPage::refresh);
    connect(m_model, &QComboBox::currentIndexChanged, this, [this] {
        // Another model is trained on sequences of its own length.
        if (!m_showing) {
            const QSignalBlocker quiet(m_sequence);
            m_sequence->setValue(static_cast<int>(model().sequence));
        }
        refresh();
    });
}

const Model &MemoryPage::model() const
{
    return *findModel(m_model->currentData().toString().toStdString());
}

MemorySettings MemoryPage::settings() const
{
    MemorySettings settings;
    settings.tp = m_tp->value();
    settings.pp = m_pp->value();
    settings.dp = m_dp->value();
    settings.zero = settings.dp > 1 ? m_zero->currentIndex() : 0;
    settings.sequenceParallel = settings.tp > 1 && m_sequenceParallel->isChecked();
    settings.recompute = static_cast<Recompute>(m_recompute->currentIndex());
    settings.bytesPerParameter = m_bytesPerParameter->currentData().toInt();
    settings.batch = m_batch->value();
    settings.sequence = m_sequence->value();
    if (settings.pp > 1 && m_microBatches->value() > 0)
        settings.microBatches = m_microBatches->value();
    settings.weights = static_cast<WeightFormat>(m_weights->currentIndex());
    return settings;
}

void MemoryPage::refresh()
{
    if (m_showing)
        return;
    enableWhatApplies();
    const Expected<MemorySettings> read = readMemorySettings(model(), optionsOf(model(), settings()));
    controls().setProblem(read ? QString() : sentence(read.problem()));
    if (read)
        setPicture(memoryPicture(memoryValues(model(), *read, *presetChosen(*m_hardware))));
}

void MemoryPage::enableWhatApplies()
{
    m_zero->setEnabled(m_dp->value() > 1);
    m_sequenceParallel->setEnabled(m_tp->value() > 1);
    m_microBatches->setEnabled(m_pp->value() > 1);
}

void MemoryPage::show(const Model &model, const MemorySettings &settings, const Hardware &hardware)
{
    m_showing = true;
    choose(*m_model, QString::fromStdString(model.name));
    choose(*m_hardware, QString::fromStdString(hardware.name));
    m_tp->setValue(settings.tp);
    m_pp->setValue(settings.pp);
    m_dp->setValue(settings.dp);
    m_zero->setCurrentIndex(settings.zero);
    m_sequenceParallel->setChecked(settings.sequenceParallel);
    m_recompute->setCurrentIndex(static_cast<int>(settings.recompute));
    choose(*m_bytesPerParameter, QString::number(settings.bytesPerParameter));
    m_batch->setValue(static_cast<int>(settings.batch));
    m_sequence->setValue(static_cast<int>(settings.sequence));
    m_microBatches->setValue(settings.microBatches.value_or(0));
    m_weights->setCurrentIndex(static_cast<int>(settings.weights));
    m_showing = false;
    refresh();
}

QString MemoryPage::options() const
{
    OptionValues values = optionsOf(model(), settings());
    values["hardware"] = m_hardware->currentData().toString().toStdString();
    return wordsOf(values);
}

void MemoryPage::setOptions(const QString &words)
{
    if (const Expected<MemoryValues> read = readMemoryValues(valuesOf(words)))
        show(read->model, read->settings, read->hardware);
}

} // namespace shardscope
