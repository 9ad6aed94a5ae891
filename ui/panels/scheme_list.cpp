// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/scheme_list.h"

#include "ui/panels/scheme_icon.h"

#include <QStandardItemModel>
#include <cmath>

namespace shardscope {

namespace {

constexpr int kIconHeight = 20;
constexpr int kShownRows = 30;

} // namespace

SchemeList::SchemeList(QWidget *parent) : QComboBox(parent)
{
    addHeading(tr("Tensor parallel"));
    addScheme(Scheme::Mlp, tr("MLP: columns, then rows"), tr("Megatron's pair: one all-reduce each way."));
    addScheme(Scheme::Attention, tr("Attention: by heads"),
              tr("Q, K and V by columns, whole heads on each rank; the output by rows."));
    addScheme(Scheme::Block, tr("Block: attention and MLP"), tr("With both norms and residuals."));
    addScheme(Scheme::Column, tr("Column-parallel linear"), tr("Each rank has columns of W: W[:, k]."));
    addScheme(Scheme::Row, tr("Row-parallel linear"), tr("Each rank has rows of W: W[k, :]."));
    addScheme(Scheme::Embedding, tr("Embedding: by tokens"), tr("Each rank has the rows of its part of V."));
    addScheme(Scheme::Logits, tr("Logits and loss"), tr("Columns by vocabulary; the loss needs three small sums."));
    addHeading(tr("Data and pipeline"));
    addScheme(Scheme::DataParallel, tr("Data parallel"), tr("Every rank has everything, and other tokens."));
    addScheme(Scheme::Zero1, tr("ZeRO-1: states cut"), tr("Optimizer states are cut by ranks."));
    addScheme(Scheme::Zero2, tr("ZeRO-2: gradients cut, too"), tr("Gradients and states are cut by ranks."));
    addScheme(Scheme::Zero3, tr("ZeRO-3: parameters cut, too"), tr("Gathered for the moment in which they are used."));
    addScheme(Scheme::Pipeline, tr("Pipeline: layers"), tr("Each rank has other layers; activations move on."));
    addHeading(tr("Bug lab"));
    addScheme(Scheme::BugNaiveExercise, tr("The naive exercise"), tr("All-reduce of columns and of weight gradients."));
    addScheme(Scheme::BugRowBiasEachRank, tr("Bias on every rank"), tr("Counts N times after the sum."));
    addScheme(Scheme::BugAllReduceColumns, tr("All-reduce of columns"), tr("Adds up what is to be joined."));
    addScheme(Scheme::BugConcatPartials, tr("Addends joined"), tr("Joins what is to be added up."));
    addScheme(Scheme::BugAverageInsteadOfSum, tr("Mean instead of sum"), tr("Addends are not samples."));
    addScheme(Scheme::BugNonlinearityOnPartial, tr("GELU on addends"), tr("Before the sum, not after it."));
    addScheme(Scheme::BugAllReduceWeightGradient, tr("Weight gradients summed"), tr("They are of different parts."));
    addScheme(Scheme::BugMissingInputGradientReduce, tr("dX not summed"), tr("Each rank goes on with an addend."));
    addScheme(Scheme::BugUnshardedHeads, tr("Heads cut in slices"), tr("A softmax of a part is another function."));
    addScheme(Scheme::BugUnreducedKv, tr("Shared heads not summed"), tr("Replicas of KV heads drift apart."));
    setAccessibleName(tr("Scheme"));
    setToolTip(tr("How the weights are cut."));
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(14);
    setMaxVisibleItems(kShownRows);
    setCurrentIndex(rowOf(Scheme::Mlp));
    connect(this, &QComboBox::activated, this, [this](int row) {
        if (const QVariant scheme = itemData(row); scheme.isValid())
            Q_EMIT chosen(static_cast<Scheme>(scheme.toInt()));
    });
}

void SchemeList::addHeading(const QString &title)
{
    addItem(title);
    QStandardItem *item = qobject_cast<QStandardItemModel *>(model())->item(count() - 1);
    item->setFlags(Qt::NoItemFlags);
}

void SchemeList::addScheme(Scheme scheme, const QString &title, const QString &tooltip)
{
    addItem(title, static_cast<int>(scheme));
    setItemData(count() - 1, tooltip, Qt::ToolTipRole);
}

int SchemeList::rowOf(Scheme scheme) const
{
    return findData(static_cast<int>(scheme));
}

void SchemeList::setScheme(Scheme scheme)
{
    setCurrentIndex(rowOf(scheme));
    setToolTip(itemData(currentIndex(), Qt::ToolTipRole).toString());
}

void SchemeList::applyLook(const Look &look)
{
    const int height = look.px(kIconHeight);
    setIconSize(QSize(static_cast<int>(std::lround(height * kSchemeIconAspect)), height));
    for (int row = 0; row < count(); ++row) {
        if (const QVariant scheme = itemData(row); scheme.isValid())
            setItemIcon(row, schemeIcon(static_cast<Scheme>(scheme.toInt()), *look.theme, height));
        else
            setItemData(row, uiFont(12, look.unit, 600), Qt::FontRole);
    }
}

} // namespace shardscope
