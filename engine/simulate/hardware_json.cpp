// SPDX-License-Identifier: MIT
#include "engine/simulate/hardware.h"
#include "engine/simulate/preset_reading.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace shardscope {
namespace {

using namespace presets;

constexpr std::array kDTypes{DType::F32, DType::F64, DType::BF16, DType::F16};

double numberOr(const json &object, const std::string &key, double fallback)
{
    return object.contains(key) ? number(object, key, true) : fallback;
}

LinkCost readLink(const std::string &key, const json &object)
{
    if (!object.is_object())
        throw BadKey{key, "must be a list of objects"};
    LinkCost link;
    link.protocol = word(object, "protocol");
    link.baseSeconds = numberOr(object, "base_us", 0) * 1e-6;
    link.alphaSeconds = numberOr(object, "hop_us", 0) * 1e-6;
    link.busbwGBs = number(object, "busbw_GBps");
    if (object.contains("in_switch"))
        link.inSwitch = truth(object, "in_switch");
    return link;
}

DeviceLink readDeviceLink(const json &object)
{
    if (!object.is_object())
        throw BadKey{"link", "must be an object"};
    return {word(object, "name"), word(object, "fabric"), number(object, "GBps")};
}

std::vector<LinkCost> readLinks(const json &object, const std::string &key)
{
    const json &list = required(object, key);
    if (!list.is_array() || list.empty())
        throw BadKey{key, "must be a list with at least one protocol"};
    std::vector<LinkCost> links;
    for (const json &entry : list)
        links.push_back(readLink(key, entry));
    // Few ranks and our own algorithms do not go through the switch.
    if (std::ranges::all_of(links, &LinkCost::inSwitch))
        throw BadKey{key, "must have a protocol without in_switch"};
    return links;
}

DType dtypeNamed(const std::string &format)
{
    const auto found = std::ranges::find_if(kDTypes, [&](DType dtype) { return name(dtype) == format; });
    if (found == kDTypes.end())
        throw BadKey{"peak_tflops", format + " is no number format"};
    return *found;
}

std::map<DType, double> readPeaks(const json &object)
{
    const json &list = required(object, "peak_tflops");
    if (!list.is_object() || list.empty())
        throw BadKey{"peak_tflops", "must name at least one number format"};
    std::map<DType, double> peaks;
    for (const auto &entry : list.items())
        peaks[dtypeNamed(entry.key())] = number(list, entry.key()) * 1e12;
    return peaks;
}

Hardware readHardware(const json &file)
{
    requireSchema(file);
    Hardware hardware;
    hardware.name = word(file, "name");
    hardware.title = word(file, "title");
    const std::string transport = word(file, "transport");
    if (transport != "nccl" && transport != "gloo")
        throw BadKey{"transport", "allowed: nccl, gloo"};
    hardware.transport = transport == "nccl" ? Transport::Nccl : Transport::Gloo;
    hardware.devices = count(file, "devices", 1);
    hardware.allReduce = readLinks(file, "all_reduce");
    hardware.gatherScatter = readLinks(file, "gather_scatter");
    hardware.peakFlops = readPeaks(file);
    hardware.efficiency = number(file, "efficiency");
    if (file.contains("link"))
        hardware.link = readDeviceLink(file["link"]);
    hardware.memoryBytesPerSecond = number(file, "memory_GBps") * 1e9;
    hardware.memoryBytes = number(file, "memory_GB", true) * 1e9;
    hardware.operationOverheadSeconds = number(file, "operation_overhead_us", true) * 1e-6;
    hardware.sharedCores = file.contains("shared_cores") ? count(file, "shared_cores", 0) : 0;
    hardware.sources = sources(file);
    return hardware;
}

json linksToJson(const std::vector<LinkCost> &links)
{
    json list = json::array();
    for (const LinkCost &link : links) {
        json entry{{"protocol", link.protocol},
                   {"base_us", link.baseSeconds * 1e6},
                   {"hop_us", link.alphaSeconds * 1e6},
                   {"busbw_GBps", link.busbwGBs}};
        if (link.inSwitch)
            entry["in_switch"] = true;
        list.push_back(std::move(entry));
    }
    return list;
}

} // namespace

Expected<Hardware> parseHardware(std::string_view text)
{
    const json file = json::parse(text, nullptr, false);
    if (file.is_discarded())
        return Text{TextId::HardwareNotJson, {std::string(text.substr(0, 40))}};
    try {
        return readHardware(file);
    } catch (const BadKey &bad) {
        return Text{TextId::HardwareBadKey, {bad.key, bad.why}};
    }
}

std::string toJson(const Hardware &hardware)
{
    json peaks = json::object();
    for (const auto &[dtype, flops] : hardware.peakFlops)
        peaks[std::string(name(dtype))] = flops / 1e12;
    json file{{"schema", 1},
              {"name", hardware.name},
              {"title", hardware.title},
              {"transport", hardware.transport == Transport::Nccl ? "nccl" : "gloo"},
              {"devices", hardware.devices},
              {"all_reduce", linksToJson(hardware.allReduce)},
              {"gather_scatter", linksToJson(hardware.gatherScatter)},
              {"peak_tflops", peaks},
              {"efficiency", hardware.efficiency},
              {"memory_GBps", hardware.memoryBytesPerSecond / 1e9},
              {"memory_GB", hardware.memoryBytes / 1e9},
              {"operation_overhead_us", hardware.operationOverheadSeconds * 1e6},
              {"shared_cores", hardware.sharedCores},
              {"sources", hardware.sources}};
    if (hardware.link != DeviceLink{})
        file["link"] = {{"name", hardware.link.name}, {"fabric", hardware.link.fabric}, {"GBps", hardware.link.GBps}};
    return file.dump(2) + '\n';
}

} // namespace shardscope
