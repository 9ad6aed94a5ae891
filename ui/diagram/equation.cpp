// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/equation.h"

#include "ui/diagram/words.h"
#include "ui/texts.h"

#include <QStringList>
#include <algorithm>

namespace shardscope {
namespace {

/// The sign before each input, and what leads to the outputs.
struct Grammar {
    std::vector<Term> before; ///< before input i; missing: a comma
    Term result;
};

Term sign(const char *symbol, const QString &word = {})
{
    return {Term::Kind::Operator, kNoTensor, false, QString::fromUtf8(symbol), word, 1, {}};
}

Term arrow(const QString &word)
{
    return {Term::Kind::Arrow, kNoTensor, false, {}, word, 1, {}};
}

QString collectiveWord(const Step &step)
{
    if (!step.collective)
        return {};
    return step.collective->op == CollectiveOp::SendRecv ? Words::tr("send") : opName(step.collective->op);
}

Grammar grammarOf(const Step &step)
{
    const Term none = sign("");
    switch (step.kind) {
    case StepKind::MatMul:
        return {{none, sign("×")}, sign("=")};
    case StepKind::Dequantize:
        return {{none, sign("×")}, sign("=")};
    case StepKind::AddBias:
    case StepKind::Add:
        return {{none, sign("+")}, sign("=")};
    case StepKind::Gelu:
        return {{none}, arrow(QStringLiteral("gelu"))};
    case StepKind::GeluBackward:
        return {{none, sign("·", QStringLiteral("gelu′"))}, sign("=")};
    case StepKind::SwiGlu:
        return {{sign("", QStringLiteral("silu")), sign("·")}, sign("=")};
    case StepKind::SwiGluBackward:
        return {{none, sign("·"), sign("·")}, arrow(QStringLiteral("swiglu′"))};
    case StepKind::SumRows:
        return {{none}, arrow(Words::tr("Σ rows"))};
    case StepKind::Scale:
        return {{none}, arrow(QStringLiteral("× %1").arg(step.factor, 0, 'g', 3))};
    case StepKind::LayerNorm:
        return {{none}, arrow(Words::tr("norm"))};
    case StepKind::LayerNormBackward:
    case StepKind::LayerNormScaleGradient:
        return {{none}, arrow(QStringLiteral("norm′"))};
    case StepKind::AttentionCore:
        return {{none}, arrow(Words::tr("attention"))};
    case StepKind::AttentionCoreBackward:
        return {{none}, arrow(QStringLiteral("attention′"))};
    case StepKind::EmbeddingLookup:
        return {{none}, arrow(Words::tr("look up"))};
    case StepKind::EmbeddingBackward:
        return {{none}, arrow(Words::tr("add rows"))};
    case StepKind::LastPosition:
        return {{none}, arrow(Words::tr("last position"))};
    case StepKind::RowMax:
        return {{none}, arrow(QStringLiteral("max"))};
    case StepKind::SumExp:
        return {{none}, arrow(QStringLiteral("Σ exp"))};
    case StepKind::TargetLogit:
        return {{none}, arrow(Words::tr("target"))};
    case StepKind::CrossEntropy:
        return {{none}, arrow(QStringLiteral("log S − T"))};
    case StepKind::CrossEntropyBackward:
        return {{none}, arrow(QStringLiteral("softmax − 1"))};
    case StepKind::Adam:
        return {{none}, arrow(QStringLiteral("Adam"))};
    case StepKind::Pad:
        return {{none}, arrow(Words::tr("wait"))};
    case StepKind::Slice:
        return {{none}, arrow(Words::tr("slice"))};
    case StepKind::Collective:
        return {{none}, arrow(collectiveWord(step))};
    }
    return {{none}, arrow(QString())};
}

bool isEmpty(const Term &term)
{
    return term.kind == Term::Kind::Operator && term.symbol.isEmpty() && term.word.isEmpty();
}

} // namespace

namespace {

Term matrix(TensorId tensor, bool transposed = false)
{
    return {Term::Kind::Matrix, tensor, transposed, {}, {}, 1, {}};
}

/// The tensors of one collective as one term.
Term message(const Plan &plan, const std::vector<TensorId> &tensors)
{
    Term term = matrix(*std::ranges::max_element(tensors, {}, [&](TensorId id) { return plan.tensor(id).elements(); }));
    term.stack = static_cast<int>(tensors.size());
    if (term.stack > 1)
        term.names = namesOf(plan, tensors);
    return term;
}

/// A decode step's new keys and values come after those in the cache.
std::vector<Term> cachedAttention(const Step &step)
{
    const auto in = [&](std::size_t index) { return matrix(step.inputs[index]); };
    const Term row = sign("+", Words::tr("new row"));
    return {in(0), sign(","), in(3), row, in(1), sign(","), in(4), row, in(2)};
}

} // namespace

std::vector<Term> equationOf(const Plan &plan, const Step &step)
{
    const Grammar grammar = grammarOf(step);
    if (step.collective)
        return {message(plan, step.inputs), grammar.result, message(plan, step.outputs)};
    std::vector<Term> terms;
    constexpr std::size_t kWithCache = 5;
    if (step.kind == StepKind::AttentionCore && step.inputs.size() == kWithCache) {
        terms = cachedAttention(step);
    } else {
        for (std::size_t i = 0; i < step.inputs.size(); ++i) {
            const Term before = i < grammar.before.size() ? grammar.before[i] : sign(",");
            if (!isEmpty(before))
                terms.push_back(before);
            const bool transposed = step.kind == StepKind::MatMul && (i == 0 ? step.transposeA : step.transposeB);
            terms.push_back(matrix(step.inputs[i], transposed));
        }
    }
    terms.push_back(grammar.result);
    for (const TensorId output : step.outputs)
        terms.push_back(matrix(output));
    return terms;
}

MatrixView termView(const Plan &plan, const Term &term, int rank)
{
    MatrixView view = matrixView(plan, term.tensor, term.transposed, rank);
    if (term.stack == 1)
        return view;
    view.stack = term.stack;
    view.name = term.names;
    view.globalShape = Words::tr("%1 tensors").arg(term.stack);
    return view;
}

QString namesOf(const Plan &plan, const std::vector<TensorId> &tensors)
{
    constexpr std::size_t kMostNames = 4;
    QStringList names;
    for (const TensorId id : tensors) {
        names << formulaText(plan.tensor(id).name);
        if (tensors.size() > kMostNames && names.size() == 2)
            return Words::tr("%1, … (%2 tensors)").arg(names.join(QStringLiteral(", "))).arg(tensors.size());
    }
    return names.join(QStringLiteral(", "));
}

} // namespace shardscope
