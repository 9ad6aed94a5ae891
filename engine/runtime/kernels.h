// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/step.h"
#include "engine/runtime/products.h"
#include "engine/runtime/torch_headers.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardscope {

/// What a kernel must know beyond its step and inputs. Kernels know nothing of schemes or ranks.
struct KernelContext {
    std::int64_t firstIndex = 0; ///< of the vocabulary: the first row of E, or column of the logits, that is held
    std::int64_t outputRows = 0; ///< of EmbeddingBackward and LastPosition: rows of E held; sequences
    int stepNumber = 1;          ///< of Adam: how many updates the states have seen after this one
    DType dtype = DType::F32;    ///< of Dequantize: its result's
};

/// Computes one step that is no slice, no padding and no collective: inputs and outputs in the order that StepKind
/// gives. `mayOverwrite`: nobody needs the first input (of Adam: the weight and both states) afterwards, so that its
/// memory may become the result's.
[[nodiscard]] std::vector<at::Tensor> runKernel(const Step &step, const std::vector<at::Tensor> &inputs,
                                                bool mayOverwrite, const KernelContext &context = {});

/// What this LibTorch says of the first kernel that it lacks in that dtype on the device; nothing where it has them
/// all. Tried, not guessed.
[[nodiscard]] std::optional<std::string> missingKernel(DType dtype, c10::Device device = at::kCPU);
[[nodiscard]] inline bool dtypeWorks(DType dtype, c10::Device device = at::kCPU)
{
    return !missingKernel(dtype, device);
}
[[nodiscard]] std::vector<DType> workingDtypes(c10::Device device);

} // namespace shardscope
