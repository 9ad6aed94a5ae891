// SPDX-License-Identifier: MIT
// A CUDA driver for tests, found by LD_LIBRARY_PATH as libcuda.so.1: FAKE_GPUS devices, or the error FAKE_CUDA_ERROR.
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace {

int numberOf(const char *variable)
{
    const char *value = std::getenv(variable);
    return value ? std::atoi(value) : 0;
}

} // namespace

extern "C" {

int cuInit(unsigned)
{
    return numberOf("FAKE_CUDA_ERROR");
}

int cuDriverGetVersion(int *version)
{
    *version = 12080;
    return 0;
}

int cuGetErrorString(int error, const char **text)
{
    *text = error == 100 ? "no CUDA-capable device is detected" : "some other error";
    return 0;
}

int cuDeviceGetCount(int *count)
{
    *count = numberOf("FAKE_GPUS");
    return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return 0;
}

int cuDeviceGetName(char *name, int size, int device)
{
    return std::snprintf(name, std::size_t(size), "Fake GPU %c", 'A' + device) > 0 ? 0 : 1;
}

int cuDeviceTotalMem_v2(std::size_t *bytes, int)
{
    *bytes = std::size_t{8} << 30;
    return 0;
}

int cuDeviceGetPCIBusId(char *bus, int size, int device)
{
    return std::snprintf(bus, std::size_t(size), "0000:%02x:00.0", device + 1) > 0 ? 0 : 1;
}

int cuDeviceGetAttribute(int *value, int attribute, int)
{
    *value = attribute == 75 ? 9 : 0;
    return 0;
}

} // extern "C"
