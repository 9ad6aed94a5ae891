// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/page_list.h"

#include "ui/pages/advice_page.h"
#include "ui/pages/memory_page.h"

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
        {PageId::Memory, QT_TRANSLATE_NOOP("Pages", "Memory"),
         QT_TRANSLATE_NOOP("Pages", "What lies on one GPU of a model, term by term, and whether it fits"), false,
         built<MemoryPage>, memoryPageOptions, problemOfReading<MemoryValues, readMemoryValues>},
        {PageId::Advice, QT_TRANSLATE_NOOP("Pages", "Advice"),
         QT_TRANSLATE_NOOP("Pages", "Which TP, PP and DP fit a model on given GPUs and links, and why"), false,
         built<AdvicePage>, advicePageOptions, problemOfReading<AdviceValues, readAdviceValues>},
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
    return QStringLiteral("%1 (Alt+%2)").arg(QCoreApplication::translate("Pages", page.tooltip)).arg(place + 1);
}

} // namespace shardscope
