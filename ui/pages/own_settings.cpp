// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/own_settings.h"

#include "engine/plan/experiment_options.h"
#include "ui/pages/layer_words.h"
#include "ui/translation.h"

#include <QStringList>

namespace shardscope {

namespace {

bool onOneAxis(const Experiment &e)
{
    return e.ranks() == 1 || e.mesh == meshAlong(ownAxis(e.scheme), e.ranks());
}

} // namespace

QString ownSettings(const Experiment &asked, const Experiment &drawn, const std::set<std::string_view> &varied)
{
    QStringList words;
    for (const ExperimentOption &option : experimentOptions()) {
        // Which axis ranks stand on follows from the scheme.
        const bool follows = option.name == "mesh" || (option.name == "ranks" && !onOneAxis(asked));
        if (follows || varied.contains(option.name) || !option.applies(drawn))
            continue;
        const std::string value = option.get(drawn);
        if (const std::string other = option.get(asked); value != other)
            words << tr("%1 %2 instead of %3").arg(word(option.name), word(value), word(other));
    }
    if (!onOneAxis(asked) && drawn.mesh != asked.mesh)
        words << tr("ranks along %1 alone instead of %2").arg(axisWord(ownAxis(drawn.scheme)), meshWords(asked.mesh));
    return words.isEmpty() ? QString() : tr("Not as in the workbench: %1").arg(words.join(QStringLiteral(", ")));
}

} // namespace shardscope
