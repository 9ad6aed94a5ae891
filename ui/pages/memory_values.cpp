// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/memory_values.h"

#include "engine/record/format.h"
#include "engine/simulate/advice.h"
#include "ui/charts/number_format.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QRegularExpression>
#include <QStringList>
#include <algorithm>

namespace shardscope {

namespace {

constexpr std::string_view kDefaultModel = "gpt3";
constexpr std::string_view kDefaultHardware = "h100-8";
constexpr MemoryKind kStates[] = {MemoryKind::Weights, MemoryKind::Gradients, MemoryKind::Optimizer};

bool isState(MemoryKind kind)
{
    return kind != MemoryKind::Activations && kind != MemoryKind::KvCache;
}

/// "21.7e9".
QString countText(std::int64_t parameters)
{
    const auto count = static_cast<double>(parameters);
    const bool billions = count >= 1e9;
    return formatNumber(count / (billions ? 1e9 : 1e6), 3) + (billions ? QStringLiteral("e9") : QStringLiteral("e6"));
}

/// Collects sources; the number that stands for one.
int sourceNumber(MemoryTable &table, const Text &source)
{
    const QString words = sentence(source);
    const auto found = std::ranges::find(table.sources, words);
    if (found != table.sources.end())
        return static_cast<int>(found - table.sources.begin()) + 1;
    table.sources.push_back(words);
    return static_cast<int>(table.sources.size());
}

QString stateTitle(const MemoryEstimate &estimate, MemoryKind kind)
{
    const auto term = std::ranges::find(estimate.terms, kind, &MemoryTerm::kind);
    const QString shards = term->shards > 1 ? QStringLiteral("/%1").arg(term->shards) : QString();
    return QStringLiteral("%1 %2 B%3").arg(kindTitle(kind)).arg(term->bytesEach).arg(shards);
}

/// The term of the same parameters in another estimate or of another kind; nullptr when it holds others.
const MemoryTerm *sameParameters(const MemoryEstimate &estimate, const MemoryTerm &term, MemoryKind kind)
{
    const auto found = std::ranges::find_if(estimate.terms, [&](const MemoryTerm &other) {
        return other.kind == kind && other.part == term.part && other.name == term.name &&
               other.parameters == term.parameters;
    });
    return found == estimate.terms.end() ? nullptr : &*found;
}

MemoryRow partRow(MemoryTable &table, const MemoryTerm &term)
{
    MemoryRow row;
    row.name = sentence(term.name);
    row.part = term.part;
    row.parameters = countText(term.parameters);
    row.formula = formulaText(term.parameterFormula);
    row.source = sourceNumber(table, term.source);
    return row;
}

void addParts(MemoryTable &table, const MemoryValues &values)
{
    for (const MemoryTerm &term : values.training.terms) {
        if (term.kind != MemoryKind::Weights)
            continue;
        MemoryRow row = partRow(table, term);
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < row.states.size(); ++i) {
            const MemoryTerm *state = sameParameters(values.training, term, kStates[i]);
            row.states[i] = gibibytes(state->bytes);
            sum += state->bytes;
        }
        row.training = gibibytes(sum);
        if (const MemoryTerm *served = sameParameters(values.inference, term, MemoryKind::Weights))
            row.inference = gibibytes(served->bytes);
        table.rows.push_back(row);
    }
    // The fullest stage of a pipeline may be another one in inference.
    for (const MemoryTerm &term : values.inference.terms) {
        if (term.kind != MemoryKind::Weights || sameParameters(values.training, term, MemoryKind::Weights))
            continue;
        MemoryRow row = partRow(table, term);
        row.inference = gibibytes(term.bytes);
        table.rows.push_back(row);
    }
}

void addStates(MemoryTable &table, const MemoryValues &values)
{
    MemoryRow sum;
    sum.kind = MemoryRow::Kind::States;
    sum.name = tr("parameters, gradients, optimizer");
    for (std::size_t i = 0; i < sum.states.size(); ++i)
        sum.states[i] = gibibytes(values.training.bytes(kStates[i]));
    sum.training = gibibytes(values.training.stateBytes());
    sum.inference = gibibytes(values.inference.stateBytes());
    table.rows.push_back(sum);
    if (values.settings.tp == 1)
        return;
    MemoryRow divided;
    divided.kind = MemoryRow::Kind::DividedByTp;
    divided.name = tr("if everything were divided by TP");
    divided.training = gibibytes(values.training.stateDividedByTpBytes());
    divided.inference = gibibytes(values.inference.stateDividedByTpBytes());
    divided.formula = tr("what is replicated is not divided");
    table.rows.push_back(divided);
}

void addLoad(MemoryTable &table, const MemoryEstimate &estimate, QString MemoryRow::*column)
{
    for (const MemoryTerm &term : estimate.terms) {
        if (isState(term.kind))
            continue;
        MemoryRow row;
        row.kind = MemoryRow::Kind::Load;
        row.name = sentence(term.name);
        row.load = term.kind;
        row.part = term.part;
        row.*column = gibibytes(term.bytes);
        row.formula = formulaText(term.formula);
        row.source = sourceNumber(table, term.source);
        table.rows.push_back(row);
    }
}

/// One paragraph for each of both phases.
void addNotes(MemoryTable &table, const MemoryEstimate &estimate, const QString &phase)
{
    QString words = phase + QLatin1Char('.');
    for (const Text &note : estimate.notes)
        words += QLatin1Char(' ') + sentence(note) + QLatin1Char('.');
    table.notes.push_back(words);
}

QString fitVerb(Fit fit)
{
    switch (fit) {
    case Fit::Fits:
        return tr("fits");
    case Fit::Tight:
        return tr("is too tight");
    case Fit::TooLarge:
        break;
    }
    return tr("does not fit");
}

} // namespace

