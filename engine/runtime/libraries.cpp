// SPDX-License-Identifier: MIT
#include "engine/runtime/libraries.h"

#include "engine/runtime/torch_headers.h"

#include <torch/csrc/api/include/torch/version.h>

#include <dlfcn.h>
#include <malloc.h>

namespace shardscope {

namespace {

template <typename Function>
Function *blasFunction(const char *name)
{
    return reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, name));
}

std::string blasName()
{
    if (const auto core = blasFunction<char *()>("openblas_get_corename"))
        return std::string("OpenBLAS ") + core();
    return at::hasMKL() ? "MKL" : "reference BLAS";
}

} // namespace

std::map<std::string, std::string> libraryVersions()
{
    return {{"libtorch", TORCH_VERSION}, {"blas", blasName()}};
}

void setThreads(int threads)
{
    at::set_num_threads(threads);
    if (const auto setBlasThreads = blasFunction<void(int)>("openblas_set_num_threads"))
        setBlasThreads(threads);
}

bool blasIsRight()
{
    constexpr int kSize = 64;
    const at::Tensor a = at::arange(kSize * kSize, at::kFloat).remainder(7).sub_(3).view({kSize, kSize});
    const at::Tensor b = at::arange(kSize * kSize, at::kFloat).remainder(5).sub_(2).view({kSize, kSize});
    const at::Tensor product = at::mm(a, b);
    const auto *x = a.data_ptr<float>();
    const auto *y = b.data_ptr<float>();
    const auto *z = product.data_ptr<float>();
    for (int row = 0; row < kSize; ++row)
        for (int column = 0; column < kSize; ++column) {
            float sum = 0; // small integers: exact in any order
            for (int k = 0; k < kSize; ++k)
                sum += x[row * kSize + k] * y[k * kSize + column];
            if (!(z[row * kSize + column] == sum))
                return false;
        }
    return true;
}

void keepFreedMemory()
{
    mallopt(M_MMAP_MAX, 0); // M_MMAP_THRESHOLD ends at 32 MiB
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

void releaseUnusedMemory()
{
    malloc_trim(0);
}

} // namespace shardscope
