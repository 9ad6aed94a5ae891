// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/option_sections.h"

#include "engine/plan/option_limits.h"
#include "ui/texts.h"

#include <QCoreApplication>

namespace shardscope {

namespace {

/// Context of these texts for translators.
class Words
{
    Q_DECLARE_TR_FUNCTIONS(Options)
};

constexpr int kMostShownHeads = 1024;
constexpr int kMostShownVocabulary = 10'000'000;
constexpr int kMostShownCache = 1'048'576;

} // namespace

OptionSection *newLayerOptions()
{
    auto *section = new OptionSection(Words::tr("Layer"));
    section->addChoice("layer", Words::tr("What &runs"),
                       {{"mlp", Words::tr("MLP"), Words::tr("Two linear layers with a function between them.")},
                        {"block", Words::tr("Block"), Words::tr("Norm, attention, norm, MLP, with two residuals.")}});
    section->addChoice(
        "mlp", Words::tr("&MLP"),
        {{"gelu", Words::tr("GELU"), Words::tr("Y = GELU(X·W1)·W2")},
         {"swiglu", Words::tr("SwiGLU"), Words::tr("Y = (silu(X·Wg) * X·Wu)·W2: gate and up both column-parallel")}});
    section->addNumber("ffn", Words::tr("&Inner size, f"), Words::tr("Width of W1's output; 4h unless set."), 1,
                       static_cast<int>(kMostFfn));
    section->addNumber("heads", Words::tr("&Query heads, a"),
                       Words::tr("Attention heads; each has d = h/a columns. Every rank gets a/N whole heads."), 1,
                       kMostShownHeads);
    section->addNumber("kv-heads", Words::tr("&KV heads, k"),
                       Words::tr("Heads of keys and values; a/k query heads share one. With fewer than N of them, N/k "
                                 "ranks hold the same one, and add up its gradients."),
                       1, kMostShownHeads);
    section->addNumber("cache", Words::tr("&Tokens in the KV cache"),
                       Words::tr("Decode: tokens of each sequence whose keys and values are there already."), 1,
                       kMostShownCache);
    section->addNumber("vocabulary", Words::tr("&Vocabulary, V"),
                       Words::tr("Rows of the embedding, columns of the logits."), 1, kMostShownVocabulary);
    section->addNumber("layers", Words::tr("&Layers, L"),
                       Words::tr("How often the layer is repeated; collectives per step grow with L."), 1,
                       static_cast<int>(kMostLayersInRun));
    section->addChoice("weight-dtype", Words::tr("&Weights at inference"),
                       {{"same", Words::tr("As dtype"), Words::tr("Kept in the format in which they are multiplied.")},
                        {"int8", QStringLiteral("int8"),
                         Words::tr("One byte an element and a scale for each output channel; turned into dtype before "
                                   "each product. Memory divides, collectives send the same bytes.")}});
    section->addSwitch("bias", Words::tr("Bias"),
                       Words::tr("Y = X·W + bias. A row-parallel bias is added once, after the sum."));
    section->addSwitch(
        "parallel-block", Words::tr("Attention and MLP side by side"),
        Words::tr("Y = X + attention(N1) + mlp(N1): one norm and one all-reduce each way instead of two."));
    return section;
}

OptionSection *newCuttingOptions()
{
    auto *section = new OptionSection(Words::tr("Cutting and collectives"));
    section->addList("pair", Words::tr("How the &pair is cut"),
                     Words::tr("The two linear layers. Columns, then rows needs one sum; every other order more."),
                     {{"column-row", Words::tr("Columns, then rows (Megatron)"), {}},
                      {"row-column", Words::tr("Rows, then columns"), {}},
                      {"row-row", Words::tr("Rows, then rows"), {}},
                      {"column-column", Words::tr("Columns, then columns"), {}}});
    section->addChoice(
        "sequence-parallel", Words::tr("&Sequence parallel"),
        {{"off", Words::tr("Off"), Words::tr("Activations between the layers are whole on every rank.")},
         {"megatron", Words::tr("Megatron"),
          Words::tr("Cut by tokens; an all-reduce becomes reduce-scatter and all-gather. Backward gathers again.")},
         {"keep", Words::tr("Keep"), Words::tr("Cut by tokens; backward keeps what forward gathered.")}});
    section->addChoice("recompute", Words::tr("Re&compute"),
                       {{"none", Words::tr("None"), Words::tr("Backward uses what forward kept.")},
                        {"selective", Words::tr("Attention"), Words::tr("Core attention is computed again.")},
                        {"full", Words::tr("All"),
                         Words::tr("The whole layer is computed again, and its forward collectives run again.")}});
    section->addChoice(
        "reduce-to", Words::tr("The sum goes &to"),
        {{"all", Words::tr("All ranks"), Words::tr("An all-reduce.")},
         {"root", Words::tr("Rank 0"), Words::tr("A reduce, and a broadcast because the next layer needs it.")}});
    section->addChoice("zero", Words::tr("&ZeRO on the dp axis"),
                       {{"0", QStringLiteral("0"), Words::tr("Every replica keeps everything.")},
                        {"1", QStringLiteral("1"), Words::tr("Optimizer states are cut.")},
                        {"2", QStringLiteral("2"), Words::tr("Gradients are cut as well.")},
                        {"3", QStringLiteral("3"), Words::tr("Parameters are cut as well.")}});
    section->addNumber("micro-batches", Words::tr("&Micro-batches, m"),
                       Words::tr("Of one optimizer step. A pipeline of p stages idles (p−1)/(m+p−1) of the time."), 1,
                       kMostMicroBatchesInRun);
    section->addChoice(
        "schedule", Words::tr("Sche&dule"),
        {{"1f1b", QStringLiteral("1F1B"), Words::tr("One forward, one backward: at most p micro-batches in flight.")},
         {"gpipe", QStringLiteral("GPipe"), Words::tr("All forwards, then all backwards: m in flight.")}});
    section->addDelays("stage-delay", Words::tr("Stage &works, forward"), Words::tr("Stage works, &backward"),
                       Words::tr("Each stage stays at every micro-batch at least so long. All stages then take equally "
                                 "long, and the bubble is (p−1)/(m+p−1) of the time, whatever the cores do."));
    section->addSwitch("overlap", Words::tr("Overlap with compute"),
                       Words::tr("Collectives run beside the products that do not need them."));
    section->addSwitch(
        "gather-output", Words::tr("Gather the output"),
        Words::tr("All-gather Y so that every rank holds all columns: (N−1)/N · t·f sent by each rank."));
    section->addSwitch("input-parallel", Words::tr("Input arrives sharded"),
                       Words::tr("X is already cut along its columns, as a column-parallel layer leaves it."));
    section->addSwitch("input-gradient", Words::tr("Input needs a gradient"),
                       formulaText(Words::tr("dX = dY·Wᵀ is a partial sum on every rank and needs an all-reduce in "
                                             "backward.")
                                       .toStdString()));
    return section;
}

} // namespace shardscope