MemoryValues memoryValues(const Model &model, const MemorySettings &settings, const Hardware &hardware)
{
    return {model, settings, hardware, trainingMemory(model, settings), inferenceMemory(model, settings)};
}

std::vector<ModelOption> memoryPageOptions()
{
    std::vector<ModelOption> options{
        {"model", "NAME", "a model's shape", modelNames(), kDefaultModel},
        {"hardware", "NAME", "the preset whose memory is the limit", {}, kDefaultHardware}};
    options.insert(options.end(), memoryOptions().begin(), memoryOptions().end());
    return options;
}

Expected<MemoryValues> readMemoryValues(const OptionValues &given)
{
    const auto valueOr = [&given](std::string_view option, std::string_view otherwise) {
        const auto found = given.find(option);
        return found == given.end() ? std::string(otherwise) : found->second;
    };
    const Expected<Model> model = readModel(valueOr("model", kDefaultModel));
    if (!model)
        return model.problem();
    const Expected<Hardware> hardware = readPreset(valueOr("hardware", kDefaultHardware));
    if (!hardware)
        return hardware.problem();
    const Expected<MemorySettings> settings = readMemorySettings(*model, given);
    if (!settings)
        return settings.problem();
    return memoryValues(*model, *settings, *hardware);
}

Fit fitOf(std::int64_t bytes, const Hardware &hardware)
{
    const auto needed = static_cast<double>(bytes);
    if (needed > hardware.memoryBytes)
        return Fit::TooLarge;
    return needed > kUsableMemoryShare * hardware.memoryBytes ? Fit::Tight : Fit::Fits;
}

QString fitWords(std::int64_t bytes, const Hardware &hardware)
{
    const double share = static_cast<double>(bytes) / hardware.memoryBytes;
    switch (fitOf(bytes, hardware)) {
    case Fit::Fits:
        return tr("fits, %1 of the card").arg(formatShare(share));
    case Fit::Tight:
        return tr("too tight, %1 of the card").arg(formatShare(share));
    case Fit::TooLarge:
        break;
    }
    return tr("does not fit, %1 the card").arg(formatRatio(std::optional(share)));
}

QString cardName(const Hardware &hardware)
{
    static const QRegularExpression count(QStringLiteral("^[0-9]+ x "));
    return QString::fromStdString(hardware.title).section(QLatin1Char(','), 0, 0).remove(count);
}

QString layoutWords(const MemorySettings &settings)
{
    QStringList axes;
    for (const auto &[axis, extent] : {std::pair("TP", settings.tp), {"PP", settings.pp}, {"DP", settings.dp}}) {
        if (extent > 1)
            axes << QStringLiteral("%1 %2").arg(QLatin1String(axis)).arg(extent);
    }
    return axes.isEmpty() ? tr("one GPU") : axes.join(QStringLiteral(" \u00d7 "));
}

QString gibibytes(std::int64_t bytes)
{
    return QString::fromStdString(formatGibibytes(bytes)).replace(QLatin1Char(' '), QChar::Nbsp);
}

