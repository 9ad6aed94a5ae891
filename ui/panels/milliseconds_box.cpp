// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/milliseconds_box.h"

#include "engine/plan/option_limits.h"

#include <QCoreApplication>
#include <QDoubleSpinBox>

namespace shardscope {

namespace {

class ShortSpinBox : public QDoubleSpinBox
{
public:
    QString textFromValue(double value) const override { return locale().toString(value, 'g', 8); }
};

} // namespace

QDoubleSpinBox *newMillisecondsBox(const QString &name, const QString &zero)
{
    auto *box = new ShortSpinBox;
    box->setRange(0, kMostDelayMilliseconds);
    box->setDecimals(3);
    box->setSingleStep(5);
    box->setSuffix(QCoreApplication::translate("MillisecondsBox", " ms"));
    box->setSpecialValueText(zero);
    box->setKeyboardTracking(false);
    box->setLocale(QLocale::c());
    box->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    box->setAccessibleName(name);
    return box;
}

} // namespace shardscope
