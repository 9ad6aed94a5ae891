// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/texts.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace shardscope {

QString withMicroSign(QString text)
{
    static const QRegularExpression micro(QStringLiteral("(?<=[\\d,])([ \u00a0])us\\b"));
    return text.contains(QLatin1String("us")) ? text.replace(micro, QStringLiteral("\\1\u00b5s")) : text;
}

QString typeset(QString text)
{
    static const QRegularExpression times(QStringLiteral("(?<=\\d)x\\b"));
    static const QRegularExpression unit(QStringLiteral("(?<=\\d) (?=(?:[KMGT]?i?B|ns|µs|ms|s|[KMG]?B/s)(?:\\W|$))"));
    return text.replace(times, QStringLiteral("×")).replace(unit, QStringLiteral("\u00a0"));
}

QString sentence(const Text &text)
{
    // The template is translated, not the sentence: the arguments are names and numbers.
    const std::string_view pattern = englishTemplate(text.id);
    const QString translated = QCoreApplication::translate("Text", std::string(pattern).c_str());
    return withMicroSign(formulaText(fillPlaceholders(translated.toStdString(), text.args)));
}

QString counted(qint64 count, const QString &forms)
{
    const std::string all = forms.toStdString();
    const std::string_view form = pluralForm(all, count);
    return QString::fromUtf8(form.data(), static_cast<qsizetype>(form.size())).arg(count);
}

QString formulaText(const std::string &formula)
{
    return QString::fromStdString(formula).replace(QChar(0x1D40), QChar(0x1D57));
}

QString opName(CollectiveOp op)
{
    return opName(name(op));
}

QString opName(std::string_view op)
{
    return QString::fromUtf8(op.data(), static_cast<qsizetype>(op.size())).replace(QLatin1Char('_'), QLatin1Char('-'));
}

} // namespace shardscope
