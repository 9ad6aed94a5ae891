// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/bug_lab_page.h"

#include "ui/pages/bug_sheet.h"
#include "ui/pages/option_words.h"
#include "ui/pages/page_canvas.h"
#include "ui/pages/page_controls.h"
#include "ui/panels/scheme_words.h"

#include <QComboBox>
#include <QPushButton>
#include <QSignalBlocker>
#include <algorithm>

namespace shardscope {

namespace {

QString idOf(Scheme scheme)
{
    return QString::fromUtf8(name(scheme).data());
}

QVector<QPair<QString, QString>> bugItems()
{
    QVector<QPair<QString, QString>> items;
    for (const Scheme bug : bugSchemes())
        items.append({idOf(bug), schemeTitle(bug)});
    return items;
}

} // namespace

BugLabPage::BugLabPage(QWidget *parent) : Page(tr("Bug lab"), parent)
{
    addControls();
    connect(&canvas(), &PageCanvas::spotActivated, this, [this](int spot) {
        if (spot < static_cast<int>(m_values.cases.size()))
            choose(m_values.cases[static_cast<std::size_t>(spot)].scheme());
    });
    m_values = bugLabValues(m_input, Scheme::BugNaiveExercise);
    choose(Scheme::BugNaiveExercise);
}

void BugLabPage::addControls()
{
    PageControls &c = controls();
    c.addText(tr("Mistakes that people make, run for real on the ranks and checked against an unsharded float64 "
                 "reference. Sizes are the workbench's where the bug can show in them."));
    m_list = c.addList(tr("&Bug"), bugItems(), tr("Which one is shown in detail; a click on its row does the same"));
    m_run = c.addButton(tr("&Run this bug"), tr("Runs its layer on real ranks and checks every result"));
    m_runAll = c.addButton(tr("Run &all"), tr("Runs every bug, one after the other"));
    m_open = c.addButton(tr("&Open in the workbench"), tr("Shows its diagram and timeline"));
    connect(m_list, &QComboBox::currentIndexChanged, this,
            [this](int row) { choose(bugSchemes()[static_cast<std::size_t>(std::max(row, 0))]); });
    connect(m_run, &QPushButton::clicked, this, [this] { Q_EMIT runsWanted({m_values.shown().experiment}); });
    connect(m_runAll, &QPushButton::clicked, this, [this] { Q_EMIT runsWanted(wantedRuns()); });
    connect(m_open, &QPushButton::clicked, this, [this] {
        Experiment chosen = m_values.shown().experiment;
        // The lab needs one timed step, the workbench as many as it had.
        chosen.steps = m_input.experiment.steps;
        chosen.warmup = m_input.experiment.warmup;
        Q_EMIT experimentChosen(chosen);
    });
}

void BugLabPage::setInput(const PageInput &input)
{
    const bool samePlans =
        m_input.plan && input.experiment == m_input.experiment && input.plan->transport == m_input.plan->transport;
    m_input = input;
    if (samePlans) {
        // Runs come in many times a second, and what they are of stays.
        for (BugCase &bug : m_values.cases)
            bug.lookUp(input.runs);
    } else {
        m_values = bugLabValues(input, m_values.shown().scheme());
    }
    const Scheme scheme = input.experiment.scheme;
    // The workbench's bug is shown, until another one is looked at here.
    const bool another = isBug(scheme) && m_ofWorkbench != scheme;
    m_ofWorkbench = scheme;
    choose(another ? scheme : m_values.shown().scheme());
}

void BugLabPage::choose(Scheme bug)
{
    m_values.choose(bug);
    const QSignalBlocker quiet(m_list);
    m_list->setCurrentIndex(m_list->findData(idOf(bug)));
    showChosen();
}

void BugLabPage::showChosen()
{
    controls().setProblem(m_values.shown().refusal);
    enableWhatApplies();
    setPicture(bugPicture(m_values));
}

void BugLabPage::enableWhatApplies()
{
    m_run->setEnabled(!m_busy && m_values.shown().refusal.isEmpty());
    m_runAll->setEnabled(!m_busy && !wantedRuns().empty());
}

std::vector<Experiment> BugLabPage::wantedRuns() const
{
    std::vector<Experiment> points;
    for (const BugCase &bug : m_values.cases) {
        if (bug.refusal.isEmpty())
            points.push_back(bug.experiment);
    }
    return points;
}

void BugLabPage::setBusy(bool busy)
{
    m_busy = busy;
    enableWhatApplies();
}

QString BugLabPage::options() const
{
    return wordsOf({{"scheme", std::string(name(m_values.shown().scheme()))}});
}

void BugLabPage::setOptions(const QString &words)
{
    const OptionValues values = valuesOf(words);
    const auto scheme = values.find("scheme");
    if (scheme == values.end())
        return;
    const auto found =
        std::ranges::find_if(bugSchemes(), [&](Scheme bug) { return name(bug) == std::string_view(scheme->second); });
    if (found != bugSchemes().end())
        choose(*found);
}

} // namespace shardscope
