// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/equation.h"

#include "ui/diagram/words.h"
#include "ui/texts.h"

namespace shardscope {
namespace {

/// The sign before each input, and what leads to the outputs.
struct Grammar {
    std::vector<Term> before; ///< before input i; missing: a comma-like gap
    Term result;
};

Term sign(const char *symbol, const QString &word = {})
{
    return {Term::Kind::Operator, kNoTensor, false, QString::fromUtf8(symbol), word};
}

Term arrow(const QString &word)
{
    return {Term::Kind::Arrow, kNoTensor, false, {}, word};
}

Grammar grammarOf(const Step &step)
{
    const Term none = sign("");
    switch (step.kind) {
    case StepKind::MatMul:
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
        return {{none}, arrow(step.collective ? opName(step.collective->op) : QString())};
    }
    return {{none}, arrow(QString())};
}

bool isEmpty(const Term &term)
{
    return term.kind == Term::Kind::Operator && term.symbol.isEmpty() && term.word.isEmpty();
}

} // namespace

std::vector<Term> equationOf(const Plan &, const Step &step)
{
    const Grammar grammar = grammarOf(step);
    std::vector<Term> terms;
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
        const Term before = i < grammar.before.size() ? grammar.before[i] : sign("·");
        if (!isEmpty(before))
            terms.push_back(before);
        const bool transposed = step.kind == StepKind::MatMul && (i == 0 ? step.transposeA : step.transposeB);
        terms.push_back({Term::Kind::Matrix, step.inputs[i], transposed, {}, {}});
    }
    terms.push_back(grammar.result);
    for (const TensorId output : step.outputs)
        terms.push_back({Term::Kind::Matrix, output, false, {}, {}});
    return terms;
}

} // namespace shardscope
