// SPDX-License-Identifier: MIT
// NVIDIA's management library, loaded by name: no header of it is needed, and nothing breaks where it is missing.
#include "engine/supervise/child_report.h"
#include "engine/supervise/file_descriptor.h"
#include "engine/supervise/gpu_topology.h"
#include "engine/supervise/kernel_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <dlfcn.h>
#include <poll.h>
#include <string>

namespace shardscope {

namespace {

constexpr std::chrono::seconds kLimit{10};
constexpr int kMostLinks = 18; // NVML_NVLINK_MAX_LINKS
constexpr int kSwitch = 1;     // NVML_NVLINK_DEVICE_TYPE_SWITCH
constexpr int kPcie = 0;

using Device = void *;

// As nvml.h lays them out.
struct Memory {
    unsigned long long total = 0;
    unsigned long long free = 0;
    unsigned long long used = 0;
};
struct Utilization {
    unsigned gpu = 0;
    unsigned memory = 0;
};
struct PciInfo {
    char busIdLegacy[16]{};
    unsigned domain = 0;
    unsigned bus = 0;
    unsigned device = 0;
    unsigned pciDeviceId = 0;
    unsigned pciSubSystemId = 0;
    char busId[32]{};
};

/// Calls a function of the library; `otherwise` where it has none of that name or it answers an error.
class Nvml
{
public:
    explicit Nvml(void *library) : m_library(library) {}

