// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/simulate/model_options.h"

#include <QString>
#include <vector>

namespace shardscope {

/// What a step, or an output token, spends its time on.
enum class TimeKind { Compute, Recompute, TensorParallel, Pipeline, Bubble, DataParallel };
[[nodiscard]] QString timeKindTitle(TimeKind kind, bool serving);
/// Whether the links are at work.
[[nodiscard]] bool isCommunication(TimeKind kind);

/// One layout of the table: training and serving alike.
struct AdviceRow {
    MemorySettings settings;
    LayoutVerdict verdict = LayoutVerdict::Slower;
    QString layout;              ///< "TP 8 × PP 2 × DP 4"
    QString aside;               ///< "recomputation full", "16 replicas"
    std::int64_t stateBytes = 0; ///< parameters, gradients, optimizer; weights
    std::int64_t loadBytes = 0;  ///< activations; KV cache
    struct Part {
        TimeKind kind;
        double seconds;
    };
    std::vector<Part> times; ///< empty: impossible, or beyond a node
    QString why;             ///< what decided
    int rule = 0;            ///< number in `rules`, from 1

    [[nodiscard]] std::int64_t memoryBytes() const { return stateBytes + loadBytes; }
    [[nodiscard]] double seconds() const;
    [[nodiscard]] double communicationShare() const; ///< 0 to 1
};

/// The best layout on other machines.
struct AdviceElsewhere {
    QString machine;
    QString layout; ///< empty: there is none
    QString time;
    QString instead; ///< why there is none
};

/// What the advice page shows: one half of the advice, training or serving.
struct AdviceValues {
    Advice advice;
    bool serving = false;
    QString assumptions;
    std::vector<AdviceRow> rows;
    struct Finding {
        QString words;
        int rule = 0;
    };
    std::vector<Finding> findings; ///< what explains the recommendation
    std::vector<AdviceElsewhere> elsewhere;
    struct Rule {
        QString words;
        QString source;
    };
    std::vector<Rule> rules; ///< each that a row or a finding names

    [[nodiscard]] const AdviceRow *recommended() const;
};
[[nodiscard]] AdviceValues adviceValues(const AdviceQuestion &question, bool serving);

/// --model, `adviceOptions` and --phase.
[[nodiscard]] std::vector<ModelOption> advicePageOptions();
/// By these; a latency target asks for serving.
[[nodiscard]] Expected<AdviceValues> readAdviceValues(const OptionValues &given);

[[nodiscard]] QString adviceFinding(const AdviceValues &values);
/// Machine and assumptions.
[[nodiscard]] QString adviceSetting(const AdviceValues &values);
[[nodiscard]] QString adviceProvenance(const AdviceValues &values);

} // namespace shardscope
