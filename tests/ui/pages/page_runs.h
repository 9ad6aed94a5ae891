// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/ui/pages/sheet_checks.h"

#include "engine/simulate/simulate.h"
#include "ui/experiment_variants.h"
#include "ui/pages/measured_page.h"
#include "ui/run_lookups.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

namespace shardscope {

inline RunPtr simulated(const Experiment &experiment, const char *machine)
{
    const Hardware &hardware = *findHardware(machine);
    return std::make_shared<const Run>(simulate(buildPlan(experiment, hardware.transport), hardware));
}

/// As if it had been measured, with the times of a slow machine.
inline RunPtr measuredRun(const Experiment &experiment)
{
    Run run = simulate(buildPlan(experiment), *findHardware("pcie5-8"));
    run.source = Source::Measured;
    run.hardware.clear();
    run.startedAt = "2026-01-02T03:04:05+00:00";
    run.machine = {};
    run.machine.backend = "gloo";
    run.machine.host = "2 cores";
    return std::make_shared<const Run>(std::move(run));
}

/// Predictions for 8 x H100; up to `ranks` ranks may run, and with `measured` they have.
inline RunLookups lookupsFor(int ranks, bool measured)
{
    const auto runs = [=](const Experiment &e) { return measured && e.ranks() <= ranks ? measuredRun(e) : nullptr; };
    const auto refusal = [=](const Experiment &e) {
        return e.ranks() <= ranks ? QString() : QStringLiteral("%1 ranks are too many").arg(e.ranks());
    };
    return {runs, [](const Experiment &e) { return simulated(e, "h100-8"); }, refusal, *findHardware("h100-8")};
}

inline PageInput inputOf(const Experiment &experiment, const RunLookups &runs)
{
    return {experiment, std::make_shared<const Plan>(buildPlan(experiment)), {}, runs};
}

inline std::vector<RunPtr> allMeasured(const std::vector<Experiment> &points)
{
    std::vector<RunPtr> runs;
    for (const Experiment &point : points)
        runs.push_back(measuredRun(point));
    return runs;
}

/// What a reader would stumble over in any of the views; empty when there is nothing.
template <typename Values>
QString textProblemIn(Sheet (*sheet)(const Values &, const QRectF &, const Theme &, double), const Values &values)
{
    for (const PageView &view : kPageViews) {
        const QString problem = textProblem(sheet(values, view.area, Theme::light(), view.unit), view.area);
        if (!problem.isEmpty())
            return QStringLiteral("%1 pixels: %2").arg(view.area.width()).arg(problem);
    }
    return {};
}

/// The button asks for what is not measured, waits while ranks run, and says how many there are.
inline void checkMeasureButton(MeasuredPage &page, const Experiment &experiment, int mostRanks)
{
    page.setInput(inputOf(experiment, lookupsFor(mostRanks, false)));
    auto *button = page.findChild<QPushButton *>();
    QVERIFY(button && button->isEnabled());
    QSignalSpy asked(&page, &Page::runsWanted);
    button->click();
    QCOMPARE(asked.size(), 1);
    const auto points = asked.last().first().value<std::vector<Experiment>>();
    QVERIFY(!points.empty());
    for (const Experiment &point : points) {
        QVERIFY(!validate(point));
        QVERIFY(point.ranks() <= mostRanks);
    }
    page.setBusy(true);
    QVERIFY(!button->isEnabled());
    page.setBusy(false);
    QVERIFY(button->isEnabled());
    const auto says = [&page](const QString &words) {
        const QList<QLabel *> labels = page.findChildren<QLabel *>();
        return std::ranges::any_of(labels, [&](const QLabel *label) { return label->text().contains(words); });
    };
    QVERIFY(says(QStringLiteral("0 of %1 measured here").arg(page.wantedRuns().size())));
    page.setInput(inputOf(experiment, lookupsFor(mostRanks, true)));
    QVERIFY(says(QStringLiteral("%1 of %2 measured here").arg(points.size()).arg(page.wantedRuns().size())));
    // With nothing missing the same ones run again.
    button->click();
    QCOMPARE(asked.last().first().value<std::vector<Experiment>>(), points);
    page.setInput(inputOf(experiment, lookupsFor(0, false)));
    QVERIFY(!button->isEnabled());
    QVERIFY(says(QStringLiteral("are too many")));
    QVERIFY(page.picture().paint && !page.picture().finding.isEmpty());
}

} // namespace shardscope
