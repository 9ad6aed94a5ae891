// SPDX-License-Identifier: MIT
#include "engine/simulate/model_options.h"

#include "engine/plan/option_limits.h"
#include "engine/plan/option_reading.h"

namespace shardscope {
namespace {

constexpr std::string_view kDefaultHardware = "h100-8";
constexpr std::int64_t kMostStepSequences = std::int64_t{1} << 20;
constexpr double kMostMilliseconds = 60'000;

/// Copies what was read to its place, or says why there is nothing.
template <typename T, typename Place>
std::optional<Text> take(const Expected<T> &read, Place &place)
{
    if (!read)
        return read.problem();
    place = static_cast<Place>(*read);
    return std::nullopt;
}

template <typename Place>
std::optional<Text> count(const ModelOption &option, std::string_view text, std::int64_t most, Place &place)
{
    return take(readInteger(option.name, text, 1, most), place);
}

template <typename Place>
std::optional<Text> word(const ModelOption &option, std::string_view text, Place &place)
{
    return take(readWord(option.name, text, option.values), place);
}

std::optional<Text> bytesPerParameter(const ModelOption &option, std::string_view text, int &bytes)
{
    const Expected<std::size_t> index = readWord(option.name, text, option.values);
    if (!index)
        return index.problem();
    bytes = std::stoi(option.values[*index]);
    return std::nullopt;
}

std::string wordAt(const ModelOption &option, std::size_t index)
{
    return option.values[index];
}

/// An option, where its value goes and how it is said again.
template <typename Target>
struct Setter {
    ModelOption option;
    std::optional<Text> (*set)(Target &, const ModelOption &, std::string_view);
    std::string (*get)(const Target &, const ModelOption &);
};

template <typename Target>
std::vector<ModelOption> optionsOfSetters(const std::vector<Setter<Target>> &setters)
{
    std::vector<ModelOption> options;
    for (const Setter<Target> &setter : setters)
        options.push_back(setter.option);
    return options;
}

template <typename Target>
std::optional<Text> setAll(Target &target, const std::vector<Setter<Target>> &setters, const OptionValues &given)
{
    for (const Setter<Target> &setter : setters) {
        const auto found = given.find(setter.option.name);
        if (found == given.end())
            continue;
        if (auto problem = setter.set(target, setter.option, found->second))
            return problem;
    }
    return std::nullopt;
}

template <typename Target>
OptionValues differing(const Target &target, const Target &defaults, const std::vector<Setter<Target>> &setters)
{
    OptionValues values;
    for (const Setter<Target> &setter : setters) {
        const std::string value = setter.get(target, setter.option);
        if (value != setter.get(defaults, setter.option))
            values.emplace(setter.option.name, value);
    }
    return values;
}

using O = const ModelOption &;
using V = std::string_view;

const std::vector<Setter<MemorySettings>> &memorySetters()
{
    using S = MemorySettings;
    static const std::vector<Setter<S>> setters{
        {{"tp", "N", "tensor parallelism: ranks that share every layer", {}, "1"},
         [](S &s, O o, V v) { return count(o, v, kMostGpus, s.tp); },
         [](const S &s, O) { return std::to_string(s.tp); }},
        {{"pp", "N", "pipeline parallelism: stages that share the layers", {}, "1"},
         [](S &s, O o, V v) { return count(o, v, kMostGpus, s.pp); },
         [](const S &s, O) { return std::to_string(s.pp); }},
        {{"dp", "N", "data parallelism: replicas", {}, "1"},
         [](S &s, O o, V v) { return count(o, v, kMostGpus, s.dp); },
         [](const S &s, O) { return std::to_string(s.dp); }},
        {{"zero",
          "N",
          "what is cut over dp in training: 1 optimizer, 2 and gradients, 3 and weights",
          {"0", "1", "2", "3"},
          "0"},
         [](S &s, O o, V v) { return word(o, v, s.zero); },
         [](const S &s, O) { return std::to_string(s.zero); }},
        {{"sequence-parallel",
          "on|off",
          "cuts activations between the parallel layers by tokens",
          {"off", "on"},
          "off"},
         [](S &s, O o, V v) { return word(o, v, s.sequenceParallel); },
         [](const S &s, O o) { return wordAt(o, s.sequenceParallel ? 1 : 0); }},
        {{"recompute",
          "WORD",
          "what backward computes again instead of keeping",
          {"none", "selective", "full"},
          "none"},
         [](S &s, O o, V v) { return word(o, v, s.recompute); },
         [](const S &s, O o) { return wordAt(o, static_cast<std::size_t>(s.recompute)); }},
        {{"bytes-per-parameter",
          "N",
          "training: 18 with fp32 gradients, 16 with bf16 gradients, 12 without fp32 copy of the weights too",
          {"12", "16", "18"},
          "18"},
         [](S &s, O o, V v) { return bytesPerParameter(o, v, s.bytesPerParameter); },
         [](const S &s, O) { return std::to_string(s.bytesPerParameter); }},
        {{"batch", "N", "training: sequences of one micro-batch; inference: sequences at once", {}, "1"},
         [](S &s, O o, V v) { return count(o, v, kMostBatch, s.batch); },
         [](const S &s, O) { return std::to_string(s.batch); }},
        {{"sequence", "N", "training: tokens of a sequence; inference: of each in the KV cache", {}, "the model's"},
         [](S &s, O o, V v) { return count(o, v, kMostSequence, s.sequence); },
         [](const S &s, O) { return std::to_string(s.sequence); }},
        {{"micro-batches", "N", "m of a training step; the first stage keeps min(m, pp)", {}, "pp"},
         [](S &s, O o, V v) {
             s.microBatches = 1;
             return count(o, v, kMostBatch, *s.microBatches);
         },
         [](const S &s, O) { return s.microBatches ? std::to_string(*s.microBatches) : std::string(); }},
        {{"weights", "WORD", "inference: number format of the layers' weights", {"bf16", "fp8", "int8"}, "bf16"},
         [](S &s, O o, V v) { return word(o, v, s.weights); },
         [](const S &s, O o) { return wordAt(o, static_cast<std::size_t>(s.weights)); }},
    };
    return setters;
}

/// --gpus and --hardware come before: the defaults of these depend on them.
const std::vector<Setter<AdviceQuestion>> &adviceSetters()
{
    using Q = AdviceQuestion;
    static const std::vector<Setter<Q>> setters{
        {{"latency-ms", "MS", "inference: most time for an output token", {}, "no target"},
         [](Q &q, O o, V v) {
             q.tokenSeconds = 0;
             const Expected<double> read = readNumber(o.name, v, 0.001, kMostMilliseconds);
             return read ? take(Expected<double>(*read * 1e-3), *q.tokenSeconds) : read.problem();
         },
         [](const Q &q, O) { return q.tokenSeconds ? numberText(*q.tokenSeconds * 1e3) : std::string(); }},
        {{"bytes-per-parameter", "N", "training: as in memory", {"12", "16", "18"}, "18"},
         [](Q &q, O o, V v) { return bytesPerParameter(o, v, q.bytesPerParameter); },
         [](const Q &q, O) { return std::to_string(q.bytesPerParameter); }},
        {{"global-batch", "N", "training: sequences of one step, all replicas", {}, "4 Mi tokens"},
         [](Q &q, O o, V v) { return count(o, v, kMostStepSequences, q.stepSequences); },
         [](const Q &q, O) { return std::to_string(q.stepSequences); }},
        {{"batch", "N", "inference: sequences that a replica decodes at once", {}, "32"},
         [](Q &q, O o, V v) { return count(o, v, kMostBatch, q.serveSequences); },
         [](const Q &q, O) { return std::to_string(q.serveSequences); }},
    };
    return setters;
}

std::vector<ModelOption> newAdviceOptions()
{
    std::vector<ModelOption> options = optionsOfSetters(adviceSetters());
    options.insert(
        options.begin(),
        {{"gpus", "N", "how many there are", {}, "must be given"},
         {"hardware", "NAME", "a preset's name; 'predict --hardware list' names them", {}, kDefaultHardware}});
    return options;
}

} // namespace

const std::vector<ModelOption> &memoryOptions()
{
    static const std::vector<ModelOption> options = optionsOfSetters(memorySetters());
    return options;
}

const std::vector<ModelOption> &adviceOptions()
{
    static const std::vector<ModelOption> options = newAdviceOptions();
    return options;
}

std::vector<std::string> modelNames()
{
    std::vector<std::string> names;
    for (const Model &preset : modelPresets())
        names.push_back(preset.name);
    return names;
}

Expected<Model> readModel(std::string_view name)
{
    const Expected<std::size_t> index = readWord("model", name, modelNames());
    if (!index)
        return index.problem();
    return modelPresets()[*index];
}

Expected<Hardware> readPreset(std::string_view name)
{
    std::vector<std::string> names;
    for (const Hardware &preset : hardwarePresets())
        names.push_back(preset.name);
    const Expected<std::size_t> index = readWord("hardware", name, names);
    if (!index)
        return index.problem();
    return hardwarePresets()[*index];
}

Expected<MemorySettings> readMemorySettings(const Model &model, const OptionValues &given)
{
    MemorySettings settings;
    settings.sequence = model.sequence;
    if (auto problem = setAll(settings, memorySetters(), given))
        return *problem;
    if (auto problem = problemOf(model, settings))
        return *problem;
    const std::int64_t gpus = std::int64_t{settings.tp} * settings.pp * settings.dp;
    if (gpus > kMostGpus)
        return Text{TextId::OptionOutOfRange,
                    {"tp, --pp, --dp", counted(gpus, "GPU|GPUs"), "1", std::to_string(kMostGpus)}};
    return settings;
}

Expected<AdviceQuestion> readAdviceQuestion(const Model &model, const OptionValues &given)
{
    const auto hardwareName = given.find("hardware");
    const Expected<Hardware> hardware =
        readPreset(hardwareName == given.end() ? kDefaultHardware : std::string_view(hardwareName->second));
    if (!hardware)
        return hardware.problem();
    int gpus = hardware->devices;
    if (const auto found = given.find("gpus"); found != given.end()) {
        if (auto problem = take(readInteger("gpus", found->second, 1, kMostGpus), gpus))
            return *problem;
    }
    AdviceQuestion question = questionFor(model, *hardware, gpus);
    if (auto problem = setAll(question, adviceSetters(), given))
        return *problem;
    if (auto problem = problemOf(question))
        return *problem;
    return question;
}

OptionValues optionsOf(const Model &model, const MemorySettings &settings)
{
    MemorySettings defaults;
    defaults.sequence = model.sequence;
    OptionValues values = differing(settings, defaults, memorySetters());
    values.emplace("model", model.name);
    return values;
}

OptionValues optionsOf(const AdviceQuestion &question)
{
    OptionValues values =
        differing(question, questionFor(question.model, question.hardware, question.gpus), adviceSetters());
    values.emplace("model", question.model.name);
    values.emplace("gpus", std::to_string(question.gpus));
    values.emplace("hardware", question.hardware.name);
    return values;
}

} // namespace shardscope
