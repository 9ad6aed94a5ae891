// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/traffic.h"
#include "engine/record/bug_lab.h"
#include "ui/pages/page.h"

#include <QString>
#include <optional>
#include <vector>

namespace shardscope {

/// One result of a wrong layer: what is expected of it, and what was measured.
struct BugResult {
    QString name; ///< "Y", "dW1"
    std::optional<ErrorLaw> law;
    std::optional<double> expected; ///< relative error
    std::optional<double> error;    ///< as measured; -1 stands for NaN
    double limit = 0;               ///< up to which it would have passed
    bool passed = false;

    /// Measured wrong, or expected to be.
    [[nodiscard]] bool wrong() const { return error ? !passed : law.has_value(); }
};

/// One bug with the layer in which it shows, beside the same layer done right.
struct BugCase {
    Experiment experiment; ///< near the workbench's
    QString hint;          ///< what had to change for the bug to show; empty: nothing
    QString refusal;       ///< why it cannot run here; empty: it can
    std::shared_ptr<const Plan> plan;
    std::shared_ptr<const Plan> right; ///< null where the right scheme does not take these sizes
    std::vector<Mistake> mistakes;
    std::vector<BugResult> results; ///< the wrong ones first
    std::optional<double> ratio;    ///< bytes of training to prefill
    RunPtr run;                     ///< its measurement; null: not run

    [[nodiscard]] Scheme scheme() const { return experiment.scheme; }
    /// Takes what is known of its runs by now; its plans stay.
    void lookUp(const RunLookups &runs);
    [[nodiscard]] std::vector<BugResult> wrongResults() const;
};

/// What the bug lab shows: all of them, and one in detail.
struct BugLabValues {
    std::vector<BugCase> cases;
    std::size_t chosen = 0;

    [[nodiscard]] const BugCase &shown() const { return cases[chosen]; }
    void choose(Scheme bug);
};

/// The layer in which a bug shows, as near to `workbench` as its rules allow.
[[nodiscard]] Experiment bugExperiment(const Experiment &workbench, Scheme bug, QString *hint = nullptr);
[[nodiscard]] BugCase bugCase(const PageInput &input, Scheme bug);
[[nodiscard]] BugLabValues bugLabValues(const PageInput &input, Scheme chosen);

/// What people do, one sentence.
[[nodiscard]] QString bugHabit(Scheme bug);
/// "√(N − 1)".
[[nodiscard]] QString lawFormula(ErrorLaw law);
/// Why the error is what it is.
[[nodiscard]] QString lawWords(ErrorLaw law);
/// "1.73", "0.096": how many times its own size a result is off.
[[nodiscard]] QString errorWords(double relativeError);
/// "Y, dW 1.73, dX 0.87": results of one error are named together; `expected` or measured.
[[nodiscard]] QString errorsWords(const std::vector<BugResult> &results, bool expected);

/// The finding, for the title.
[[nodiscard]] QString bugFinding(const BugLabValues &values);
/// The layer of the bug that is shown, and what had to change for it.
[[nodiscard]] QString bugSetting(const BugLabValues &values);
/// "wrong: 480 KiB a rank and step (forward 96 KiB, backward 384 KiB)".
[[nodiscard]] QString sentWords(const Plan &plan);
/// For the footer of a picture.
[[nodiscard]] QString bugProvenance(const BugLabValues &values);

} // namespace shardscope
