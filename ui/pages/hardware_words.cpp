// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/option_limits.h"
#include "ui/charts/number_format.h"
#include "ui/pages/gpu_paths.h"
#include "ui/pages/hardware_values.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>

namespace shardscope {

namespace {

/// "8 × H100 80GB HBM3", or "4 GPUs" of several kinds.
QString gpusWords(const Topology &topology)
{
    const std::string &first = topology.gpus.front().name;
    const bool alike = std::ranges::all_of(topology.gpus, [&](const GpuState &gpu) { return gpu.name == first; });
    const auto count = static_cast<qint64>(topology.gpus.size());
    if (alike && !first.empty())
        return QStringLiteral("%1 %2 %3").arg(count).arg(QChar(0xd7)).arg(shortGpuName(first));
    return counted(count, tr("%1 GPU|%1 GPUs"));
}

/// Those that ranks may use.
int coresForRanks(const HardwareValues &values)
{
    const int all = values.topology ? coresIn(*values.topology) : 0;
    return values.usableCores > 0 && (all <= 0 || values.usableCores < all) ? values.usableCores : all;
}

QString nodesWords(const Topology &topology)
{
    return counted(static_cast<qint64>(topology.nodes.size()), tr("%1 NUMA node|%1 NUMA nodes"));
}

QString fastest(const Topology &topology)
{
    const std::vector<PathKind> kinds = pathKinds(topology);
    if (kinds.empty() || kinds.front().expectedGBps <= 0)
        return {};
    return formatGBs(kinds.front().expectedGBps);
}

QString gpuFinding(const Topology &topology)
{
    const QString gpus = gpusWords(topology);
    const QString speed = fastest(topology);
    const QString each = speed.isEmpty() ? QString() : tr(", %1 each way between the nearest two").arg(speed);
    switch (fabricOf(topology)) {
    case GpuFabric::Switch:
        return tr("%1 on a switch: every pair talks by NVLink%2")
            .arg(gpus, speed.isEmpty() ? QString() : tr(", %1 each way").arg(speed));
    case GpuFabric::Links:
        return tr("%1, NVLinks from GPU to GPU%2").arg(gpus, each);
    case GpuFabric::Pcie:
        return tr("%1 without NVLink: they talk over PCIe%2").arg(gpus, each);
    case GpuFabric::None:
        break;
    }
    return tr("%1: no other GPU to talk to").arg(gpus);
}

QString machineFinding(const HardwareValues &values)
{
    const Topology &topology = *values.topology;
    if (!topology.gpus.empty())
        return gpuFinding(topology);
    const int cores = coresIn(topology);
    if (cores <= 0)
        return tr("%1 has not told its cores, and no GPU").arg(values.machine);
    const int usable = coresForRanks(values);
    const QString coresText =
        usable < cores ? tr("%1 of %2 cores").arg(usable).arg(cores) : counted(cores, tr("%1 core|%1 cores"));
    const QString place = topology.nodes.size() > 1 ? tr("%1 in %2").arg(coresText, nodesWords(topology)) : coresText;
    if (values.ranks > usable)
        return tr("No GPU: %1 ranks are processes that share %2").arg(values.ranks).arg(place);
    if (values.ranks > 0)
        return tr("No GPU: %1 on %2")
            .arg(counted(values.ranks, tr("%1 rank is a process|%1 ranks are processes")), place);
    return tr("No GPU: ranks are processes on %1").arg(place);
}

/// "3", "0-3", "0, 4".
QString numbersWords(const std::vector<int> &numbers)
{
    QStringList parts;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t end = i + 1;
        while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1)
            ++end;
        parts << (end - i > 1 ? QStringLiteral("%1\u2013%2").arg(numbers[i]).arg(numbers[end - 1])
                              : QString::number(numbers[i]));
        i = end;
    }
    return parts.join(QStringLiteral(", "));
}

} // namespace

