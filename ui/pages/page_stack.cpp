// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/page_stack.h"

#include "ui/pages/page_list.h"

#include <QDataStream>
#include <utility>

namespace shardscope {

namespace {

constexpr int kStateVersion = 1;

} // namespace

PageStack::PageStack(QWidget *workbench, QWidget *parent) : QStackedWidget(parent)
{
    addWidget(workbench);
}

Page *PageStack::build(PageId id)
{
    const PageInfo &info = pageInfo(id);
    if (!info.build)
        return nullptr;
    Page *page = info.build();
    m_pages[id] = page;
    m_outdated.insert(id);
    addWidget(page);
    connect(page, &Page::experimentChosen, this, &PageStack::experimentChosen);
    connect(page, &Page::runsWanted, this, &PageStack::runsWanted);
    page->setBusy(m_busy);
    page->setMachine(m_machine);
    applyLookToAll(*page, m_look);
    if (const auto kept = m_options.find(id); kept != m_options.end())
        page->setOptions(kept->second);
    return page;
}

Page *PageStack::page(PageId id)
{
    const auto found = m_pages.find(id);
    Page *page = found == m_pages.end() ? build(id) : found->second;
    if (page && m_input.plan && m_outdated.erase(id) > 0)
        page->setInput(m_input);
    return page;
}

void PageStack::showPage(PageId id)
{
    if (id == m_current)
        return;
    Page *next = page(id);
    if (!next && id != PageId::Workbench)
        return;
    m_current = id;
    setCurrentWidget(next ? next : widget(0));
    Q_EMIT pageChanged(id);
}

void PageStack::setExperiment(const Experiment &experiment, std::shared_ptr<const Plan> plan)
{
    m_input.experiment = experiment;
    m_input.plan = std::move(plan);
    inputChanged();
}

void PageStack::setResults(const Results &results)
{
    m_input.results = results;
    inputChanged();
}

void PageStack::setLookups(const RunLookups &lookups)
{
    m_input.runs = lookups;
    inputChanged();
}

void PageStack::runsChanged()
{
    inputChanged();
}

void PageStack::setMachine(const EngineMachine &machine)
{
    m_machine = machine;
    for (const auto &[id, page] : m_pages)
        page->setMachine(machine);
}

void PageStack::setBusy(bool busy)
{
    if (std::exchange(m_busy, busy) == busy)
        return;
    for (const auto &[id, page] : m_pages)
        page->setBusy(busy);
}

void PageStack::inputChanged()
{
    for (const auto &[id, page] : m_pages)
        m_outdated.insert(id);
    page(m_current); // brought up to date
}

void PageStack::setLook(const Look &look)
{
    m_look = look;
}

QByteArray PageStack::saveState() const
{
    std::map<PageId, QString> options = m_options;
    for (const auto &[id, page] : m_pages)
        options[id] = page->options();
    QByteArray bytes;
    QDataStream stream(&bytes, QIODevice::WriteOnly);
    stream << kStateVersion << static_cast<int>(options.size());
    for (const auto &[id, words] : options)
        stream << static_cast<int>(id) << words;
    return bytes;
}

void PageStack::restoreState(const QByteArray &state)
{
    QDataStream stream(state);
    int version = 0;
    int count = 0;
    stream >> version >> count;
    if (stream.status() != QDataStream::Ok || version != kStateVersion)
        return;
    for (int i = 0; i < count && stream.status() == QDataStream::Ok; ++i) {
        int id = 0;
        QString words;
        stream >> id >> words;
        m_options[static_cast<PageId>(id)] = words;
    }
}

} // namespace shardscope
