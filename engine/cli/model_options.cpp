// SPDX-License-Identifier: MIT
#include "engine/cli/model_options.h"

#include "engine/plan/option_limits.h"
#include "engine/plan/option_reading.h"
#include "engine/record/format.h"

namespace shardscope::cli {
namespace {

template <typename T>
T required(const Expected<T> &read)
{
    if (!read)
        throw badArgument(english(read.problem()));
    return *read;
}

int readCount(std::string_view option, std::string_view value, std::int64_t most)
{
    return static_cast<int>(required(readInteger(option, value, 1, most)));
}

std::size_t readWordOf(const OwnOption &option, std::string_view value)
{
    return required(readWord(option.name, value, option.values));
}

/// An option of `memory` or `advise` and where its value goes.
template <typename Target>
struct Setter {
    OwnOption option;
    void (*set)(Target &, const OwnOption &, std::string_view);
};

template <typename Target>
std::vector<OwnOption> optionsOf(const std::vector<Setter<Target>> &setters, std::vector<OwnOption> before)
{
    for (const Setter<Target> &setter : setters)
        before.push_back(setter.option);
    return before;
}

template <typename Target>
void setAll(Target &target, const std::vector<Setter<Target>> &setters, const OptionValues &given)
{
    for (const Setter<Target> &setter : setters) {
        if (const auto found = given.find(setter.option.name); found != given.end())
            setter.set(target, setter.option, found->second);
    }
}

std::vector<std::string> modelNames()
{
    std::vector<std::string> names;
    for (const Model &preset : modelPresets())
        names.push_back(preset.name);
    return names;
}

OwnOption modelOption()
{
    std::vector<std::string> names = modelNames();
    names.emplace_back("list");
    return {"model", "NAME", "a model's shape", std::move(names), "must be given"};
}

/// GPUs of one axis; that all of them together are not too many is looked at afterwards.
int readAxis(const OwnOption &option, std::string_view value)
{
    return readCount(option.name, value, kMostGpus);
}

const std::vector<Setter<MemorySettings>> &memorySetters()
{
    using S = MemorySettings;
    using O = const OwnOption &;
    using V = std::string_view;
    static const std::vector<Setter<S>> setters{
        {{"tp", "N", "tensor parallelism: ranks that share every layer", {}, "1"},
         [](S &s, O o, V v) { s.tp = readAxis(o, v); }},
        {{"pp", "N", "pipeline parallelism: stages that share the layers", {}, "1"},
         [](S &s, O o, V v) { s.pp = readAxis(o, v); }},
        {{"dp", "N", "data parallelism: replicas", {}, "1"}, [](S &s, O o, V v) { s.dp = readAxis(o, v); }},
        {{"zero",
          "N",
          "what is cut over dp in training: 1 optimizer, 2 and gradients, 3 and weights",
          {"0", "1", "2", "3"},
          "0"},
         [](S &s, O o, V v) { s.zero = static_cast<int>(readWordOf(o, v)); }},
        {{"sequence-parallel",
          "on|off",
          "cuts activations between the parallel layers by tokens",
          {"off", "on"},
          "off"},
         [](S &s, O o, V v) { s.sequenceParallel = readWordOf(o, v) == 1; }},
        {{"recompute",
          "WORD",
          "what backward computes again instead of keeping",
          {"none", "selective", "full"},
          "none"},
         [](S &s, O o, V v) { s.recompute = static_cast<Recompute>(readWordOf(o, v)); }},
        {{"bytes-per-parameter",
          "N",
          "training: 18 with fp32 gradients, 16 with bf16 gradients, 12 without fp32 copy of the weights too",
          {"12", "16", "18"},
          "18"},
         [](S &s, O o, V v) { s.bytesPerParameter = std::stoi(o.values[readWordOf(o, v)]); }},
        {{"batch", "N", "training: sequences of one micro-batch; inference: sequences at once", {}, "1"},
         [](S &s, O o, V v) { s.batch = readCount(o.name, v, kMostBatch); }},
        {{"sequence", "N", "training: tokens of a sequence; inference: of each in the KV cache", {}, "the model's"},
         [](S &s, O o, V v) { s.sequence = readCount(o.name, v, kMostSequence); }},
        {{"micro-batches", "N", "m of a training step; the first stage keeps min(m, pp)", {}, "pp"},
         [](S &s, O o, V v) { s.microBatches = readCount(o.name, v, kMostBatch); }},
        {{"weights", "WORD", "inference: number format of the layers' weights", {"bf16", "fp8", "int8"}, "bf16"},
         [](S &s, O o, V v) { s.weights = static_cast<WeightFormat>(readWordOf(o, v)); }},
    };
    return setters;
}

const std::vector<Setter<AdviceQuestion>> &adviceSetters()
{
    using Q = AdviceQuestion;
    using O = const OwnOption &;
    using V = std::string_view;
    constexpr double kMostMilliseconds = 60'000;
    static const std::vector<Setter<Q>> setters{
        {{"latency-ms", "MS", "inference: most time for an output token", {}, "no target"},
         [](Q &q, O o, V v) { q.tokenSeconds = required(readNumber(o.name, v, 0.001, kMostMilliseconds)) * 1e-3; }},
        {{"bytes-per-parameter", "N", "training: as in memory", {"12", "16", "18"}, "18"},
         [](Q &q, O o, V v) { q.bytesPerParameter = std::stoi(o.values[readWordOf(o, v)]); }},
        {{"global-batch", "N", "training: sequences of one step, all replicas", {}, "4 Mi tokens"},
         [](Q &q, O o, V v) { q.stepSequences = readCount(o.name, v, 1 << 20); }},
        {{"batch", "N", "inference: sequences that a replica decodes at once", {}, "32"},
         [](Q &q, O o, V v) { q.serveSequences = readCount(o.name, v, kMostBatch); }},
    };
    return setters;
}

const Hardware &presetNamed(const OptionValues &given)
{
    const auto found = given.find("hardware");
    const std::string name = found == given.end() ? "h100-8" : found->second;
    if (const Hardware *preset = findHardware(name))
        return *preset;
    std::vector<std::string> allowed;
    for (const Hardware &preset : hardwarePresets())
        allowed.push_back(preset.name);
    throw badArgument("--hardware " + name + ": no such preset of GPUs; allowed: " + listText(allowed));
}

std::string valueOf(const OptionValues &given, std::string_view option)
{
    const auto found = given.find(option);
    return found == given.end() ? std::string() : found->second;
}

} // namespace

std::vector<OwnOption> memoryOptions()
{
    return optionsOf(memorySetters(), {modelOption()});
}

std::vector<OwnOption> adviceOptions()
{
    return optionsOf(adviceSetters(),
                     {modelOption(),
                      {"gpus", "N", "how many there are", {}, "must be given"},
                      {"hardware", "NAME", "a preset's name; 'predict --hardware list' names them", {}, "h100-8"}});
}

bool asksForModels(const OptionValues &given)
{
    return valueOf(given, "model") == "list";
}

Model modelNamed(const OptionValues &given)
{
    const std::string name = valueOf(given, "model");
    const std::string allowed = listText(modelNames());
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
    MemorySettings settings;
    settings.sequence = model.sequence;
    setAll(settings, memorySetters(), given);
    const std::int64_t gpus = std::int64_t{settings.tp} * settings.pp * settings.dp;
    if (const auto problem = problemOf(model, settings))
        throw badArgument(english(*problem));
    if (gpus > kMostGpus)
        throw badArgument("--tp, --pp, --dp: " + std::to_string(gpus) + " GPUs; allowed: tp x pp x dp up to " +
                          std::to_string(kMostGpus));
    return settings;
}

AdviceQuestion readQuestion(const OptionValues &given)
{
    const Model model = modelNamed(given);
    if (!given.contains("gpus"))
        throw badArgument("--gpus: is missing; allowed: 1 to " + std::to_string(kMostGpus));
    const int gpus = readCount("gpus", valueOf(given, "gpus"), kMostGpus);
    AdviceQuestion question = questionFor(model, presetNamed(given), gpus);
    setAll(question, adviceSetters(), given);
    if (const auto problem = problemOf(question))
        throw badArgument(english(*problem));
    return question;
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
           std::to_string(total) + "), " + std::to_string(model.layers) + " layers, h " + std::to_string(model.hidden) +
           ", f " + std::to_string(model.ffn) + ", " + std::to_string(model.heads) + " heads, " +
           std::to_string(model.kvHeads) + " KV heads, V " + std::to_string(model.vocabulary);
}

} // namespace shardscope::cli
