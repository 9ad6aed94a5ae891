// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/simulate/achieved_rates.h"
#include "ui/run_lookups.h"

#include <QString>
#include <optional>
#include <vector>

namespace shardscope {

/// One bar of the rates page.
struct RateBar {
    RateRow row;
    QString title;                   ///< "forward", "all-reduce Y, forward"
    std::optional<double> predicted; ///< beside a measured one: the rate predicted for the same machine
};

/// Products, memory-bound operations or collectives under one peak line.
struct RateGroup {
    RateKind kind = RateKind::MatrixProducts;
    QString title; ///< "Matrix products against the card's peak"
    std::vector<RateBar> bars;
    int leftOut = 0;                 ///< bars without room: those that take the least time
    std::optional<double> share;     ///< of all work of the group over all its time; of collectives of the longest
    std::optional<double> perSecond; ///< the same as a rate
    /// FLOP/s or B/s at the peak line; nothing where none is known or the bars have several.
    std::optional<double> peak;
};

/// A kind of product in the roofline.
struct RoofDot {
    QString name; ///< "Z = X·W1"
    Pass pass = Pass::Forward;
    bool coreAttention = false;
    double intensity = 0; ///< FLOP for each byte
    double perSecond = 0; ///< FLOP/s
    QString details;
};

struct RatesValues {
    RunPtr run;                    ///< measured or opened, else predicted; null: nothing is known
    std::optional<Hardware> peaks; ///< of one rank (shareOf()); nothing: none are known
    std::vector<RateGroup> groups; ///< without empty ones
    std::vector<RoofDot> dots;
    DType peakDType = DType::F32; ///< whose speed the roof has
    bool predictedBeside = false; ///< some bar has a prediction for the same machine
    bool predicted() const { return run && run->isPrediction(); }
};

[[nodiscard]] RatesValues ratesValues(const Experiment &experiment, const RunPtr &measured, const RunLookups &runs);

/// "645 TFLOP/s", "3.2 GB/s" of the group's kind.
[[nodiscard]] QString rateWords(RateKind kind, double perSecond);
/// In how many sizes and bytes a row's number stands: the text of its spot.
[[nodiscard]] QString rateDetails(const RateBar &bar, const RatesValues &values);
/// What keeps the rate there in two or three words: "latency 84 %"; empty where nothing is to be said.
[[nodiscard]] QString limitWords(const RateRow &row);

[[nodiscard]] QString ratesFinding(const RatesValues &values);
[[nodiscard]] QString ratesSetting(const RatesValues &values);
/// A paragraph below the charts: its lead is set bold.
struct RatesNote {
    QString lead;
    QString words;
};
[[nodiscard]] std::vector<RatesNote> ratesNotes(const RatesValues &values);
[[nodiscard]] QString ratesProvenance(const RatesValues &values);

} // namespace shardscope
