// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/simulate/simulate.h"
#include "ui/results.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

inline constexpr std::string_view kThisMachine = "this";
/// Stands in until `this` machine is measured.
inline constexpr std::string_view kFallbackHardware = "h100-8";

/// Everything that is predicted of one experiment.
struct Forecast {
    Experiment experiment;
    Results results; ///< `predicted` and `predictedOne`
    /// Seconds that one step takes on this computer, whatever machine the results are for.
    std::map<Phase, double> stepSeconds;
    double oneRankStepSeconds = 0;
};

/// Predicts experiments on the hardware that the user chose. `this` machine is known after a measurement. A value:
/// its const functions may be called from any thread.
class Predictor
{
public:
    /// A preset's name, or "this"; an unknown name keeps what is set and gives false.
    bool choose(std::string_view name);
    [[nodiscard]] const std::string &chosen() const { return m_chosen; }

    /// What predictions really use: the chosen machine, or the fallback while `this` is not known for the dtype.
    [[nodiscard]] const Hardware &hardwareFor(DType dtype) const;
    [[nodiscard]] bool knowsThisMachine(DType dtype) const;
    /// Whether predictions are to be for `this` machine, and it is still to be measured for them.
    [[nodiscard]] bool lacksThisMachine(DType dtype) const
    {
        return m_chosen == kThisMachine && !knowsThisMachine(dtype);
    }
    /// `this` machine, when it was measured or restored.
    [[nodiscard]] const std::optional<Hardware> &thisMachine() const { return m_this; }

    /// Adds one measurement to those known and fits `this` machine again; the problem says why it could not.
    std::optional<Text> addMeasurement(const std::vector<BandwidthEvent> &collectives,
                                       const std::vector<ComputeEvent> &compute, const Machine &machine);
    /// Takes a machine kept from an earlier session (`toJson`); false when it cannot be read, or has another number of
    /// cores than this computer: a copied home directory must not pass for a measurement.
    bool restoreThisMachine(std::string_view json, int cores);
    /// The engine has said what it runs on; numbers of another machine are forgotten. True: they were.
    bool forgetUnless(const Machine &machine);

    /// Null when the experiment is not valid.
    [[nodiscard]] RunPtr predict(const Experiment &experiment) const;
    /// Training, prefill, decode, and N = 1 of the phase shown.
    [[nodiscard]] Results predictAll(const Experiment &experiment) const;

    /// predictAll, and how long each point takes on this computer.
    [[nodiscard]] Forecast forecast(const Experiment &experiment, int cores) const;

private:
    [[nodiscard]] double stepSecondsHere(const Run &predicted, int cores) const;

    std::string m_chosen{kThisMachine};
    std::optional<Hardware> m_this;
    std::vector<BandwidthEvent> m_collectives;
    std::vector<ComputeEvent> m_compute;
};

} // namespace shardscope
