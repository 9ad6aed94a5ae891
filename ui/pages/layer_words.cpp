// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/layer_words.h"

#include "engine/plan/option_uses.h"
#include "ui/charts/number_format.h"
#include "ui/setting_words.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QStringList>

namespace shardscope {

namespace {

QString sizesOf(const Experiment &e)
{
    QStringList sizes{QStringLiteral("h %1").arg(e.hidden)};
    if (option_uses::ffn(e))
        sizes << QStringLiteral("f %1").arg(e.ffn);
    if (option_uses::attention(e)) {
        sizes << counted(e.heads, tr("%1 head|%1 heads"));
        if (e.kvHeads != e.heads)
            sizes << counted(e.kvHeads, tr("%1 KV head|%1 KV heads"));
    }
    if (option_uses::vocabulary(e))
        sizes << QStringLiteral("V %1").arg(e.vocabulary);
    if (e.layers > 1)
        sizes << counted(e.layers, tr("%1 layer|%1 layers"));
    return sizes.join(QStringLiteral(", "));
}

QString tokensOf(const Experiment &e)
{
    QString tokens = e.phase == Phase::Decode
                         ? counted(e.batch, tr("%1 token|%1 tokens"))
                         : tr("%1 \u00d7 %2").arg(e.batch).arg(counted(e.sequence, tr("%1 token|%1 tokens")));
    if (e.microBatches > 1)
        tokens = counted(e.microBatches, tr("%1 micro-batch of %2|%1 micro-batches of %2")).arg(tokens);
    return e.extent(MeshAxis::Dp) > 1 ? tr("%1 on each replica").arg(tokens) : tokens;
}

} // namespace

QString word(std::string_view name)
{
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

QString axisWord(MeshAxis axis)
{
    return word(axisName(axis));
}

QString bytesWords(std::int64_t bytes)
{
    return formatBytes(static_cast<double>(bytes));
}

QString meshWords(const Mesh &mesh)
{
    QStringList axes;
    for (const MeshAxis axis : kMeshAxes) {
        if (mesh.extent(axis) > 1)
            axes << QStringLiteral("%1\u00a0%2").arg(axisWord(axis)).arg(mesh.extent(axis));
    }
    return axes.isEmpty() ? tr("1 rank") : axes.join(QStringLiteral(" \u00d7 "));
}

QString layerWords(const Experiment &e, LayerShownOver over)
{
    const QString algorithm = e.algorithm == Algorithm::Library ? tr("the library's collectives")
                                                                : tr("%1 algorithm").arg(word(name(e.algorithm)));
    const bool phase = over != LayerShownOver::Phases;
    QStringList words{word(name(e.scheme)) + (phase ? QStringLiteral(", ") + word(name(e.phase)) : QString())};
    if (over != LayerShownOver::Ranks)
        words << meshWords(e.mesh);
    words << sizesOf(e) << tokensOf(e) << word(name(e.dtype)) << algorithm;
    return (words + optionNotes(e)).join(QStringLiteral(" \u00b7 "));
}

} // namespace shardscope
