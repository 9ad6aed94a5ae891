// SPDX-License-Identifier: MIT
#include "engine/simulate/model.h"

#include "engine/simulate/preset_reading.h"

#include <algorithm>
#include <span>
#include <stdexcept>

namespace shardscope {

extern const std::span<const std::string_view> kModelFiles; // resources/models, made by the build

namespace {

using namespace presets;

/// One of two words.
bool isFirst(const json &file, const std::string &key, const std::string &first, const std::string &second)
{
    const std::string given = word(file, key);
    if (given != first && given != second)
        throw BadKey{key, "allowed: " + first + ", " + second};
    return given == first;
}

Model readModel(const json &file)
{
    requireSchema(file);
    Model model;
    model.name = word(file, "name");
    model.title = word(file, "title");
    model.layers = count(file, "layers", 1);
    model.hidden = count(file, "hidden", 1);
    model.ffn = count(file, "ffn", 1);
    model.heads = count(file, "heads", 1);
    model.kvHeads = count(file, "kv_heads", 1);
    model.vocabulary = count(file, "vocabulary", 1);
    model.sequence = count(file, "sequence", 1);
    model.mlp = isFirst(file, "mlp", "gelu", "swiglu") ? MlpKind::Gelu : MlpKind::Swiglu;
    model.norm = isFirst(file, "norm", "layernorm", "rmsnorm") ? NormKind::LayerNorm : NormKind::RmsNorm;
    model.biases = truth(file, "biases");
    model.tiedEmbeddings = truth(file, "tied_embeddings");
    model.learnedPositions = truth(file, "learned_positions");
    model.sources = sources(file);
    if (model.hidden % model.heads != 0)
        throw BadKey{"heads", "must divide hidden"};
    if (model.heads % model.kvHeads != 0)
        throw BadKey{"kv_heads", "must divide heads"};
    return model;
}

bool divides(std::int64_t divisor, std::int64_t number)
{
    return number % divisor == 0;
}

/// Whole KV heads per rank, or whole groups of ranks per KV head.
bool sharesKvHeads(const Model &model, std::int64_t tp)
{
    return divides(tp, model.kvHeads) || divides(model.kvHeads, tp);
}

bool allows(const Model &model, std::int64_t tp)
{
    return divides(tp, model.heads) && divides(tp, model.ffn) && sharesKvHeads(model, tp);
}

/// "6 or 8": the allowed numbers around one that is not.
std::string nearest(const std::vector<int> &allowed, std::int64_t number)
{
    const auto above = std::ranges::lower_bound(allowed, number);
    if (above == allowed.end())
        return std::to_string(allowed.back());
    return std::to_string(*std::prev(above)) + " or " + std::to_string(*above); // 1 always stands before
}

} // namespace

ParameterCounts parametersOf(const Model &model)
{
    const std::int64_t h = model.hidden;
    const std::int64_t keyValue = 2 * model.kvHeads * model.headSize();
    const std::int64_t matrices = model.mlp == MlpKind::Swiglu ? 3 : 2;
    const std::int64_t columns = model.mlp == MlpKind::Swiglu ? 2 : 1; // gate and up, or up
    const std::int64_t norm = model.norm == NormKind::LayerNorm ? 2 * h : h;
    const std::int64_t bias = model.biases ? 1 : 0;
    ParameterCounts counts;
    counts.layerKeyValue = keyValue * (h + bias);
    counts.layerSharded =
        2 * h * h + counts.layerKeyValue + matrices * h * model.ffn + bias * (h + columns * model.ffn);
    counts.layerReplicated = 2 * norm + bias * 2 * h;
    counts.embedding = model.vocabulary * h;
    counts.head = model.tiedEmbeddings ? 0 : counts.embedding;
    counts.positions = model.learnedPositions ? model.sequence * h : 0;
    counts.finalNorm = norm;
    counts.total = model.layers * (counts.layerSharded + counts.layerReplicated) + counts.embedding + counts.head +
                   counts.positions + counts.finalNorm;
    return counts;
}

const std::vector<Model> &modelPresets()
{
    static const std::vector<Model> presets = [] {
        std::vector<Model> all;
        for (const std::string_view file : kModelFiles) {
            const Expected<Model> preset = parseModel(file);
            // The files are part of the program: a broken one is a broken build, and the tests read them all.
            if (!preset)
                throw std::logic_error(english(preset.problem()));
            all.push_back(*preset);
        }
        std::ranges::sort(all, {}, [](const Model &m) { return std::pair(parametersOf(m).total, m.name); });
        return all;
    }();
    return presets;
}

const Model *findModel(std::string_view name)
{
    const std::vector<Model> &presets = modelPresets();
    const auto found = std::ranges::find(presets, name, &Model::name);
    return found == presets.end() ? nullptr : &*found;
}

Expected<Model> parseModel(std::string_view text)
{
    const json file = json::parse(text, nullptr, false);
    if (file.is_discarded())
        return Text{TextId::ModelNotJson, {std::string(text.substr(0, 40))}};
    try {
        return readModel(file);
    } catch (const BadKey &bad) {
        return Text{TextId::ModelBadKey, {bad.key, bad.why}};
    }
}

std::vector<int> tensorParallelSizes(const Model &model)
{
    std::vector<int> sizes;
    for (std::int64_t tp = 1; tp <= model.heads; ++tp) {
        if (allows(model, tp))
            sizes.push_back(static_cast<int>(tp));
    }
    return sizes;
}

std::optional<Text> tensorParallelProblem(const Model &model, std::int64_t tp)
{
    if (tp >= 1 && tp <= model.heads && allows(model, tp))
        return std::nullopt;
    const std::string given = std::to_string(tp);
    const std::string allowed = nearest(tensorParallelSizes(model), tp);
    if (!divides(tp, model.heads))
        return Text{TextId::TpHeads, {given, std::to_string(model.heads), allowed}};
    if (!divides(tp, model.ffn))
        return Text{TextId::TpFfn, {given, std::to_string(model.ffn), allowed}};
    return Text{TextId::TpKvHeads, {given, std::to_string(model.kvHeads), allowed}};
}

} // namespace shardscope
