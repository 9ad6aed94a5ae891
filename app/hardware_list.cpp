// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/hardware_list.h"

#include "engine/plan/experiment_options.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>

namespace shardscope {

namespace {

QString thisMachineTitle(const Predictor &predictor, DType dtype, const QString &remote)
{
    const auto tr = [](const char *text) { return QCoreApplication::translate("HardwareList", text); };
    const QString machine = remote.isEmpty() ? tr("This machine") : remote;
    if (predictor.knowsThisMachine(dtype))
        return machine;
    const QString standIn =
        QString::fromStdString(findHardware(kFallbackHardware)->title).section(QLatin1Char(','), 0, 0);
    return tr("%1; until %2 is measured, %3").arg(machine, QString::fromUtf8(name(dtype).data()), standIn);
}

} // namespace

QVector<QPair<QString, QString>> hardwareList(const Predictor &predictor, DType dtype, const QString &remote)
{
    QVector<QPair<QString, QString>> machines{
        {QString::fromUtf8(kThisMachine.data()), thisMachineTitle(predictor, dtype, remote)}};
    for (const Hardware &preset : hardwarePresets())
        machines.append({QString::fromStdString(preset.name), QString::fromStdString(preset.title)});
    return machines;
}

QString optionsOf(const Experiment &experiment, const std::string &hardware, const QString &remote)
{
    QString options = QString::fromStdString(commandLine(experiment));
    // Without any option the window opens with what it kept.
    if (options.isEmpty())
        options = QStringLiteral("--ranks %1").arg(experiment.ranks());
    if (hardware != kThisMachine)
        options += QStringLiteral(" --hardware ") + QString::fromStdString(hardware);
    if (!remote.isEmpty())
        options += QStringLiteral(" --remote ") + remote;
    return options;
}

QString shellWord(const QString &file)
{
    const QFileInfo info(file);
    const QString found = QStandardPaths::findExecutable(info.fileName());
    if (!found.isEmpty() && QFileInfo(found).canonicalFilePath() == info.canonicalFilePath())
        return info.fileName();
    const QString path = QDir::toNativeSeparators(info.absoluteFilePath());
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_./+-]+$"));
    if (plain.match(path).hasMatch())
        return path;
    return QLatin1Char('\'') + QString(path).replace(QLatin1Char('\''), QLatin1String("'\\''")) + QLatin1Char('\'');
}

} // namespace shardscope
