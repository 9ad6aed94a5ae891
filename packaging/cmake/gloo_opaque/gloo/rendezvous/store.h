// SPDX-License-Identifier: MIT
#pragma once
#include "gloo/context.h"

namespace gloo::rendezvous {
/// c10d derives from it in its header; nobody here makes one, so the order of the members is not relied on.
class Store
{
public:
    virtual ~Store();
    virtual void set(const std::string &key, const std::vector<char> &value) = 0;
    virtual std::vector<char> get(const std::string &key) = 0;
    virtual void wait(const std::vector<std::string> &keys) = 0;
    virtual void wait(const std::vector<std::string> &keys, const std::chrono::milliseconds &timeout) = 0;
};
} // namespace gloo::rendezvous
