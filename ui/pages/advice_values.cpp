// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/advice_values.h"

#include "engine/plan/option_reading.h"
#include "ui/charts/number_format.h"
#include "ui/pages/memory_values.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <algorithm>

namespace shardscope {

namespace {

constexpr std::string_view kDefaultModel = "llama3-70b";
constexpr std::string_view kDefaultGpus = "64";

const ModelOption &phaseOption()
{
    static const ModelOption option{
        "phase", "WORD", "which half of the advice the picture shows", {"training", "decode"}, "training"};
    return option;
}

/// Collects rules; the number that stands for one.
int ruleNumber(AdviceValues &values, const AdviceLine &line)
{
    const QString words = formulaText(sentence(line.rule).toStdString());
    const auto found = std::ranges::find(values.rules, words, &AdviceValues::Rule::words);
    if (found != values.rules.end())
        return static_cast<int>(found - values.rules.begin()) + 1;
    values.rules.push_back({words, sentence(line.source)});
    return static_cast<int>(values.rules.size());
}

QString axesText(const MemorySettings &s)
{
    return QStringLiteral("TP %1 \u00d7 PP %2").arg(s.tp).arg(s.pp);
}

std::vector<AdviceRow::Part> timesOf(const StepTime &step)
{
    return {{TimeKind::Compute, step.arithmetic},
            {TimeKind::Recompute, step.recompute},
            {TimeKind::TensorParallel, step.tensorParallel},
            {TimeKind::Pipeline, step.pipeline},
            {TimeKind::DataParallel, step.dataParallel},
            {TimeKind::Bubble, step.bubble}};
}

AdviceRow rowOf(const TrainingLayout &layout)
{
    AdviceRow row;
    row.layout = axesText(layout.settings) + QStringLiteral(" \u00d7 DP %1").arg(layout.settings.dp);
    if (layout.memoryBytes > 0) {
        const std::string_view kept = name(layout.settings.recompute);
        row.aside = tr("recomputation %1").arg(QString::fromUtf8(kept.data(), qsizetype(kept.size())));
    }
    row.stateBytes = layout.stateBytes;
    row.loadBytes = layout.activationBytes;
    if (layout.step)
        row.times = timesOf(*layout.step);
    return row;
}

AdviceRow rowOf(const ServingLayout &layout)
{
    AdviceRow row;
    row.layout = axesText(layout.settings);
    const int replicas = layout.settings.dp;
    row.aside = counted(replicas, tr("%1 replica|%1 replicas"));
    row.stateBytes = layout.weightBytes;
    row.loadBytes = layout.cacheBytes;
    if (layout.tokenSeconds > 0)
        row.times = {{TimeKind::Compute, layout.tokenSeconds - layout.communicationSeconds},
                     {TimeKind::TensorParallel, layout.communicationSeconds}};
    return row;
}

template <typename Layout>
void addRow(AdviceValues &values, const Layout &layout)
{
    AdviceRow row = rowOf(layout);
    row.settings = layout.settings;
    row.verdict = layout.verdict;
    if (!layout.lines.empty()) {
        row.why = sentence(layout.lines.front().finding);
        row.rule = ruleNumber(values, layout.lines.front());
    }
    values.rows.push_back(std::move(row));
}

QString timeText(double seconds, bool serving)
{
    return (serving ? tr("%1 a token") : tr("%1 a step")).arg(formatDuration(seconds * 1e9));
}

AdviceElsewhere elsewhereOf(const AdviceQuestion &asked, const Hardware &hardware, bool serving)
{
    // In full: two presets of one card differ by their links.
    AdviceElsewhere other{QString::fromStdString(hardware.title), {}, {}, tr("nothing fits")};
    AdviceQuestion question = asked;
    question.hardware = hardware;
    if (problemOf(question))
        return other;
    const Advice advice = advise(question);
    const TrainingLayout *trains = advice.recommendedTraining();
    const ServingLayout *serves = advice.recommendedServing();
    if (serving ? serves == nullptr : trains == nullptr) {
        if (const ServingLayout *nearest = serving ? advice.nearestServing() : nullptr)
            other.instead = tr("misses %1: best %2 at %3")
                                .arg(formatDuration(*question.tokenSeconds * 1e9),
                                     formatDuration(nearest->tokenSeconds * 1e9), axesText(nearest->settings));
        return other;
    }
    const AdviceRow row = serving ? rowOf(*serves) : rowOf(*trains);
    other.layout = serving ? row.layout + QStringLiteral(", ") + row.aside : row.layout;
    other.time = timeText(row.seconds(), serving);
    return other;
}

} // namespace

QString timeKindTitle(TimeKind kind, bool serving)
{
    switch (kind) {
    case TimeKind::Compute:
        return serving ? tr("reading weights and cache, computing") : tr("arithmetic");
    case TimeKind::Recompute:
        return tr("recomputation");
    case TimeKind::TensorParallel:
        return serving ? tr("all-reduces of TP") : tr("collectives of TP");
    case TimeKind::Pipeline:
        return tr("sends of PP");
    case TimeKind::Bubble:
        return tr("bubble of PP");
    case TimeKind::DataParallel:
        break;
    }
    return tr("gradients of DP");
}

bool isCommunication(TimeKind kind)
{
    return kind == TimeKind::TensorParallel || kind == TimeKind::Pipeline || kind == TimeKind::DataParallel;
}

double AdviceRow::seconds() const
{
    double sum = 0;
    for (const Part &part : times)
        sum += part.seconds;
    return sum;
}

double AdviceRow::communicationShare() const
{
    double sum = 0;
    for (const Part &part : times)
        sum += isCommunication(part.kind) ? part.seconds : 0;
    const double all = seconds();
    return all > 0 ? sum / all : 0;
}

const AdviceRow *AdviceValues::recommended() const
{
    const auto found = std::ranges::find(rows, LayoutVerdict::Recommended, &AdviceRow::verdict);
    return found == rows.end() ? nullptr : &*found;
}

AdviceValues adviceValues(const AdviceQuestion &question, bool serving)
{
    AdviceValues values;
    values.advice = advise(question);
    values.serving = serving;
    const Advice &advice = values.advice;
    values.assumptions = sentence(serving ? advice.servingAssumptions : advice.trainingAssumptions);
    for (const TrainingLayout &layout : advice.training) {
        if (!serving && layout.bestOfTp)
            addRow(values, layout);
    }
    for (const ServingLayout &layout : advice.serving) {
        if (serving)
            addRow(values, layout);
    }
    const AdviceRow *best = values.recommended();
    const std::vector<AdviceLine> &lines = serving ? advice.servingLines : advice.trainingLines;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const QString words = sentence(lines[i].finding);
        // The first repeats the title, and another what stands in the row; their rules would be named by nothing.
        if (best == nullptr || (i > 0 && words != best->why))
            values.findings.push_back({words, ruleNumber(values, lines[i])});
    }
    for (const Hardware &preset : hardwarePresets()) {
        if (preset.name != question.hardware.name)
            values.elsewhere.push_back(elsewhereOf(question, preset, serving));
    }
    return values;
}

