// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/hardware_list.h"

#include "engine/plan/experiment_options.h"

#include <QCoreApplication>

namespace shardscope {

QVector<QPair<QString, QString>> hardwareList(const Predictor &predictor)
{
    const QString name = QCoreApplication::translate("HardwareList", "This machine");
    const QString pending = QCoreApplication::translate("HardwareList", "This machine (not measured yet)");
    QVector<QPair<QString, QString>> machines{
        {QString::fromUtf8(kThisMachine.data()), predictor.thisMachine() ? name : pending}};
    for (const Hardware &preset : hardwarePresets())
        machines.append({QString::fromStdString(preset.name), QString::fromStdString(preset.title)});
    return machines;
}

QString commandLineOf(const Experiment &experiment, const std::string &hardware)
{
    QString options = QString::fromStdString(commandLine(experiment));
    // Without any option the window opens with what it kept.
    if (options.isEmpty())
        options = QStringLiteral("--ranks %1").arg(experiment.ranks());
    QString command = QStringLiteral("shardscope ") + options;
    if (hardware != kThisMachine)
        command += QStringLiteral(" --hardware ") + QString::fromStdString(hardware);
    return command;
}

} // namespace shardscope
