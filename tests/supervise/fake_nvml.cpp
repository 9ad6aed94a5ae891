// SPDX-License-Identifier: MIT
// NVIDIA's management library for tests, found by LD_LIBRARY_PATH as libnvidia-ml.so.1: FAKE_GPUS devices, joined by
// two NVLinks of version 4 through a switch; each is 10 % busier whenever it is asked. FAKE_NVML_HANGS: the first call
// never returns.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace {

constexpr int kMost = 4;
constexpr int kNotSupported = 3;

struct Device {
    int number = 0;
    unsigned asked = 0;
};
Device devices[kMost];

struct Pci {
    char busIdLegacy[16];
    unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
    char busId[32];
};
struct Memory {
    unsigned long long total, free, used;
};
struct Utilization {
    unsigned gpu, memory;
};

int count()
{
    const char *value = std::getenv("FAKE_GPUS");
    return value ? std::atoi(value) : 0;
}

} // namespace

extern "C" {

int nvmlInit_v2()
{
    if (std::getenv("FAKE_NVML_HANGS"))
        ::pause();
    return 0;
}

int nvmlDeviceGetCount_v2(unsigned *number)
{
    *number = unsigned(count());
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    devices[index].number = int(index);
    *device = &devices[index];
    return 0;
}

int nvmlDeviceGetName(void *device, char *name, unsigned size)
{
    std::snprintf(name, size, "Fake GPU %c", 'A' + static_cast<Device *>(device)->number);
    return 0;
}

int nvmlDeviceGetMemoryInfo(void *, Memory *memory)
{
    *memory = {8ULL << 30, 6ULL << 30, 2ULL << 30};
    return 0;
}

int nvmlDeviceGetUtilizationRates(void *device, Utilization *use)
{
    *use = {10 * static_cast<Device *>(device)->asked++, 0};
    return 0;
}

int nvmlDeviceGetPciInfo_v3(void *device, Pci *info)
{
    std::memset(info, 0, sizeof *info);
    std::snprintf(info->busId, sizeof info->busId, "0000FAKE:%02X:00.0", static_cast<Device *>(device)->number);
    return 0;
}

int nvmlDeviceGetMaxPcieLinkGeneration(void *, unsigned *generation)
{
    *generation = 5;
    return 0;
}

int nvmlDeviceGetMaxPcieLinkWidth(void *, unsigned *lanes)
{
    *lanes = 16;
    return 0;
}

int nvmlDeviceGetNvLinkState(void *, unsigned link, int *active)
{
    *active = link < 2 ? 1 : 0;
    return link < 2 ? 0 : kNotSupported;
}

int nvmlDeviceGetNvLinkVersion(void *, unsigned, unsigned *version)
{
    *version = 4;
    return 0;
}

int nvmlDeviceGetNvLinkRemoteDeviceType(void *, unsigned, int *type)
{
    *type = 1; // a switch
    return 0;
}
}
