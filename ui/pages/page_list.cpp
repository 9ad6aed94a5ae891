// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/page_list.h"

#include "ui/pages/advice_page.h"
#include "ui/pages/bug_lab_page.h"
#include "ui/pages/crossover_page.h"
#include "ui/pages/hardware_page.h"
#include "ui/pages/low_load_page.h"
#include "ui/pages/memory_page.h"
#include "ui/pages/phases_page.h"
#include "ui/pages/rates_page.h"
#include "ui/pages/scaling_page.h"
#include "ui/pages/traffic_page.h"

#include <QCoreApplication>
#include <algorithm>

namespace shardscope {

namespace {

template <typename OnePage>
Page *built()
{
    return new OnePage;
}

template <typename Values, Expected<Values> (*read)(const OptionValues &)>
QString problemOfReading(const OptionValues &given)
{
    const Expected<Values> values = read(given);
    return values ? QString() : QString::fromStdString(english(values.problem()));
}

} // namespace

const std::vector<PageInfo> &pageList()
{
    static const std::vector<PageInfo> pages{
        {PageId::Workbench, QT_TRANSLATE_NOOP("Pages", "Workbench"),
         QT_TRANSLATE_NOOP("Pages", "One layer on N ranks: diagram, timeline, training against inference"), true,
         nullptr},
        {PageId::Phases, QT_TRANSLATE_NOOP("Pages", "Phases"),
         QT_TRANSLATE_NOOP("Pages", "Training, with and without recomputation, against prefill and decode"), true,
         built<PhasesPage>},
        {PageId::Traffic, QT_TRANSLATE_NOOP("Pages", "Traffic"),
         QT_TRANSLATE_NOOP("Pages", "Which rank sends how much to which other one in a step"), true,
         built<TrafficPage>},
        {PageId::Crossover, QT_TRANSLATE_NOOP("Pages", "Crossover"),
         QT_TRANSLATE_NOOP("Pages", "Tensor parallelism against ZeRO-3, data parallelism and a pipeline, over tokens"),
         true, built<CrossoverPage>},
        {PageId::LowLoad, QT_TRANSLATE_NOOP("Pages", "Low load"),
         QT_TRANSLATE_NOOP("Pages", "One rank beside several at small batches: from where on are more ranks faster?"),
         true, built<LowLoadPage>},
        {PageId::Scaling, QT_TRANSLATE_NOOP("Pages", "Scaling"),
         QT_TRANSLATE_NOOP("Pages", "Bytes and latency of an all-reduce from 2 to 64 ranks"), true, built<ScalingPage>},
        {PageId::Memory, QT_TRANSLATE_NOOP("Pages", "Memory"),
         QT_TRANSLATE_NOOP("Pages", "What lies on one GPU of a model, term by term, and whether it fits"), false,
         built<MemoryPage>, memoryPageOptions, problemOfReading<MemoryValues, readMemoryValues>},
        {PageId::Advice, QT_TRANSLATE_NOOP("Pages", "Advice"),
         QT_TRANSLATE_NOOP("Pages", "Which TP, PP and DP fit a model on given GPUs and links, and why"), false,
         built<AdvicePage>, advicePageOptions, problemOfReading<AdviceValues, readAdviceValues>},
        {PageId::BugLab, QT_TRANSLATE_NOOP("Pages", "Bug lab"),
         QT_TRANSLATE_NOOP("Pages", "Ten mistakes that people make: the broken rule, the error, the right way"), true,
         built<BugLabPage>},
        {PageId::Hardware, QT_TRANSLATE_NOOP("Pages", "Hardware"),
         QT_TRANSLATE_NOOP("Pages", "Cores, memory, GPUs and the links between them, and how busy they are in a run"),
         true, built<HardwarePage>},
        {PageId::Rates, QT_TRANSLATE_NOOP("Pages", "Rates"),
         QT_TRANSLATE_NOOP("Pages", "What products, memory and links reached, as a share of their peaks"), true,
         built<RatesPage>},
    };
    return pages;
}

const PageInfo &pageInfo(PageId id)
{
    const auto found = std::ranges::find(pageList(), id, &PageInfo::id);
    return found == pageList().end() ? pageList().front() : *found;
}

QString pageTitle(const PageInfo &page)
{
    return QCoreApplication::translate("Pages", page.title);
}

QString pageTooltip(const PageInfo &page)
{
    const auto place = std::ranges::find(pageList(), page.id, &PageInfo::id) - pageList().begin();
    return QStringLiteral("%1 (%2)").arg(QCoreApplication::translate("Pages", page.tooltip), pageKeys(place));
}

QString pageKeys(qsizetype place)
{
    constexpr qsizetype kDigits = 10;
    const QString keys = place < kDigits ? QStringLiteral("Alt+") : QStringLiteral("Alt+Shift+");
    return keys + QString::number((place + 1) % kDigits);
}

} // namespace shardscope