QString hardwareFinding(const HardwareValues &values)
{
    if (values.topology)
        return machineFinding(values);
    const Hardware &predicted = values.predicted;
    if (values.origin != HardwareValues::Origin::None && !values.title.isEmpty())
        return tr("%1: %2").arg(values.machine, values.title);
    if (predicted.name.empty())
        return tr("What the machine is made of is not known yet");
    if (values.predictsMeasured())
        return tr("Predicted for %1").arg(QString::fromStdString(predicted.title));
    return tr("%1 GPUs joined by %2, %3 each way, by data sheet")
        .arg(predicted.devices)
        .arg(QString::fromStdString(predicted.link.name.empty() ? "links" : predicted.link.name),
             formatGBs(predicted.link.GBps > 0 ? std::optional(predicted.link.GBps) : std::nullopt));
}

QString hardwareSetting(const HardwareValues &values)
{
    QStringList parts;
    if (values.gpus() > 1)
        parts << tr("Speeds between GPUs are by specification of their links, not measured");
    if (!values.predicted.name.empty() && !values.predictsMeasured())
        parts << tr("The machine that is predicted for stands as its preset describes it");
    if (values.topology && values.gpus() == 0)
        parts << tr("Times of CPU ranks are not those of GPUs");
    return parts.isEmpty() ? QString() : parts.join(QStringLiteral(". ")) + QLatin1Char('.');
}

QString hardwareProvenance(const HardwareValues &values)
{
    QStringList parts;
    switch (values.origin) {
    case HardwareValues::Origin::Engine:
        parts << tr("%1: as the machine's system and NVML tell")
                     .arg(values.title.isEmpty() ? values.machine
                                                 : QStringLiteral("%1, %2").arg(values.machine, values.title));
        break;
    case HardwareValues::Origin::Measured:
    case HardwareValues::Origin::Recorded:
        break;
    case HardwareValues::Origin::None:
        parts << tr("nothing ran");
        break;
    }
    if (!values.runSource.isEmpty())
        parts << values.runSource;
    if (values.gpus() > 1)
        parts << tr("GB/s between GPUs by specification, not measured");
    if (!values.predicted.name.empty())
        parts << tr("predicted for %1").arg(QString::fromStdString(values.predicted.title));
    if (values.predictsMeasured())
        parts << tr("for comparison, by data sheet: %1").arg(QString::fromStdString(values.drawn()->title));
    return parts.join(QStringLiteral(" \u00b7 "));
}

QString ranksWords(const HardwareValues &values)
{
    if (values.ranks <= 0)
        return {};
    const QString ranks = counted(values.ranks, tr("%1 rank|%1 ranks"));
    if (!values.onGpu.empty())
        return values.ranks > static_cast<int>(values.gpus()) ? tr("%1 share these GPUs").arg(ranks)
                                                              : tr("%1, each on a GPU of its own").arg(ranks);
    const int cores = coresForRanks(values);
    if (values.ran && values.ranks > cores && cores > 0)
        return tr("%1 shared these cores: processes that the system moves between them").arg(ranks);
    if (values.ran)
        return tr("%1 ran on these cores: processes that the system moves between them").arg(ranks);
    return tr("%1 would run here: the layer of the workbench has not run with these settings").arg(ranks);
}

QString shortGpuName(const std::string &name)
{
    QString words = QString::fromStdString(name);
    if (words.startsWith(QLatin1String("NVIDIA ")))
        words.remove(0, 7);
    return words;
}

QString pcieWords(const GpuState &gpu)
{
    if (gpu.pcieGeneration <= 0 || gpu.pcieLanes <= 0)
        return {};
    return tr("PCIe %1 x%2").arg(gpu.pcieGeneration).arg(gpu.pcieLanes);
}

QString rankListWords(const std::vector<int> &ranks)
{
    if (ranks.empty())
        return {};
    return ranks.size() == 1 ? tr("rank %1").arg(ranks.front()) : tr("ranks %1").arg(numbersWords(ranks));
}

} // namespace shardscope
