// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace shardscope {

/// The way from this host to another one: the address that it would be seen by, and the network interface of that.
struct Route {
    std::string address;
    std::string interface;
};

/// What the kernel chooses; sends nothing. Nothing when the host is unknown or no way leads there. `host` may be this
/// one: the interface is then the one that carries the address, not the loopback one.
[[nodiscard]] std::optional<Route> routeTo(const std::string &host);

[[nodiscard]] bool isLoopback(const std::string &interface);

/// Why nothing listens there, in the system's words; nothing when something does.
[[nodiscard]] std::optional<std::string> tryConnecting(const std::string &host, int port,
                                                       std::chrono::milliseconds limit);

/// Tells hosts apart whose names are the same, and programs of one host that call it by different names.
[[nodiscard]] std::string bootId();
[[nodiscard]] std::string ownHostName();

} // namespace shardscope
