// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/scheme_words.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>

namespace shardscope {

namespace {

struct SchemeWords {
    Scheme scheme;
    const char *title;
    const char *tooltip;
};
constexpr auto kWords = std::to_array<SchemeWords>({
    {Scheme::Mlp, QT_TRANSLATE_NOOP("SchemeList", "MLP: columns, then rows"),
     QT_TRANSLATE_NOOP("SchemeList", "Megatron's pair: one all-reduce each way.")},
    {Scheme::Attention, QT_TRANSLATE_NOOP("SchemeList", "Attention: by heads"),
     QT_TRANSLATE_NOOP("SchemeList", "Q, K and V by columns, whole heads on each rank; the output by rows.")},
    {Scheme::Block, QT_TRANSLATE_NOOP("SchemeList", "Block: attention and MLP"),
     QT_TRANSLATE_NOOP("SchemeList", "With both norms and residuals.")},
    {Scheme::Column, QT_TRANSLATE_NOOP("SchemeList", "Column-parallel linear"),
     QT_TRANSLATE_NOOP("SchemeList", "Each rank has columns of W: W[:, k].")},
    {Scheme::Row, QT_TRANSLATE_NOOP("SchemeList", "Row-parallel linear"),
     QT_TRANSLATE_NOOP("SchemeList", "Each rank has rows of W: W[k, :].")},
    {Scheme::Embedding, QT_TRANSLATE_NOOP("SchemeList", "Embedding: by tokens"),
     QT_TRANSLATE_NOOP("SchemeList", "Each rank has the rows of its part of V.")},
    {Scheme::Logits, QT_TRANSLATE_NOOP("SchemeList", "Logits and loss"),
     QT_TRANSLATE_NOOP("SchemeList", "Columns by vocabulary; the loss needs three small sums.")},
    {Scheme::DataParallel, QT_TRANSLATE_NOOP("SchemeList", "Data parallel"),
     QT_TRANSLATE_NOOP("SchemeList", "Every rank has everything, and other tokens.")},
    {Scheme::Zero1, QT_TRANSLATE_NOOP("SchemeList", "ZeRO-1: states cut"),
     QT_TRANSLATE_NOOP("SchemeList", "Optimizer states are cut by ranks.")},
    {Scheme::Zero2, QT_TRANSLATE_NOOP("SchemeList", "ZeRO-2: gradients cut, too"),
     QT_TRANSLATE_NOOP("SchemeList", "Gradients and states are cut by ranks.")},
    {Scheme::Zero3, QT_TRANSLATE_NOOP("SchemeList", "ZeRO-3: parameters cut, too"),
     QT_TRANSLATE_NOOP("SchemeList", "Gathered for the moment in which they are used.")},
    {Scheme::Pipeline, QT_TRANSLATE_NOOP("SchemeList", "Pipeline: layers"),
     QT_TRANSLATE_NOOP("SchemeList", "Each rank has other layers; activations move on.")},
    {Scheme::BugNaiveExercise, QT_TRANSLATE_NOOP("SchemeList", "The naive exercise"),
     QT_TRANSLATE_NOOP("SchemeList", "All-reduce of columns and of weight gradients.")},
    {Scheme::BugRowBiasEachRank, QT_TRANSLATE_NOOP("SchemeList", "Bias on every rank"),
     QT_TRANSLATE_NOOP("SchemeList", "Counts N times after the sum.")},
    {Scheme::BugAllReduceColumns, QT_TRANSLATE_NOOP("SchemeList", "All-reduce of columns"),
     QT_TRANSLATE_NOOP("SchemeList", "Adds up what is to be joined.")},
    {Scheme::BugConcatPartials, QT_TRANSLATE_NOOP("SchemeList", "Addends joined"),
     QT_TRANSLATE_NOOP("SchemeList", "Joins what is to be added up.")},
    {Scheme::BugAverageInsteadOfSum, QT_TRANSLATE_NOOP("SchemeList", "Mean instead of sum"),
     QT_TRANSLATE_NOOP("SchemeList", "Addends are not samples.")},
    {Scheme::BugNonlinearityOnPartial, QT_TRANSLATE_NOOP("SchemeList", "GELU on addends"),
     QT_TRANSLATE_NOOP("SchemeList", "Before the sum, not after it.")},
    {Scheme::BugAllReduceWeightGradient, QT_TRANSLATE_NOOP("SchemeList", "Weight gradients summed"),
     QT_TRANSLATE_NOOP("SchemeList", "They are of different parts.")},
    {Scheme::BugMissingInputGradientReduce, QT_TRANSLATE_NOOP("SchemeList", "dX not summed"),
     QT_TRANSLATE_NOOP("SchemeList", "Each rank goes on with an addend.")},
    {Scheme::BugUnshardedHeads, QT_TRANSLATE_NOOP("SchemeList", "Heads cut in slices"),
     QT_TRANSLATE_NOOP("SchemeList", "A softmax of a part is another function.")},
    {Scheme::BugUnreducedKv, QT_TRANSLATE_NOOP("SchemeList", "Shared heads not summed"),
     QT_TRANSLATE_NOOP("SchemeList", "Replicas of KV heads drift apart.")},
});

const SchemeWords &wordsOf(Scheme scheme)
{
    return *std::ranges::find(kWords, scheme, &SchemeWords::scheme);
}

} // namespace

QString schemeTitle(Scheme scheme)
{
    return QCoreApplication::translate("SchemeList", wordsOf(scheme).title);
}

QString schemeTooltip(Scheme scheme)
{
    return QCoreApplication::translate("SchemeList", wordsOf(scheme).tooltip);
}

} // namespace shardscope
