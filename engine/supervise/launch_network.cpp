// SPDX-License-Identifier: MIT
#include "engine/supervise/launch.h"

#include <memory>
#include <net/if.h>
#include <netdb.h>
#include <sys/socket.h>

namespace shardscope {
namespace {

std::string interfaceNames()
{
    const std::unique_ptr<struct if_nameindex, void (*)(struct if_nameindex *)> all(::if_nameindex(),
                                                                                    ::if_freenameindex);
    std::string names;
    for (const struct if_nameindex *entry = all.get(); entry && entry->if_index != 0; ++entry)
        addToList(names, entry->if_name);
    return names;
}

} // namespace

std::optional<Text> refuseNetwork(const Launch &launch)
{
    const std::string &interface = launch.store.interface;
    if (!interface.empty() && ::if_nametoindex(interface.c_str()) == 0)
        return Text{TextId::LaunchInterfaceUnknown, {interface, interfaceNames()}};
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo *found = nullptr;
    const int error = ::getaddrinfo(launch.store.host.c_str(), nullptr, &hints, &found);
    if (error != 0)
        return Text{TextId::LaunchMasterUnknown, {launch.store.host, ::gai_strerror(error)}};
    ::freeaddrinfo(found);
    return std::nullopt;
}

} // namespace shardscope
