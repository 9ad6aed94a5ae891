// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/model_lists.h"

#include "engine/simulate/model.h"

#include <QComboBox>
#include <QCoreApplication>

namespace shardscope {

QVector<QPair<QString, QString>> modelList()
{
    QVector<QPair<QString, QString>> models;
    for (const Model &preset : modelPresets())
        models.append({QString::fromStdString(preset.name), QString::fromStdString(preset.title)});
    return models;
}

QVector<QPair<QString, QString>> presetList()
{
    QVector<QPair<QString, QString>> presets;
    for (const Hardware &preset : hardwarePresets())
        presets.append({QString::fromStdString(preset.name), QString::fromStdString(preset.title)});
    return presets;
}

QVector<QPair<QString, QString>> bytesPerParameterList()
{
    const auto tr = [](const char *text) { return QCoreApplication::translate("ModelLists", text); };
    return {{QStringLiteral("18"), tr("18: bf16, fp32 gradient, Adam")},
            {QStringLiteral("16"), tr("16: bf16 gradient")},
            {QStringLiteral("12"), tr("12: no fp32 copy")}};
}

std::vector<int> powersOfTwo(int most)
{
    std::vector<int> stops;
    for (int stop = 1; stop <= most; stop *= 2)
        stops.push_back(stop);
    return stops;
}

const Hardware *presetChosen(const QComboBox &list)
{
    return findHardware(list.currentData().toString().toStdString());
}

void choose(QComboBox &list, const QString &id)
{
    list.setCurrentIndex(list.findData(id));
}

} // namespace shardscope
