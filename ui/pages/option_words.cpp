// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/option_words.h"

#include <QStringList>

namespace shardscope {

QString wordsOf(const OptionValues &values)
{
    QStringList words;
    for (const auto &[option, value] : values)
        words << QStringLiteral("--") + QString::fromStdString(option) << QString::fromStdString(value);
    return words.join(QLatin1Char(' '));
}

OptionValues valuesOf(const QString &words)
{
    OptionValues values;
    const QStringList all = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (qsizetype i = 0; i + 1 < all.size(); i += 2) {
        if (all[i].startsWith(QLatin1String("--")))
            values[all[i].mid(2).toStdString()] = all[i + 1].toStdString();
    }
    return values;
}

} // namespace shardscope