QString kindTitle(MemoryKind kind)
{
    switch (kind) {
    case MemoryKind::Weights:
        return tr("weights");
    case MemoryKind::Gradients:
        return tr("gradients");
    case MemoryKind::Optimizer:
        return tr("optimizer");
    case MemoryKind::Activations:
        return tr("activations");
    case MemoryKind::KvCache:
        break;
    }
    return tr("KV cache");
}

QString memoryFinding(const MemoryValues &values)
{
    const std::int64_t training = values.training.totalBytes();
    const std::int64_t inference = values.inference.totalBytes();
    const Fit trains = fitOf(training, values.hardware);
    const Fit serves = fitOf(inference, values.hardware);
    const QString card = cardName(values.hardware);
    const QString verdict = trains != serves
                                ? tr("on %1 training %2, inference %3").arg(card, fitVerb(trains), fitVerb(serves))
                            : trains == Fit::Fits  ? tr("both fit %1").arg(card)
                            : trains == Fit::Tight ? tr("both are too tight for %1").arg(card)
                                                   : tr("neither fits %1").arg(card);
    // The states alone are what most tables give; what a GPU needs is more.
    const QString whole = tr("%1 per GPU (states %2, activations %3)")
                              .arg(gibibytes(training), gibibytes(values.training.stateBytes()),
                                   gibibytes(values.training.bytes(MemoryKind::Activations)));
    return tr("%1, %2: training needs %3, inference %4; %5")
        .arg(QString::fromStdString(values.model.title), layoutWords(values.settings), whole, gibibytes(inference),
             verdict);
}

QString memorySetting(const MemoryValues &values)
{
    const MemorySettings &s = values.settings;
    const auto word = [](std::string_view text) { return QString::fromUtf8(text.data(), qsizetype(text.size())); };
    const double billions = static_cast<double>(parametersOf(values.model).total) / 1e9;
    QStringList parts{tr("%1 billion parameters").arg(QString::number(billions, 'f', billions < 20 ? 2 : 1)),
                      counted(s.gpus(), tr("%1 GPU|%1 GPUs")),
                      tr("training: micro-batches of %1 \u00d7 %2, %3 bytes a parameter, ZeRO %4, "
                         "sequence parallelism %5, recomputation %6")
                          .arg(s.batch)
                          .arg(counted(s.sequence, tr("%1 token|%1 tokens")))
                          .arg(s.bytesPerParameter)
                          .arg(s.zero)
                          .arg(s.sequenceParallel ? tr("on") : tr("off"), word(name(s.recompute))),
                      tr("inference: %1 \u00d7 %2 in the KV cache, weights %3")
                          .arg(s.batch)
                          .arg(counted(s.sequence, tr("%1 token|%1 tokens")), word(name(s.weights)))};
    return parts.join(QStringLiteral(" \u00b7 "));
}

QString dividedWords(const MemoryEstimate &estimate, const MemorySettings &settings)
{
    const std::int64_t right = estimate.stateBytes();
    const std::int64_t popular = estimate.stateDividedByTpBytes();
    if (settings.tp == 1 || gibibytes(right) == gibibytes(popular))
        return {};
    return tr("\u201ceverything divided by TP\u201d gives %1, %2 too few")
        .arg(gibibytes(popular), gibibytes(right - popular));
}

QString memoryProvenance(const MemoryValues &values)
{
    return tr("by formula, not measured \u00b7 one GPU of the fullest pipeline stage \u00b7 "
              "limit: %1 of the %2 of %3 \u00b7 GiB = 2^30 bytes")
        .arg(formatShare(kUsableMemoryShare), gibibytes(static_cast<std::int64_t>(values.hardware.memoryBytes)),
             QString::fromStdString(values.hardware.title));
}

MemoryTable memoryTable(const MemoryValues &values)
{
    MemoryTable table;
    for (std::size_t i = 0; i < table.stateTitles.size(); ++i)
        table.stateTitles[i] = stateTitle(values.training, kStates[i]);
    addParts(table, values);
    addStates(table, values);
    addLoad(table, values.training, &MemoryRow::training);
    addLoad(table, values.inference, &MemoryRow::inference);
    MemoryRow total;
    total.kind = MemoryRow::Kind::Total;
    total.name = tr("all together");
    total.training = gibibytes(values.training.totalBytes());
    total.inference = gibibytes(values.inference.totalBytes());
    table.rows.push_back(total);
    addNotes(table, values.training, tr("Training"));
    addNotes(table, values.inference, tr("Inference"));
    return table;
}

} // namespace shardscope
