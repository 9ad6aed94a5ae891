// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/simulate/hardware.h"
#include "ui/pages/engine_machine.h"
#include "ui/pages/page.h"

#include <QString>
#include <optional>
#include <vector>

namespace shardscope {

/// Live values stand beside a machine on the screen; a picture in a file has none.
enum class LiveValues { Shown, Left };

/// What the hardware page shows: the machine that runs the ranks, or ran them, and the one that is predicted for.
struct HardwareValues {
    /// Where the description of the machine comes from.
    enum class Origin {
        None,     ///< there is no machine to show: only a prediction
        Engine,   ///< its engine tells it now
        Measured, ///< a run that was measured with this program kept it
        Recorded, ///< a file that was opened
    };
    Origin origin = Origin::None;
    QString machine; ///< "This machine", "gpu1", "The recorded machine"
    QString title;   ///< "4 cores, AMD EPYC 7763"; may be empty
    QString source;  ///< where the description comes from, for the heading of the machine
    std::optional<Topology> topology;
    QString whyNot; ///< without a topology: why there is none, one sentence

    int usableCores = 0; ///< that ranks may use: a container or a mask may allow fewer than there are; 0: not told
    int ranks = 0;       ///< on that machine; 0: none ran and none can
    bool ran = false;    ///< they have, with these settings
    std::vector<std::vector<int>> onGpu; ///< by GPU the ranks that ran there; empty: CPU ranks
    std::vector<Host> hosts;             ///< of a run on several

    bool onScreen = false; ///< details are read by pointing at things
    bool live = false;     ///< loads may stand beside it: they are of that machine
    std::vector<LoadSample> loads;
    bool computing = false;

    Hardware predicted;     ///< without a name: none
    int predictedRanks = 1; ///< that the prediction is of
    QString runSource;      ///< "measured DATE on ...", "recorded on ..."; empty: nothing ran

    /// The prediction is for a machine that was measured, and has no data sheet.
    [[nodiscard]] bool predictsMeasured() const { return predicted.name == "this" || predicted.sharedCores > 0; }
    /// The node that is drawn by its data sheet: the one predicted for, or another for comparison; null: none.
    [[nodiscard]] const Hardware *drawn() const;
    [[nodiscard]] std::size_t gpus() const { return topology ? topology->gpus.size() : 0; }
};
[[nodiscard]] HardwareValues hardwareValues(const PageInput &input, const EngineMachine &engine, LiveValues live);

/// Cores of all NUMA nodes, and their memory; -1 where a node does not say.
[[nodiscard]] int coresIn(const Topology &topology);
[[nodiscard]] std::int64_t memoryIn(const Topology &topology);

/// The finding, for the title.
[[nodiscard]] QString hardwareFinding(const HardwareValues &values);
/// What the picture shows, and how much of it is measured.
[[nodiscard]] QString hardwareSetting(const HardwareValues &values);
/// For the footer of a picture.
[[nodiscard]] QString hardwareProvenance(const HardwareValues &values);
/// "4 ranks: processes that share these 2 cores"; empty without ranks.
[[nodiscard]] QString ranksWords(const HardwareValues &values);
/// "NVIDIA H100 80GB HBM3" without the maker, whom all have in common.
[[nodiscard]] QString shortGpuName(const std::string &name);
/// "PCIe 5 x16"; empty where it is not known.
[[nodiscard]] QString pcieWords(const GpuState &gpu);
/// "rank 3", "ranks 0-3", "ranks 0, 4".
[[nodiscard]] QString rankListWords(const std::vector<int> &ranks);

} // namespace shardscope
