// SPDX-License-Identifier: MIT
// Opaque stand-ins for the Gloo types that c10d's public header names, for LibTorch wheels, which carry Gloo inside
// libtorch_cpu but not its headers. They are only passed around by pointer; no object of theirs is made here.
#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace gloo {
namespace transport {
class UnboundBuffer
{
public:
    virtual ~UnboundBuffer() = 0;
};
} // namespace transport

class Context
{
public:
    void setTimeout(std::chrono::milliseconds timeout);
    std::chrono::milliseconds getTimeout() const;
};
} // namespace gloo
