// SPDX-License-Identifier: MIT
#include "engine/supervise/gpu_probe.h"

#include "engine/supervise/child_report.h"
#include "engine/supervise/file_descriptor.h"
#include "engine/supervise/tabbed_fields.h"

#include <array>
#include <dlfcn.h>
#include <sstream>

namespace shardscope {

namespace {

/// A driver that initialises many GPUs without persistence mode takes seconds.
constexpr std::chrono::seconds kProbeLimit{20};

/// The few functions of libcuda that tell what there is (cuda.h, CUDA driver API; all answer 0 for success).
struct Driver {
    int (*init)(unsigned) = nullptr;
    int (*driverGetVersion)(int *) = nullptr;
    int (*getErrorString)(int, const char **) = nullptr;
    int (*deviceGetCount)(int *) = nullptr;
    int (*deviceGet)(int *, int) = nullptr;
    int (*deviceGetName)(char *, int, int) = nullptr;
    int (*deviceTotalMem)(std::size_t *, int) = nullptr;
    int (*deviceGetPciBusId)(char *, int, int) = nullptr;
    int (*deviceGetAttribute)(int *, int, int) = nullptr;
};

// CUdevice_attribute
constexpr int kComputeMajor = 75;
constexpr int kComputeMinor = 76;

template <typename Function>
bool load(void *library, const char *name, Function &function)
{
    function = reinterpret_cast<Function>(::dlsym(library, name));
    return function != nullptr;
}

bool load(void *library, Driver &driver)
{
    return load(library, "cuInit", driver.init) && load(library, "cuDriverGetVersion", driver.driverGetVersion) &&
           load(library, "cuGetErrorString", driver.getErrorString) &&
           load(library, "cuDeviceGetCount", driver.deviceGetCount) && load(library, "cuDeviceGet", driver.deviceGet) &&
           load(library, "cuDeviceGetName", driver.deviceGetName) &&
           load(library, "cuDeviceTotalMem_v2", driver.deviceTotalMem) &&
           load(library, "cuDeviceGetPCIBusId", driver.deviceGetPciBusId) &&
           load(library, "cuDeviceGetAttribute", driver.deviceGetAttribute);
}

std::string words(const Driver &driver, int error)
{
    const char *text = nullptr;
    if (driver.getErrorString(error, &text) == 0 && text)
        return text;
    return "error " + std::to_string(error);
}

std::string lineOf(const Driver &driver, int ordinal)
{
    int device = 0;
    std::array<char, 256> name{};
    std::array<char, 32> bus{};
    std::size_t bytes = 0;
    int major = 0;
    int minor = 0;
    if (const int error = driver.deviceGet(&device, ordinal); error != 0)
        return "none GPU " + std::to_string(ordinal) + ": " + words(driver, error) + "\n";
    driver.deviceGetName(name.data(), int(name.size()) - 1, device);
    driver.deviceTotalMem(&bytes, device);
    driver.deviceGetPciBusId(bus.data(), int(bus.size()) - 1, device);
    driver.deviceGetAttribute(&major, kComputeMajor, device);
    driver.deviceGetAttribute(&minor, kComputeMinor, device);
    return "gpu " + std::string(name.data()) + '\t' + std::to_string(bytes) + '\t' + bus.data() + '\t' +
           std::to_string(major) + '\t' + std::to_string(minor) + '\n';
}

void report(int fd)
{
    void *library = ::dlopen("libcuda.so.1", RTLD_NOW);
    Driver driver;
    if (!library || !load(library, driver))
        return;
    std::string text;
    int version = 0;
    if (driver.driverGetVersion(&version) == 0)
        text += "driver " + std::to_string(version) + "\n";
    int count = 0;
    int error = driver.init(0);
    if (error == 0)
        error = driver.deviceGetCount(&count);
    if (error != 0)
        text += "none " + words(driver, error) + "\n";
    for (int ordinal = 0; ordinal < count; ++ordinal)
        text += lineOf(driver, ordinal);
    writeAll(fd, text);
}

std::optional<GpuFacts> parseGpu(std::string_view line)
{
    const auto fields = tabbedFields(line);
    if (fields.size() < 5 || fields[0].empty() || fields[4].empty())
        return std::nullopt;
    return GpuFacts{std::string(fields[0]), numberOf<std::int64_t>(fields[1], 0), std::string(fields[2]),
                    numberOf(fields[3], 0), numberOf(fields[4], 0)};
}

} // namespace

GpuProbe parseGpuReport(std::string_view report)
{
    GpuProbe probe;
    std::string none;
    std::istringstream lines{std::string(report)};
    for (std::string line; std::getline(lines, line);) {
        const std::string_view rest = std::string_view(line).substr(std::min(line.find(' ') + 1, line.size()));
        if (line.starts_with("driver "))
            probe.driverCuda = numberOf(rest, 0);
        else if (line.starts_with("none "))
            none = rest;
        else if (line.starts_with("gpu "))
            if (auto gpu = parseGpu(rest))
                probe.gpus.push_back(std::move(*gpu));
    }
    if (!probe.gpus.empty())
        return probe;
    if (probe.driverCuda == 0 && none.empty())
        probe.problem = GpuProblem{{TextId::GpuNoDriver, {}}, {TextId::GpuNoDriverRemedy, {}}};
    else
        probe.problem =
            GpuProblem{{TextId::GpuNone, {none.empty() ? "it lists none" : none}}, {TextId::GpuNoneRemedy, {}}};
    return probe;
}

GpuProbe probeGpus()
{
    return parseGpuReport(childReport(report, kProbeLimit));
}

std::string cudaVersionText(int version)
{
    return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

} // namespace shardscope
