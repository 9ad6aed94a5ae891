// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/export/provenance.h"

#include "engine/record/hosts.h"

#include "ui/check_words.h"
#include "ui/setting_words.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>
#include <utility>

namespace shardscope {

namespace {

QString wordOf(Phase phase)
{
    return QString::fromUtf8(name(phase).data());
}

/// "training", or every phase that is contrasted: "training, prefill, decode".
QString phasesOf(const Experiment &experiment, const std::vector<const Run *> &all)
{
    QStringList phases;
    for (const Run *run : all) {
        if (const QString phase = wordOf(run->experiment().phase); !phases.contains(phase))
            phases << phase;
    }
    return phases.isEmpty() ? wordOf(experiment.phase) : phases.join(QStringLiteral(", "));
}

/// "bf16", or "bf16, int8 weights at inference" where one of the runs keeps them so.
QString formatsOf(const Experiment &experiment, const std::vector<const Run *> &all)
{
    const QString dtype = QString::fromUtf8(name(experiment.dtype).data());
    const auto keepsInt8 = [](const Experiment &e) {
        return e.weightDtype == WeightDType::Int8 && findOption("weight-dtype")->applies(e);
    };
    const bool any =
        keepsInt8(experiment) || std::ranges::any_of(all, [&](const Run *run) { return keepsInt8(run->experiment()); });
    return any ? tr("%1, int8 weights at inference").arg(dtype) : dtype;
}

/// ", f 4096, a 16, k 4": those sizes beside b, s and h that any of the experiments has.
QString otherSizes(const std::vector<const Experiment *> &shown)
{
    constexpr std::pair<const char *, const char *> kSizes[] = {
        {"ffn", "f"}, {"heads", "a"}, {"kv-heads", "k"}, {"vocabulary", "V"}, {"cache", "cache"}};
    QString sizes;
    for (const auto &[option, symbol] : kSizes) {
        const ExperimentOption *found = findOption(option);
        const auto has = std::ranges::find_if(shown, [&](const Experiment *e) { return found->applies(*e); });
        if (has != shown.end())
            sizes += QStringLiteral(", %1 %2").arg(QLatin1String(symbol), QString::fromStdString(found->get(**has)));
    }
    return sizes;
}

QString settingsOf(const Experiment &experiment, const std::vector<const Run *> &all)
{
    std::vector<const Experiment *> shown{&experiment};
    for (const Run *run : all)
        shown.push_back(&run->experiment());
    const QString sizes = QStringLiteral("%1 %2, %3, b %4, s %5, h %6%7, N %8")
                              .arg(QString::fromUtf8(name(experiment.scheme).data()), phasesOf(experiment, all),
                                   formatsOf(experiment, all))
                              .arg(experiment.batch)
                              .arg(experiment.sequence)
                              .arg(experiment.hidden)
                              .arg(otherSizes(shown))
                              .arg(experiment.ranks());
    return (QStringList{sizes} + settingNotes(shown)).join(QStringLiteral(", "));
}

/// "median of 20 steps", of several runs "median of 8 to 20 steps", and what is missing of those asked for.
QString statisticOf(const Run &run, const std::vector<const Run *> &all)
{
    const std::vector<const Run *> runs = all.empty() ? std::vector<const Run *>{&run} : all;
    std::vector<int> steps;
    for (const Run *each : runs) {
        if (each->source != Source::Predicted)
            steps.push_back(each->completeIterations());
    }
    const auto [fewest, most] = std::minmax_element(steps.begin(), steps.end());
    const QString count =
        *fewest == *most ? counted(*most, tr("%1 step|%1 steps")) : tr("%1 to %2 steps").arg(*fewest).arg(*most);
    const QString statistic = tr("median of %1, p10 to p90").arg(count);
    const QString missing = partialNote(runs);
    return missing.isEmpty() ? statistic : tr("%1; incomplete: %2").arg(statistic, missing);
}

} // namespace

QString provenance(const Run *run, const Experiment &experiment, const std::vector<const Run *> &all)
{
    QStringList parts;
    if (run) {
        parts << sourcePhrase(*run);
        QStringList software{QString::fromStdString(run->machine.backend)};
        for (const auto &[library, version] : run->machine.libraries)
            software << QString::fromStdString(library) + QLatin1Char(' ') + QString::fromStdString(version);
        software.removeAll(QString());
        if (run->source != Source::Predicted && !software.isEmpty())
            parts << software.join(QStringLiteral(", "));
    }
    parts << settingsOf(experiment, all);
    if (run && run->source != Source::Predicted)
        parts << statisticOf(*run, all);
    const CheckVerdict checks = checkVerdict(all.empty() ? std::vector<const Run *>{run} : all);
    if (checks.state != CheckVerdict::State::Unchecked)
        parts << checks.line;
    if (run) {
        for (const std::optional<Text> &text : {hostsText(*run), clocksText(*run)}) {
            if (text)
                parts << withMicroSign(QString::fromStdString(english(*text)));
        }
        for (const std::string &note : run->machine.notes)
            parts << withMicroSign(QString::fromStdString(note));
    }
    parts << QStringLiteral("Shardscope " SHARDSCOPE_VERSION);
    return parts.join(QStringLiteral(" \u00b7 "));
}

} // namespace shardscope
