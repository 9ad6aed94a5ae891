// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment.h"
#include "engine/record/event.h"

#include <optional>
#include <vector>

namespace shardscope {

/// What the supervisor knows of one rank during one command. `order` counts what became known, over all ranks.
struct RankRecord {
    std::optional<int> waitStatus; ///< of waitpid(): the process has ended
    int endedOrder = 0;
    bool stopped = false;              ///< by SIGSTOP, and not continued
    std::optional<MessageEvent> error; ///< its first message of level Error
    int errorOrder = 0;
    std::optional<EndEvent> end; ///< it has finished the command, well or not
    bool elsewhere = false;      ///< another process was started as that rank, and watches over it

    /// Nothing more is to be expected of it.
    [[nodiscard]] bool isAccountedFor() const { return elsewhere || waitStatus || end; }
};

/// "signal 9 (SIGKILL)", "exit status 3".
[[nodiscard]] std::string describeWaitStatus(int waitStatus);

/// Whether the message only says that another rank was missed, by its id or by the library's words.
[[nodiscard]] bool isConsequence(const MessageEvent &error);

/// Whether a cause is known that no later news can push aside.
[[nodiscard]] bool hasDefiniteCause(const std::vector<RankRecord> &ranks);

/// The cause of a failure, once: the rank that was killed or crashed, before the rank that failed by itself, before the
/// rank that the others waited for. What its peers report is a consequence: of a rank that was missed it goes into
/// `detail`. A rank that was missed because it is kept back on purpose is late by `delay`.
[[nodiscard]] MessageEvent diagnose(const std::vector<RankRecord> &ranks, double timeoutSeconds,
                                    const std::optional<Delay> &delay = std::nullopt);

/// The merged end of a command whose ranks all ended by themselves: the worst status and the highest exit code.
[[nodiscard]] EndEvent mergeEnds(const std::vector<RankRecord> &ranks);

} // namespace shardscope
