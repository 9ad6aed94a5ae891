// SPDX-License-Identifier: MIT
#include "engine/plan/derivation.h"
#include "engine/plan/experiment_options.h"
#include "engine/plan/explain.h"
#include "engine/plan/option_uses.h"
#include "engine/plan/plan.h"
#include "engine/plan/tensor_text.h"
#include "engine/plan/traffic.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

namespace shardscope {
namespace {

constexpr std::size_t kTextWidth = 100; ///< of wrapped sentences
constexpr std::string_view kIndent = "      ";

/// Characters as a terminal counts them: UTF-8 continuation bytes take no column.
std::size_t columnsOf(std::string_view text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

using TableRow = std::vector<std::string>;

/// Rows with columns aligned; from column `firstRight` on, to the right.
std::string table(const std::vector<TableRow> &rows, std::size_t firstRight)
{
    std::vector<std::size_t> widths(rows.front().size(), 0);
    for (const TableRow &row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], columnsOf(row[i]));
    }
    std::string text;
    for (const TableRow &row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string padding(widths[i] - columnsOf(row[i]), ' ');
            line += "  " + (i >= firstRight ? padding + row[i] : row[i] + padding);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

/// The end of the word that starts at `begin`; a shape in brackets is one word.
std::size_t wordEnd(const std::string &sentence, std::size_t begin)
{
    std::size_t from = begin;
    if (sentence[begin] == '[')
        from = std::min(sentence.find(']', begin), sentence.size() - 1);
    return std::min(sentence.find(' ', from), sentence.size());
}

/// `sentence` broken at spaces, every line indented.
std::string wrapped(const std::string &sentence)
{
    std::string text;
    std::string line(kIndent);
    std::size_t end = 0;
    for (std::size_t begin = 0; begin < sentence.size(); begin = end + 1) {
        end = wordEnd(sentence, begin);
        const std::string word = sentence.substr(begin, end - begin);
        const bool first = line.size() == kIndent.size();
        if (!first && columnsOf(line) + 1 + columnsOf(word) > kTextWidth) {
            text += line + "\n";
            line = std::string(kIndent) + word;
        } else {
            line += (first ? "" : " ") + word;
        }
    }
    return text + line + "\n";
}

/// "1.07 G": three significant digits and an SI prefix; below 1000 the number itself.
std::string siText(std::int64_t value)
{
    constexpr std::array<std::string_view, 7> kPrefixes{"", "k", "M", "G", "T", "P", "E"};
    if (value < 1000)
        return std::to_string(value) + " ";
    // Compared as it will be rounded: 999 600 is "1.00 M", not "1000 k".
    double scaled = static_cast<double>(value);
    std::size_t prefix = 0;
    for (; scaled >= 999.5 && prefix + 1 < kPrefixes.size(); ++prefix)
        scaled /= 1000;
    const int decimals = scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0;
    std::array<char, 32> digits{};
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), scaled, std::chars_format::fixed, decimals);
    return std::string(digits.data(), end.ptr) + " " + std::string(kPrefixes[prefix]);
}

std::string lifeText(const Tensor &tensor)
{
    std::string life = tensor.madeAt < 0 ? "given" : "made by " + std::to_string(tensor.madeAt + 1);
    if (tensor.savedForBackward)
        life += ", saved for backward";
    if (tensor.freedAfter >= 0)
        life += ", freed after " + std::to_string(tensor.freedAfter + 1);
    else if (tensor.madeAt >= 0)
        life += ", kept";
    return life;
}

/// The sizes beside h that the scheme uses.
std::string sizesText(const Experiment &e)
{
    std::string text;
    const auto add = [&](bool used, const char *symbol, std::int64_t value) {
        if (used)
            text += std::string(", ") + symbol + " = " + std::to_string(value);
    };
    add(option_uses::ffn(e), "f", e.ffn);
    add(option_uses::attention(e), "a", e.heads);
    add(option_uses::attention(e), "k", e.kvHeads);
    add(option_uses::cache(e), "cache", e.cache);
    add(option_uses::vocabulary(e), "V", e.vocabulary);
    add(e.layers > 1, "L", e.layers);
    add(e.microBatches > 1, "m", e.microBatches);
    return text;
}

std::string header(const Plan &plan)
{
    const Experiment &e = plan.experiment;
    std::string text = "Plan: " + std::string(name(e.scheme));
    if (e.repeatedLayer() && ownAxis(e.scheme) != MeshAxis::Tp)
        text += " of " + std::string(name(e.layer));
    if (option_uses::mlp(e))
        text += " (" + std::string(name(e.mlp)) + ")";
    text += ", " + std::string(name(e.phase)) + ", " + counted(e.ranks(), "rank|ranks");
    if (e.mesh != meshAlong(ownAxis(e.scheme), e.ranks()))
        text += " (" + findOption("mesh")->get(e) + ")";
    text += ", " + std::string(name(e.dtype)) + ", algorithm " + std::string(name(e.algorithm)) + "\n";
    const std::string perSequence =
        e.phase == Phase::Decode ? "one new token each" : counted(e.sequence, "token|tokens") + " each";
    text += "t = " + counted(e.tokens(), "token|tokens") + " (" + counted(e.batch, "sequence|sequences") + ", " +
            perSequence + "), h = " + std::to_string(e.hidden) + sizesText(e) + ". Weights are [in, out].\n";
    return text;
}

std::string tensorTable(const Plan &plan)
{
    std::vector<TableRow> rows{{"tensor", "global", "", "placement", "on each rank", "bytes per rank", "life"}};
    for (const Tensor &t : plan.tensors) {
        rows.push_back({t.name, symbolsText(t), shapeText(t), layoutText(plan, t), localShapeText(plan, t),
                        std::to_string(localBytes(t, plan.mesh(), firstHolder(plan, t))), lifeText(t)});
    }
    return table(rows, rows.front().size());
}

/// The derivation, a line or more for each statement.
std::string derivationText(const std::vector<DerivationLine> &lines)
{
    std::string text;
    for (const DerivationLine &line : lines)
        text += wrapped(english(line.caption) + ": " + english(line.text));
    return text;
}

std::string collectiveText(const Plan &plan, const Step &step)
{
    const Collective &c = *step.collective;
    const std::string group = c.replicas > 0 ? ", among " + std::to_string(c.replicas) + " neighbours" : "";
    return wrapped(std::string(name(c.op)) + " over " + std::string(axisName(c.axis)) + group) +
           derivationText(derivation(plan, step));
}

std::string workText(const Plan &plan, const Step &step)
{
    if (step.collective)
        return collectiveText(plan, step);
    const std::string moved = siText(step.memoryBytes) + "B read and written on each rank";
    return std::string(kIndent) + (step.flops > 0 ? siText(step.flops) + "FLOP, " + moved : moved) + "\n";
}

std::string stepText(const Plan &plan, const Step &step)
{
    const std::string number = std::to_string(step.id + 1);
    const std::string padding(4 - std::min<std::size_t>(4, number.size()), ' ');
    return padding + number + ". " + step.label + "\n" + wrapped(english(step.title) + ".") +
           wrapped(english(step.reason)) + workText(plan, step);
}

std::string stepList(const Plan &plan)
{
    std::string text;
    std::optional<Pass> pass;
    for (const Step &step : plan.steps) {
        if (pass != step.pass)
            text += "\n" + std::string(name(step.pass)) + "\n";
        pass = step.pass;
        text += stepText(plan, step);
    }
    return text;
}

TableRow trafficRow(std::string label, const PassTraffic &t)
{
    return {std::move(label), std::to_string(t.collectives), std::to_string(t.payloadBytes),
            std::to_string(t.sentBytesPerRank)};
}

std::string trafficTable(const Plan &plan)
{
    const Traffic all = traffic(plan);
    std::vector<TableRow> rows{{"communication", "collectives", "payload bytes", "sent bytes per rank"}};
    for (const Pass pass : {Pass::Forward, Pass::Recompute, Pass::Backward, Pass::Optimizer}) {
        const bool used =
            std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step &s) { return s.pass == pass; });
        if (used)
            rows.push_back(trafficRow(std::string(name(pass)), all.passes[static_cast<std::size_t>(pass)]));
    }
    rows.push_back(trafficRow("step", all.total()));
    return table(rows, 1);
}

} // namespace

std::string toText(const Plan &plan)
{
    std::string text = header(plan) + "\n" + tensorTable(plan) + stepList(plan) + "\n" + trafficTable(plan);
    text += "  memory at the peak, bytes per rank: " + std::to_string(peakBytesPerRank(plan)) + "\n";
    if (const std::vector<DerivationLine> gradients = weightGradientLines(plan); !gradients.empty())
        text += "\n" + derivationText(gradients);
    for (const BrokenRule &broken : plan.brokenRules)
        text += "\nBroken rule, step " + std::to_string(broken.step + 1) + ":\n" + wrapped(english(broken.rule)) +
                wrapped("Right: " + english(broken.remedy));
    return text;
}

} // namespace shardscope
