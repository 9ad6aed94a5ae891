// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/option_section.h"

#include "ui/panels/labelled_row.h"
#include "ui/panels/milliseconds_box.h"
#include "ui/panels/snap.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

namespace shardscope {

namespace {

QString tooltipOf(const OptionSection::Word &word, const QString &why)
{
    return why.isEmpty() ? word.tooltip : OptionSection::tr("Not now: %1").arg(why);
}

} // namespace

OptionSection::OptionSection(const QString &caption, QWidget *parent)
    : ExperimentSection(parent), m_caption(new TextLabel(caption, 13, 600, TextLabel::Role::Text2)),
      m_column(new QVBoxLayout(this))
{
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->addWidget(m_caption);
}

void OptionSection::addRow(const char *option, QWidget *widget, std::function<void()> show)
{
    m_column->addWidget(widget);
    m_rows.push_back({option, widget, std::move(show)});
}

QString OptionSection::valueOf(const char *option) const
{
    return QString::fromStdString(findOption(option)->get(experiment()));
}

void OptionSection::setOption(const char *option, const QString &value)
{
    Experiment wanted = experiment();
    // A value that the option does not know cannot come from its own control.
    if (!findOption(option)->set(wanted, value.toStdString()) && wanted != experiment())
        Q_EMIT edited(wanted, 0);
}

void OptionSection::addNumber(const char *option, const QString &label, const QString &tooltip, int least, int most)
{
    auto *spin = new QSpinBox;
    spin->setRange(least, most);
    spin->setKeyboardTracking(false);
    spin->setLocale(QLocale::c());
    spin->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    spin->setAccessibleName(spoken(label));
    spin->setAccessibleDescription(tooltip);
    QWidget *row = labelledRow(label, spin, false);
    row->setToolTip(tooltip);
    connect(spin, &QSpinBox::valueChanged, this,
            [this, option](int value) { setOption(option, QString::number(value)); });
    addRow(option, row, [this, option, spin, most] {
        const QSignalBlocker quiet(spin);
        const int value = valueOf(option).toInt();
        // An experiment that was opened may be larger than what the control goes to.
        spin->setMaximum(std::max(most, value));
        spin->setValue(value);
    });
}

void OptionSection::addSwitch(const char *option, const QString &label, const QString &tooltip)
{
    auto *box = new QCheckBox(label);
    box->setAccessibleDescription(tooltip);
    connect(box, &QCheckBox::clicked, this,
            [this, option](bool on) { setOption(option, on ? QStringLiteral("on") : QStringLiteral("off")); });
    addRow(option, box, [this, option, box, tooltip] {
        const bool on = valueOf(option) == QLatin1String("on");
        const QString why = whyNot(experiment(), option, on ? "off" : "on");
        box->setChecked(on);
        box->setEnabled(why.isEmpty());
        box->setToolTip(why.isEmpty() ? tooltip : tr("Not now: %1").arg(why));
    });
}

void OptionSection::addChoice(const char *option, const QString &label, const std::vector<Word> &words)
{
    QVector<SegmentedChoice::Option> options;
    for (const Word &word : words)
        options.append({word.text, word.tooltip});
    auto *choice = new SegmentedChoice(spoken(label), options);
    connect(choice, &SegmentedChoice::chosen, this, [this, option, words](int index) {
        setOption(option, QLatin1String(words[static_cast<std::size_t>(index)].value));
    });
    addRow(option, labelledRow(label, choice, true), [this, option, choice, words] {
        for (std::size_t i = 0; i < words.size(); ++i) {
            const bool now = valueOf(option) == QLatin1String(words[i].value);
            const QString why = now ? QString() : whyNot(experiment(), option, words[i].value);
            choice->setState(static_cast<int>(i), why.isEmpty(), tooltipOf(words[i], why));
            if (now)
                choice->setIndex(static_cast<int>(i));
        }
    });
}

void OptionSection::addDelays(const char *option, const QString &forward, const QString &backward,
                              const QString &tooltip)
{
    auto *rows = new QWidget;
    auto *column = new QVBoxLayout(rows);
    column->setContentsMargins(0, 0, 0, 0);
    std::array<QDoubleSpinBox *, 2> boxes{};
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const QString &label = i == 0 ? forward : backward;
        boxes[i] = newMillisecondsBox(spoken(label), tr("as it is"));
        boxes[i]->setAccessibleDescription(tooltip);
        column->addWidget(labelledRow(label, boxes[i], false));
    }
    rows->setToolTip(tooltip);
    for (QDoubleSpinBox *box : boxes) {
        connect(box, &QDoubleSpinBox::valueChanged, this, [this, option, boxes] {
            const bool none = boxes[0]->value() == 0 && boxes[1]->value() == 0;
            setOption(option, none ? QStringLiteral("none")
                                   : QStringLiteral("%1:%2").arg(boxes[0]->value()).arg(boxes[1]->value()));
        });
    }
    addRow(option, rows, [this, option, boxes] {
        const QString value = valueOf(option);
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            const QSignalBlocker quiet(boxes[i]);
            const auto part = static_cast<int>(i);
            boxes[i]->setValue(value == QLatin1String("none") ? 0
                                                              : value.section(QLatin1Char(':'), part, part).toDouble());
        }
    });
}

void OptionSection::addList(const char *option, const QString &label, const QString &tooltip,
                            const std::vector<Word> &words)
{
    auto *combo = new QComboBox;
    for (const Word &word : words)
        combo->addItem(word.text);
    combo->setAccessibleName(spoken(label));
    combo->setToolTip(tooltip);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setMinimumContentsLength(12);
    connect(combo, &QComboBox::activated, this, [this, option, words](int index) {
        setOption(option, QLatin1String(words[static_cast<std::size_t>(index)].value));
    });
    addRow(option, labelledRow(label, combo, true), [this, option, combo, words] {
        auto *items = qobject_cast<QStandardItemModel *>(combo->model());
        for (std::size_t i = 0; i < words.size(); ++i) {
            const bool now = valueOf(option) == QLatin1String(words[i].value);
            const QString why = now ? QString() : whyNot(experiment(), option, words[i].value);
            QStandardItem *item = items->item(static_cast<int>(i));
            item->setEnabled(why.isEmpty());
            item->setToolTip(tooltipOf(words[i], why));
            if (now)
                combo->setCurrentIndex(static_cast<int>(i));
        }
    });
}

void OptionSection::showExperiment()
{
    bool any = false;
    for (const Row &row : m_rows) {
        const bool used = applies(row.option);
        row.widget->setVisible(used);
        if (used)
            row.show();
        any |= used;
    }
    m_caption->setVisible(any);
    setVisible(any);
}

void OptionSection::applyLook(const Look &look)
{
    m_column->setSpacing(look.px(6));
}

} // namespace shardscope