    template <typename... Parameters, typename... Arguments>
    bool call(const char *name, int (*)(Parameters...), Arguments... arguments) const
    {
        auto *function = reinterpret_cast<int (*)(Parameters...)>(::dlsym(m_library, name));
        return function != nullptr && function(arguments...) == 0;
    }

private:
    void *m_library;
};

using OfDevice = int (*)(Device, unsigned *);

unsigned askNumber(const Nvml &nvml, const char *name, Device device, unsigned otherwise)
{
    unsigned value = 0;
    return nvml.call(name, OfDevice{}, device, &value) ? value : otherwise;
}

PciInfo pciOf(const Nvml &nvml, Device device)
{
    PciInfo info;
    nvml.call("nvmlDeviceGetPciInfo_v3", static_cast<int (*)(Device, PciInfo *)>(nullptr), device, &info);
    return info;
}

/// "00000000:1B:00.0" is 0000:1b:00.0 in /sys.
std::string numaNodeOf(const std::string &busId)
{
    std::string path = busId.size() > 4 ? busId.substr(4) : busId;
    std::transform(path.begin(), path.end(), path.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    const std::string text = kernelFile("/sys/bus/pci/devices/" + path + "/numa_node");
    return text.empty() ? "-1" : text.substr(0, text.find('\n'));
}

bool linkIsUp(const Nvml &nvml, Device device, unsigned link)
{
    int active = 0;
    return nvml.call("nvmlDeviceGetNvLinkState", static_cast<int (*)(Device, unsigned, int *)>(nullptr), device, link,
                     &active) &&
           active == 1;
}

std::string linksOf(const Nvml &nvml, Device device)
{
    int up = 0;
    unsigned version = 0;
    for (unsigned link = 0; link < kMostLinks; ++link) {
        if (!linkIsUp(nvml, device, link))
            continue;
        ++up;
        nvml.call("nvmlDeviceGetNvLinkVersion", static_cast<int (*)(Device, unsigned, unsigned *)>(nullptr), device,
                  link, &version);
    }
    return std::to_string(up) + '\t' + std::to_string(version);
}

/// "BUSY<tab>FREE", and what there is in all.
struct Use {
    std::string busy = "-1";
    std::string free = "-1";
    std::string total = "-1";
};

Use useOf(const Nvml &nvml, Device device)
{
    Use use;
    Memory memory;
    if (nvml.call("nvmlDeviceGetMemoryInfo", static_cast<int (*)(Device, Memory *)>(nullptr), device, &memory)) {
        use.free = std::to_string(memory.free);
        use.total = std::to_string(memory.total);
    }
    Utilization busy;
    if (nvml.call("nvmlDeviceGetUtilizationRates", static_cast<int (*)(Device, Utilization *)>(nullptr), device, &busy))
        use.busy = std::to_string(busy.gpu);
    return use;
}

std::string gpuLine(const Nvml &nvml, Device device)
{
    std::array<char, 96> name{};
    nvml.call("nvmlDeviceGetName", static_cast<int (*)(Device, char *, unsigned)>(nullptr), device, name.data(),
              unsigned(name.size() - 1));
    const Use use = useOf(nvml, device);
    const std::string busId = pciOf(nvml, device).busId;
    return "gpu " + busId + '\t' + name.data() + '\t' + use.total + '\t' + use.free + '\t' + use.busy + '\t' +
           numaNodeOf(busId) + '\t' +
           std::to_string(int(askNumber(nvml, "nvmlDeviceGetMaxPcieLinkGeneration", device, unsigned(-1)))) + '\t' +
           std::to_string(int(askNumber(nvml, "nvmlDeviceGetMaxPcieLinkWidth", device, unsigned(-1)))) + '\t' +
           linksOf(nvml, device) + '\n';
}

/// NVLinks of `device` that lead to a switch, through which every GPU is reached, or to the GPU at that bus.
int linksTo(const Nvml &nvml, Device device, const std::string &busId)
{
    int links = 0;
    for (unsigned link = 0; link < kMostLinks; ++link) {
        if (!linkIsUp(nvml, device, link))
            continue;
        int type = kPcie;
        nvml.call("nvmlDeviceGetNvLinkRemoteDeviceType", static_cast<int (*)(Device, unsigned, int *)>(nullptr), device,
                  link, &type);
        PciInfo remote;
        nvml.call("nvmlDeviceGetNvLinkRemotePciInfo_v2", static_cast<int (*)(Device, unsigned, PciInfo *)>(nullptr),
                  device, link, &remote);
        links += type == kSwitch || busId == remote.busId ? 1 : 0;
    }
    return links;
}

std::string pathLine(const Nvml &nvml, const std::vector<Device> &devices, std::size_t from, std::size_t to)
{
    int level = -1;
    nvml.call("nvmlDeviceGetTopologyCommonAncestor", static_cast<int (*)(Device, Device, int *)>(nullptr),
              devices[from], devices[to], &level);
    return "path " + std::to_string(from) + '\t' + std::to_string(to) + '\t' + std::to_string(level) + '\t' +
           std::to_string(linksTo(nvml, devices[from], pciOf(nvml, devices[to]).busId)) + '\n';
}

/// The library and the GPUs that it knows; no GPUs where there is none.
struct Gpus {
    Nvml nvml{nullptr};
    std::vector<Device> devices;
};

Gpus findGpus()
{
    void *library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (library == nullptr)
        return {};
    Gpus found{Nvml(library), {}};
    unsigned count = 0;
    if (!found.nvml.call("nvmlInit_v2", static_cast<int (*)()>(nullptr)) ||
        !found.nvml.call("nvmlDeviceGetCount_v2", static_cast<int (*)(unsigned *)>(nullptr), &count))
        return {};
    for (unsigned i = 0; i < count; ++i) {
        Device device = nullptr;
        if (found.nvml.call("nvmlDeviceGetHandleByIndex_v2", static_cast<int (*)(unsigned, Device *)>(nullptr), i,
                            &device))
            found.devices.push_back(device);
    }
    return found;
}

std::string reportOf(const Gpus &gpus)
{
    const std::vector<Device> &devices = gpus.devices;
    std::string text;
    for (Device device : devices)
        text += gpuLine(gpus.nvml, device);
    for (std::size_t from = 0; from < devices.size(); ++from)
        for (std::size_t to = from + 1; to < devices.size(); ++to)
            text += pathLine(gpus.nvml, devices, from, to);
    return text;
}

std::string loadLine(const Gpus &gpus)
{
    std::string line(kLoadTold);
    for (Device device : gpus.devices) {
        const Use use = useOf(gpus.nvml, device);
        line += '\t' + use.busy + '\t' + use.free;
    }
    return line + '\n';
}

} // namespace

GpuTopology readGpuTopology()
{
    return parseGpuTopology(childReport([](int fd) { writeAll(fd, reportOf(findGpus())); }, kLimit));
}

void watchGpus(int told, int asked)
{
    constexpr int kEveryMs = 500;
    const Gpus gpus = findGpus();
    if (gpus.devices.empty() || !writeAll(told, reportOf(gpus) + std::string(kGpusTold) + '\n'))
        return;
    bool wanted = false;
    for (std::string words;;) {
        pollfd entry{asked, POLLIN, 0};
        if (::poll(&entry, 1, wanted ? kEveryMs : -1) > 0 && readSome(asked, words) == ReadResult::End)
            return;
        if (!words.empty())
            wanted = words.ends_with(kAskForLoads);
        words.clear();
        if (wanted && !writeAll(told, loadLine(gpus)))
            return;
    }
}

} // namespace shardscope
