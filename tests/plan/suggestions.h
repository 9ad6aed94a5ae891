// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/refusal.h"

#include <QRegularExpression>
#include <QString>
#include <QStringList>

namespace shardscope {

/// "--heads 8 or 20, or --ranks 2 --kv-heads 2 without --zero" as what is to be typed. Empty where a refusal names a
/// range only.
inline std::vector<Changes> suggestions(const QString &message)
{
    QString tail = message.mid(message.lastIndexOf(QLatin1String("allowed: ")) + 9);
    tail.remove(QLatin1Char('\'')); // around a list of meshes, for the shell
    std::vector<Changes> found;
    if (!tail.startsWith(QLatin1String("--")) && !tail.startsWith(QLatin1String("without")))
        return found;
    for (const QString &clause : tail.split(QStringLiteral(", or "))) {
        const QStringList alternatives = clause.split(QRegularExpression(QStringLiteral(" or |, ")));
        const QStringList words = alternatives.front().split(QLatin1Char(' '));
        const auto without = words.indexOf(QStringLiteral("without"));
        Changes changes;
        for (qsizetype i = 0; i < words.size(); ++i) {
            const std::string option = words[i].mid(2).toStdString();
            if (without >= 0 && i > without)
                changes.push_back({option, std::nullopt});
            else if (i != without)
                changes.push_back({option, words.at(++i).toStdString()});
        }
        found.push_back(changes);
        for (const QString &value : alternatives.mid(1))
            found.push_back({{changes.front().option, value.toStdString()}});
    }
    return found;
}

} // namespace shardscope
