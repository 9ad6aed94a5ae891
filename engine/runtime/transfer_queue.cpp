// SPDX-License-Identifier: MIT
#include "engine/runtime/transfer_queue.h"

namespace shardscope {

TransferQueue::~TransferQueue()
{
    {
        const std::lock_guard lock(m_mutex);
        m_leaving = true;
        m_queue.clear();
    }
    m_changed.notify_all();
    if (m_thread.joinable())
        m_thread.join();
}

std::size_t TransferQueue::start(std::function<void()> transfer)
{
    const std::lock_guard lock(m_mutex);
    if (!m_thread.joinable())
        m_thread = std::thread([this] { work(); });
    m_queue.push_back(std::move(transfer));
    m_changed.notify_all();
    return ++m_started;
}

std::size_t TransferQueue::ended() const
{
    const std::lock_guard lock(m_mutex);
    return m_ended;
}

void TransferQueue::waitFor(std::size_t transfers)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return m_ended >= transfers || m_failure; });
    if (m_failure)
        std::rethrow_exception(m_failure);
}

void TransferQueue::work()
{
    std::unique_lock lock(m_mutex);
    while (!m_failure) {
        m_changed.wait(lock, [this] { return m_leaving || !m_queue.empty(); });
        if (m_leaving)
            return;
        std::function<void()> transfer = std::move(m_queue.front());
        m_queue.pop_front();
        lock.unlock();
        std::exception_ptr failure;
        try {
            transfer();
        } catch (...) {
            failure = std::current_exception();
        }
        transfer = {}; // what it holds goes before anybody hears that it has ended
        lock.lock();
        ++m_ended;
        m_failure = failure;
        m_changed.notify_all();
    }
}

} // namespace shardscope
