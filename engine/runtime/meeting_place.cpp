// SPDX-License-Identifier: MIT
#include "engine/runtime/meeting_store.h"

#include <torch/csrc/distributed/c10d/FileStore.hpp>

namespace shardscope {

MeetingPlace::MeetingPlace(const std::string &path, int size)
    : m_store(std::make_unique<Store>(Store{c10::make_intrusive<c10d::FileStore>(path, size)}))
{
}

MeetingPlace::MeetingPlace(std::unique_ptr<Store> store) : m_store(std::move(store)) {}

MeetingPlace::~MeetingPlace() = default;

void MeetingPlace::leave(const std::string &key, const std::vector<std::uint8_t> &bytes)
{
    m_store->store->set(key, bytes);
}

std::vector<std::uint8_t> MeetingPlace::collect(const std::string &key, std::chrono::milliseconds timeout)
{
    m_store->store->wait({key}, timeout);
    return m_store->store->get(key);
}

const std::string &MeetingPlace::interface() const
{
    return m_store->interface;
}

} // namespace shardscope
