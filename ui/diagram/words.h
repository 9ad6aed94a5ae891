// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/run.h"
#include "ui/diagram/collective_scene.h"

#include <QCoreApplication>
#include <QString>

namespace shardscope {

/// Context of the diagram's texts for translators.
class Words
{
    Q_DECLARE_TR_FUNCTIONS(Diagram)
};

/// "halving-doubling".
[[nodiscard]] QString algorithmTitle(Algorithm algorithm);
/// "forward", "backward", ...
[[nodiscard]] QString passName(Pass pass);

/// What one hop of a collective does: who sends what to whom, and what the receiver does with it.
[[nodiscard]] QString hopSentence(const Plan &plan, const CollectiveScene &collective);

/// The narration in two parts: a lead that is set bold, and the sentence.
struct Narration {
    QString lead;
    QString sentence;
    [[nodiscard]] QString whole() const { return lead.isEmpty() ? sentence : lead + QLatin1Char(' ') + sentence; }
};
/// What the ends of the step's names mean, beginning with a space: " In names .2 means layer 2, #1 micro-batch 1.";
/// empty where they have none.
[[nodiscard]] QString namesNote(const Plan &plan, const Step &step);
[[nodiscard]] Narration narrationOf(const Plan &plan, const Scene &scene);

/// "step 3 of 8", within a collective "step 3 of 8 · hop 2 of 6".
[[nodiscard]] QString stepCount(const Plan &plan, const Scene &scene);

/// One line under the title: the formula, or the tensor's way through the collective.
[[nodiscard]] QString caption(const Plan &plan, const Scene &scene);

/// The time beside the caption: measured, predicted or recorded time of the hop or step in `run`; for a library's
/// collective that its hops are schematic. Empty when nothing is known.
[[nodiscard]] QString timeCaption(const Plan &plan, const Run *run, const Scene &scene);

} // namespace shardscope
