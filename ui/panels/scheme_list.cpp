// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/scheme_list.h"

#include "ui/panels/scheme_icon.h"
#include "ui/panels/scheme_words.h"

#include <QStandardItemModel>
#include <cmath>

namespace shardscope {

namespace {

constexpr int kIconHeight = 20;
constexpr int kShownRows = 30;

} // namespace

SchemeList::SchemeList(QWidget *parent) : QComboBox(parent)
{
    addGroup(tr("Tensor parallel"), {Scheme::Mlp, Scheme::Attention, Scheme::Block, Scheme::Column, Scheme::Row,
                                     Scheme::Embedding, Scheme::Logits});
    addGroup(tr("Data and pipeline"),
             {Scheme::DataParallel, Scheme::Zero1, Scheme::Zero2, Scheme::Zero3, Scheme::Pipeline});
    addGroup(tr("Bug lab"), {Scheme::BugNaiveExercise, Scheme::BugRowBiasEachRank, Scheme::BugAllReduceColumns,
                             Scheme::BugConcatPartials, Scheme::BugAverageInsteadOfSum,
                             Scheme::BugNonlinearityOnPartial, Scheme::BugAllReduceWeightGradient,
                             Scheme::BugMissingInputGradientReduce, Scheme::BugUnshardedHeads, Scheme::BugUnreducedKv});
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

void SchemeList::addGroup(const QString &title, std::initializer_list<Scheme> schemes)
{
    addItem(title);
    QStandardItem *heading = qobject_cast<QStandardItemModel *>(model())->item(count() - 1);
    heading->setFlags(Qt::NoItemFlags);
    for (const Scheme scheme : schemes) {
        addItem(schemeTitle(scheme), static_cast<int>(scheme));
        setItemData(count() - 1, schemeTooltip(scheme), Qt::ToolTipRole);
    }
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
