// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/setting_words.h"

#include "engine/plan/experiment_options.h"
#include "ui/pages/layer_words.h"
#include "ui/translation.h"

namespace shardscope {

namespace {

QString milliseconds(double value)
{
    return QString::number(value) + QStringLiteral("\u00a0ms");
}

QString valueOf(const Experiment &e, const char *option)
{
    return QString::fromStdString(findOption(option)->get(e));
}

/// Used, and not at its default.
bool isSet(const Experiment &e, const Experiment &defaults, const char *option)
{
    const ExperimentOption *found = findOption(option);
    return found->applies(e) && found->get(e) != found->get(defaults);
}

/// What is said of a value that is not the default; %1: the value.
struct Note {
    const char *option;
    const char *words;
};
constexpr Note kNotes[] = {
    {"mlp", QT_TRANSLATE_NOOP("SettingWords", "%1")},
    {"pair", QT_TRANSLATE_NOOP("SettingWords", "pair cut %1")},
    {"bias", QT_TRANSLATE_NOOP("SettingWords", "bias %1")},
    {"gather-output", QT_TRANSLATE_NOOP("SettingWords", "gather output %1")},
    {"input-parallel", QT_TRANSLATE_NOOP("SettingWords", "input parallel %1")},
    {"input-gradient", QT_TRANSLATE_NOOP("SettingWords", "input gradient %1")},
    {"parallel-block", QT_TRANSLATE_NOOP("SettingWords", "parallel block %1")},
    {"sequence-parallel", QT_TRANSLATE_NOOP("SettingWords", "sequence parallel %1")},
    {"recompute", QT_TRANSLATE_NOOP("SettingWords", "recompute %1")},
    {"overlap", QT_TRANSLATE_NOOP("SettingWords", "overlap %1")},
    {"reduce-to", QT_TRANSLATE_NOOP("SettingWords", "sum to %1")},
    {"zero", QT_TRANSLATE_NOOP("SettingWords", "ZeRO-%1 on dp")},
    {"schedule", QT_TRANSLATE_NOOP("SettingWords", "schedule %1")},
};

QStringList notesOf(const Experiment &e)
{
    QStringList notes;
    if (e.ranks() > 1 && e.mesh != meshAlong(ownAxis(e.scheme), e.ranks()))
        notes << meshWords(e.mesh);
    if (e.layers > 1)
        notes << tr("%1 layers").arg(e.layers);
    if (e.microBatches > 1)
        notes << tr("%1 micro-batches").arg(e.microBatches);
    return notes + optionNotes(e);
}

} // namespace

QStringList delayWords(const Experiment &e)
{
    QStringList words;
    if (e.stageDelay) {
        const QString forward = tr("every forward padded to %1").arg(milliseconds(e.stageDelay->forwardMs));
        words << (e.phase == Phase::Training
                      ? tr("%1, backward to %2").arg(forward, milliseconds(e.stageDelay->backwardMs))
                      : forward);
    }
    if (e.delay)
        words << tr("rank %1 made %2 late").arg(e.delay->rank).arg(milliseconds(e.delay->milliseconds));
    return words;
}

QStringList optionNotes(const Experiment &e)
{
    QStringList notes;
    const Experiment defaults = defaultsFor(e);
    for (const Note &note : kNotes) {
        if (isSet(e, defaults, note.option))
            notes << tr(note.words).arg(valueOf(e, note.option));
    }
    return notes + delayWords(e);
}

QStringList settingNotes(const std::vector<const Experiment *> &all)
{
    QStringList notes;
    for (const Experiment *experiment : all)
        notes << notesOf(*experiment);
    notes.removeDuplicates();
    return notes;
}

} // namespace shardscope
