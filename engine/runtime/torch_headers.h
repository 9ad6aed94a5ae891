// SPDX-License-Identifier: MIT
// What the runtime uses of LibTorch, precompiled. Never included from a header that other targets see.
#pragma once

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
