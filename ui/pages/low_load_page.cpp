// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/low_load_page.h"

#include "ui/pages/low_load_sheet.h"
#include "ui/pages/option_words.h"
#include "ui/pages/page_controls.h"

#include <QComboBox>

namespace shardscope {

LowLoadPage::LowLoadPage(QWidget *parent) : MeasuredPage(tr("One rank or many at low load"), parent)
{
    m_phase = controls().addList(tr("&Phase"),
                                 {{QStringLiteral("decode"), tr("Decode: a token a sequence")},
                                  {QStringLiteral("prefill"), tr("Prefill")},
                                  {QStringLiteral("training"), tr("Training")}},
                                 tr("Low load is mostly a matter of decode: few tokens a step"));
    controls().addText(tr("The workbench's layer on 1, 2, 4 ranks and its own number, with small batches. More "
                          "ranks compute less each, but add a latency that no batch is too small for."));
    addMeasureButton(
        tr("&Measure points"),
        tr("Runs batches of 1, 4, 16 and 64 on each number of ranks, as far as a step takes about a second"));
    connect(m_phase, &QComboBox::currentIndexChanged, this, [this] { refresh(); });
}

Phase LowLoadPage::phase() const
{
    const QString chosen = m_phase->currentData().toString();
    return chosen == QLatin1String("training")  ? Phase::Training
           : chosen == QLatin1String("prefill") ? Phase::Prefill
                                                : Phase::Decode;
}

QString LowLoadPage::options() const
{
    return wordsOf({{"phase", m_phase->currentData().toString().toStdString()}});
}

void LowLoadPage::setOptions(const QString &words)
{
    const OptionValues values = valuesOf(words);
    const auto phase = values.find("phase");
    const int index = phase == values.end() ? -1 : m_phase->findData(QString::fromStdString(phase->second));
    if (index >= 0)
        m_phase->setCurrentIndex(index);
}

std::vector<Experiment> LowLoadPage::wantedRuns() const
{
    return lowLoadPoints(input().experiment, phase(), true);
}

void LowLoadPage::showInput()
{
    setPictureLater([experiment = input().experiment, phase = phase(),
                     measured = measuredOf(wantedRuns(), input().runs),
                     runs = input().runs] { return lowLoadPicture(lowLoadValues(experiment, phase, measured, runs)); });
}

} // namespace shardscope
