// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/labelled_row.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace shardscope {

QWidget *labelledRow(const QString &label, QWidget *control, bool below)
{
    auto *row = new QWidget;
    auto *text = new QLabel(label);
    text->setBuddy(control);
    QBoxLayout *layout = nullptr;
    if (below)
        layout = new QVBoxLayout(row);
    else
        layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(3);
    layout->addWidget(text, below ? 0 : 1);
    layout->addWidget(control);
    return row;
}

QString spoken(QString label)
{
    return label.remove(QLatin1Char('&'));
}

} // namespace shardscope
