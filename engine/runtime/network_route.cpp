// SPDX-License-Identifier: MIT
#include "engine/runtime/network_route.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace shardscope {

namespace {

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo *)>;

Addresses resolve(const std::string &host, int port, int type)
{
    addrinfo hints{};
    hints.ai_socktype = type;
    addrinfo *found = nullptr;
    if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
        found = nullptr;
    return {found, [](addrinfo *list) {
                if (list)
                    ::freeaddrinfo(list);
            }};
}

class Socket
{
public:
    explicit Socket(const addrinfo &to, int flags)
        : m_fd(::socket(to.ai_family, to.ai_socktype | flags, to.ai_protocol))
    {
    }
    ~Socket()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    Socket(const Socket &) = delete;
    Socket &operator=(const Socket &) = delete;
    [[nodiscard]] int fd() const { return m_fd; }

private:
    int m_fd;
};

std::string numeric(const sockaddr *address, socklen_t length)
{
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(address, length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0)
        return {};
    return text.data();
}

std::string interfaceOf(const std::string &address)
{
    ifaddrs *first = nullptr;
    if (::getifaddrs(&first) != 0)
        return {};
    const std::unique_ptr<ifaddrs, void (*)(ifaddrs *)> all(first, ::freeifaddrs);
    for (const ifaddrs *entry = first; entry; entry = entry->ifa_next) {
        const int family = entry->ifa_addr ? entry->ifa_addr->sa_family : AF_UNSPEC;
        if (family != AF_INET && family != AF_INET6)
            continue;
        const auto length = static_cast<socklen_t>(family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
        if (numeric(entry->ifa_addr, length) == address)
            return entry->ifa_name;
    }
    return {};
}

/// The system's reason; empty when the connection stands.
std::string connectWithin(const addrinfo &to, std::chrono::milliseconds limit)
{
    const Socket socket(to, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (::connect(socket.fd(), to.ai_addr, to.ai_addrlen) == 0)
        return {};
    if (errno != EINPROGRESS)
        return std::strerror(errno);
    pollfd entry{socket.fd(), POLLOUT, 0};
    if (::poll(&entry, 1, static_cast<int>(limit.count())) <= 0)
        return "no answer";
    int error = 0;
    socklen_t length = sizeof error;
    ::getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &error, &length);
    return error == 0 ? std::string() : std::strerror(error);
}

} // namespace

std::optional<Route> routeTo(const std::string &host)
{
    constexpr int kAnyPort = 9;
    const Addresses addresses = resolve(host, kAnyPort, SOCK_DGRAM);
    for (const addrinfo *to = addresses.get(); to; to = to->ai_next) {
        const Socket socket(*to, SOCK_CLOEXEC);
        sockaddr_storage own{};
        socklen_t length = sizeof own;
        auto *address = reinterpret_cast<sockaddr *>(&own);
        if (::connect(socket.fd(), to->ai_addr, to->ai_addrlen) != 0 ||
            ::getsockname(socket.fd(), address, &length) != 0)
            continue;
        const std::string text = numeric(address, length);
        if (const std::string interface = interfaceOf(text); !interface.empty())
            return Route{text, interface};
    }
    return std::nullopt;
}

bool isLoopback(const std::string &interface)
{
    ifreq request{};
    if (interface.size() >= sizeof request.ifr_name)
        return false;
    interface.copy(request.ifr_name, sizeof request.ifr_name - 1);
    addrinfo any{};
    any.ai_family = AF_INET;
    any.ai_socktype = SOCK_DGRAM;
    const Socket socket(any, SOCK_CLOEXEC);
    return ::ioctl(socket.fd(), SIOCGIFFLAGS, &request) == 0 && (request.ifr_flags & IFF_LOOPBACK) != 0;
}

std::optional<std::string> tryConnecting(const std::string &host, int port, std::chrono::milliseconds limit)
{
    const Addresses addresses = resolve(host, port, SOCK_STREAM);
    std::string reason = "the host is unknown";
    for (const addrinfo *to = addresses.get(); to; to = to->ai_next) {
        reason = connectWithin(*to, limit);
        if (reason.empty())
            return std::nullopt;
    }
    return reason;
}

std::string bootId()
{
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string id;
    std::getline(file, id);
    return id;
}

std::string ownHostName()
{
    std::array<char, 256> name{};
    ::gethostname(name.data(), name.size() - 1);
    return name.data();
}

} // namespace shardscope
