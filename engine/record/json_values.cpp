// SPDX-License-Identifier: MIT
#include "engine/record/json_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace shardscope {
namespace {

/// The nearest double of that many significant digits: printed shortest, it has no more.
double significant(double value, int digits)
{
    std::array<char, 40> text;
    const auto printed =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, digits - 1);
    double rounded = value;
    std::from_chars(text.data(), printed.ptr, rounded);
    return rounded;
}

/// Integers where the text is one, so that 20 does not become 20.0.
Json numberFromText(const std::string &text)
{
    std::uint64_t whole = 0;
    const char *end = text.data() + text.size();
    if (const auto read = std::from_chars(text.data(), end, whole); read.ec == std::errc{} && read.ptr == end)
        return whole;
    double real = 0;
    if (const auto read = std::from_chars(text.data(), end, real); read.ec == std::errc{} && read.ptr == end)
        return real;
    return text.empty() ? Json(nullptr) : Json(text);
}

Json optionJson(const ExperimentOption &option, const std::string &value)
{
    switch (option.kind) {
    case ExperimentOption::Kind::Switch:
        return value == "on";
    case ExperimentOption::Kind::Integer:
    case ExperimentOption::Kind::Number:
        return numberFromText(value);
    case ExperimentOption::Kind::Word:
    case ExperimentOption::Kind::Other:
        break;
    }
    return value;
}

Json hostJson(const Host &host)
{
    const bool aligned = host.clockUncertaintyNs > 0;
    const auto ifAligned = [aligned](std::int64_t ns) {
        return microseconds(aligned ? std::optional(static_cast<double>(ns)) : std::nullopt);
    };
    Json json;
    json["name"] = host.name;
    json["ranks"] = host.ranks;
    json["clock_offset_us"] = ifAligned(host.clockOffsetNs);
    json["clock_uncertainty_us"] = ifAligned(host.clockUncertaintyNs);
    return json;
}

} // namespace

Json microseconds(const std::optional<double> &nanoseconds)
{
    if (!nanoseconds || !std::isfinite(*nanoseconds))
        return nullptr;
    return std::round(*nanoseconds) / 1000;
}

Json number(const std::optional<double> &value)
{
    constexpr int kDigits = 6;
    if (!value || !std::isfinite(*value))
        return nullptr;
    return significant(*value, kDigits);
}

std::string resolvedBackend(const Run &run)
{
    if (run.experiment().backend != Backend::Auto)
        return std::string(name(run.experiment().backend));
    return std::string(name(run.machine.backend == "nccl" ? Backend::Cuda : Backend::Cpu));
}

Json experimentJson(const Run &run)
{
    Json object = Json::object();
    for (const ExperimentOption &option : experimentOptions()) {
        std::string key(option.name);
        std::replace(key.begin(), key.end(), '-', '_');
        object[key] = optionJson(option, option.get(run.experiment()));
    }
    object["backend"] = resolvedBackend(run);
    Experiment resolved = run.experiment();
    resolved.backend = object["backend"] == name(Backend::Cuda) ? Backend::Cuda : Backend::Cpu;
    object["timeout"] = number(resolved.timeout());
    if (!run.experiment().delay)
        object["delay"] = nullptr;
    return object;
}

Json machineJson(const Machine &machine)
{
    Json json;
    json["backend"] = machine.backend;
    json["host"] = machine.host;
    json["devices"] = machine.devices;
    json["libraries"] = machine.libraries;
    json["notes"] = machine.notes;
    // Of one host the document stays as it was.
    for (const Host &host : machine.hosts)
        json["hosts"].push_back(hostJson(host));
    if (!machine.remote.empty())
        json["remote"] = machine.remote;
    return json;
}

std::string dumped(const Json &document)
{
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace shardscope
