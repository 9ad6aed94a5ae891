// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/plan.h"
#include "engine/record/statistics.h"
#include "ui/results.h"

#include <QStringList>
#include <vector>

namespace shardscope {

/// The derivation of one step as it is read: a value, so that the card, the copied text and a test say the same.
struct DerivationContent {
    struct Row {
        QString caption;
        QStringList lines;
    };
    QString place; ///< "step 9 of 52 · forward · layer 1"
    QString title;
    QString reason;
    std::vector<Row> rows;

    /// The whole as plain text, for the clipboard and for screen readers.
    [[nodiscard]] QString asText() const;
};

/// Statistics of the run of the plan's phase that was measured or opened; empty where none is, or it is of other
/// settings. They take long for many steps, so a card asks once.
[[nodiscard]] RunSummary summaryOfWhatRan(const Plan &plan, const Results &results);

/// What the engine derives of the step, with the times that the results hold for it: measured or recorded beside
/// predicted, and what each went to. `ran` is summaryOfWhatRan.
[[nodiscard]] DerivationContent derivationContent(const Plan &plan, int step, const Results &results,
                                                  const RunSummary &ran);

/// One step whose derivation is worth a look without having been asked for: every collective, and every product that
/// gives a weight gradient.
struct DerivedStep {
    int step = 0;
    QString name; ///< "5 · AR Y · forward"
};
[[nodiscard]] std::vector<DerivedStep> derivedSteps(const Plan &plan);

} // namespace shardscope