std::vector<ModelOption> advicePageOptions()
{
    std::vector<ModelOption> options{{"model", "NAME", "a model's shape", modelNames(), kDefaultModel}};
    options.insert(options.end(), adviceOptions().begin(), adviceOptions().end());
    std::ranges::find(options, "gpus", &ModelOption::name)->defaultText = kDefaultGpus;
    options.push_back(phaseOption());
    return options;
}

Expected<AdviceValues> readAdviceValues(const OptionValues &given)
{
    OptionValues values = given;
    values.try_emplace("model", kDefaultModel);
    values.try_emplace("gpus", kDefaultGpus);
    const Expected<Model> model = readModel(values["model"]);
    if (!model)
        return model.problem();
    const Expected<AdviceQuestion> question = readAdviceQuestion(*model, values);
    if (!question)
        return question.problem();
    const auto phase = values.find("phase");
    if (phase == values.end())
        return adviceValues(*question, question->tokenSeconds.has_value());
    const Expected<std::size_t> index = readWord("phase", phase->second, phaseOption().values);
    if (!index)
        return index.problem();
    return adviceValues(*question, *index == 1);
}

QString adviceFinding(const AdviceValues &values)
{
    const AdviceQuestion &q = values.advice.question;
    const QString model = QString::fromStdString(q.model.title);
    const QString gpus = counted(q.gpus, tr("%1 GPU|%1 GPUs"));
    const AdviceRow *best = values.recommended();
    if (const ServingLayout *nearest = values.serving ? values.advice.nearestServing() : nullptr)
        return tr("%1 cannot be served on %2 within %3 a token: the fastest that fits is %4, %5")
            .arg(model, gpus, formatDuration(*q.tokenSeconds * 1e9), axesText(nearest->settings),
                 timeText(nearest->tokenSeconds, true));
    if (!best)
        return (values.serving ? tr("%1 cannot be served on %2: no layout fits")
                               : tr("%1 cannot be trained on %2: no layout fits"))
            .arg(model, gpus);
    const QString time = timeText(best->seconds(), values.serving);
    if (values.serving)
        return tr("Serve %1 on %2 with %3, %4: %5").arg(model, gpus, best->layout, best->aside, time);
    return tr("Train %1 on %2 with %3: %4").arg(model, gpus, best->layout, time);
}

QString adviceSetting(const AdviceValues &values)
{
    const AdviceQuestion &q = values.advice.question;
    QString words = tr("Nodes of %1; %2 of %3 a GPU usable")
                        .arg(QString::fromStdString(q.hardware.title), gibibytes(values.advice.usableBytes),
                             gibibytes(static_cast<std::int64_t>(q.hardware.memoryBytes)));
    if (values.serving && q.tokenSeconds)
        words += tr("; at most %1 a token").arg(formatDuration(*q.tokenSeconds * 1e9));
    return words + QStringLiteral("; ") + values.assumptions;
}

QString adviceProvenance(const AdviceValues &values)
{
    return tr("predicted for nodes of %1, not measured \u00b7 cost model and memory model by formula")
        .arg(QString::fromStdString(values.advice.question.hardware.title));
}

} // namespace shardscope
