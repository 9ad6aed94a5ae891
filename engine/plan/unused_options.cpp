// SPDX-License-Identifier: MIT
#include "engine/plan/unused_options.h"

#include "engine/plan/candidates.h"

#include <algorithm>
#include <array>

namespace shardscope {
namespace {

constexpr std::array kCorrectSchemes{Scheme::Column, Scheme::Row,       Scheme::Mlp,    Scheme::Attention,
                                     Scheme::Block,  Scheme::Embedding, Scheme::Logits, Scheme::DataParallel,
                                     Scheme::Zero1,  Scheme::Zero2,     Scheme::Zero3,  Scheme::Pipeline};
constexpr std::array kPhases{Phase::Training, Phase::Prefill, Phase::Decode};

Change schemeChange(Scheme scheme)
{
    return {"scheme", std::string(name(scheme))};
}

Change phaseChange(Phase phase)
{
    return {"phase", std::string(name(phase))};
}

/// The places that differ in scheme and phase, of an option that needs both.
std::vector<Row> placesOfBoth(const ExperimentOption &option, Experiment e)
{
    std::vector<Row> places;
    for (const Scheme scheme : kCorrectSchemes) {
        for (const Phase phase : kPhases) {
            e.scheme = scheme;
            e.phase = phase;
            if (option.applies(e))
                places.push_back({{schemeChange(scheme), phaseChange(phase)}});
        }
    }
    return places;
}

/// Where an option that does not apply would: the schemes and phases that differ from this experiment in one thing, or
/// in both.
std::vector<Row> placesThatUse(const ExperimentOption &option, const Experiment &e, const OptionValues &given)
{
    std::vector<Row> places;
    const auto add = [&](const Experiment &other, Changes changes) {
        if (option.applies(other))
            places.push_back({std::move(changes)});
    };
    Experiment other = e;
    for (const Scheme scheme : kCorrectSchemes) {
        other.scheme = scheme;
        add(other, {schemeChange(scheme)});
    }
    other = e;
    for (const Layer layer : {Layer::Mlp, Layer::Block}) {
        other.layer = layer;
        if (ownAxis(e.scheme) != MeshAxis::Tp)
            add(other, {{"layer", std::string(name(layer))}});
    }
    other = e;
    other.mesh = option.name == "zero" ? Mesh{{2, 2, 1}} : Mesh{{2, 1, 2}};
    if (e.repeatedLayer())
        add(other, typedMesh(e, other.mesh, given));
    other = e;
    for (const Phase phase : kPhases) {
        other.phase = phase;
        add(other, {phaseChange(phase)});
    }
    return places.empty() ? placesOfBoth(option, e) : places;
}

/// All that is not used, left out together: one of them alone would leave the others.
Changes withoutAllUnused(const Experiment &e, const OptionValues &given)
{
    Changes changes;
    for (const ExperimentOption &option : experimentOptions()) {
        if (given.contains(option.name) && !option.applies(e))
            changes.push_back({std::string(option.name), std::nullopt});
    }
    return changes;
}

} // namespace

std::optional<Refusal> unusedRefusal(const Experiment &e, const OptionValues &given)
{
    const auto unused = std::ranges::find_if(experimentOptions(), [&](const ExperimentOption &option) {
        return given.contains(option.name) && !option.applies(e);
    });
    if (unused == experimentOptions().end())
        return std::nullopt;
    const ExperimentOption &option = *unused;
    Refusal refusal;
    if (option.name == "weight-dtype" && e.phase == Phase::Training && e.weightDtype != WeightDType::Same)
        refusal.text = {TextId::WeightDTypeNeedsInference, {option.get(e)}};
    else
        refusal.text = {TextId::OptionUnused,
                        {std::string(option.name), std::string(name(e.scheme)), std::string(name(e.phase))}};
    refusal.rows = [&option, e, given] {
        std::vector<Row> rows = placesThatUse(option, e, given);
        rows.push_back({withoutAllUnused(e, given)});
        return rows;
    };
    return refusal;
}

} // namespace shardscope
