// SPDX-License-Identifier: MIT
#include "engine/cli/model_options.h"

#include "engine/plan/option_reading.h"
#include "engine/record/format.h"
#include "engine/simulate/model_options.h"

namespace shardscope::cli {
namespace {

template <typename T>
T required(const Expected<T> &read)
{
    if (!read)
        throw badArgument(english(read.problem()));
    return *read;
}

std::vector<OwnOption> withModel(const std::vector<ModelOption> &options)
{
    std::vector<std::string> names = modelNames();
    names.emplace_back("list");
    std::vector<OwnOption> own{{"model", "NAME", "a model's shape", std::move(names), "must be given"}};
    for (const ModelOption &option : options)
        own.push_back({option.name, option.value, option.meaning, option.values, option.defaultText});
    return own;
}

std::string valueOf(const OptionValues &given, std::string_view option)
{
    const auto found = given.find(option);
    return found == given.end() ? std::string() : found->second;
}

} // namespace

std::vector<OwnOption> memoryOptions()
{
    return withModel(shardscope::memoryOptions());
}

std::vector<OwnOption> adviceOptions()
{
    return withModel(shardscope::adviceOptions());
}

bool asksForModels(const OptionValues &given)
{
    return valueOf(given, "model") == "list";
}

Model modelNamed(const OptionValues &given)
{
    const std::string name = valueOf(given, "model");
    const std::string allowed = commaList(modelNames());
    if (!given.contains("model"))
        throw badArgument("--model: is missing; allowed: " + allowed);
    if (const Model *preset = findModel(name))
        return *preset;
    const std::string near = nearestWord(name, modelNames());
    throw badArgument("--model " + name + ": no such model" + (near.empty() ? "" : ", did you mean " + near + "?") +
                      "; allowed: " + allowed);
}

MemorySettings readMemorySettings(const Model &model, const OptionValues &given)
{
    return required(shardscope::readMemorySettings(model, given));
}

AdviceQuestion readQuestion(const OptionValues &given)
{
    const Model model = modelNamed(given);
    if (!given.contains("gpus"))
        throw badArgument("--gpus: is missing; allowed: 1 to " + std::to_string(kMostGpus));
    return required(readAdviceQuestion(model, given));
}

std::string labelled(const Console &console, const std::string &label, const std::string &text)
{
    const std::string whole = console.wrapped(label + ": " + text, 2);
    return console.bold(label) + whole.substr(label.size()) + '\n';
}

std::string modelLine(const Model &model)
{
    const std::int64_t total = parametersOf(model).total;
    return fixedDecimals(static_cast<double>(total) / 1e9, total < 20'000'000'000 ? 2 : 1) + " billion parameters (" +
           std::to_string(total) + "), " + counted(model.layers, "layer|layers") + ", h " +
           std::to_string(model.hidden) + ", f " + std::to_string(model.ffn) + ", " +
           counted(model.heads, "head|heads") + ", " + counted(model.kvHeads, "KV head|KV heads") + ", V " +
           std::to_string(model.vocabulary);
}

} // namespace shardscope::cli
