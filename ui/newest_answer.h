// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFutureWatcher>
#include <QThreadPool>
#include <QTimer>
#include <QtConcurrentRun>
#include <functional>
#include <optional>
#include <utility>

namespace shardscope {

/// Answers questions outside the GUI thread, so that nothing on screen waits. Only the newest is answered: one that
/// came while another was worked on takes its place, so answers are never late and never out of order.
template <typename Answer>
class NewestAnswer
{
public:
    using Question = std::function<Answer()>;

    /// `give` gets the answers, in the thread that made this object.
    explicit NewestAnswer(std::function<void(const Answer &)> give) : m_give(std::move(give))
    {
        m_pool.setMaxThreadCount(1);
        m_begin.setSingleShot(true);
        m_begin.setInterval(0);
        QObject::connect(&m_begin, &QTimer::timeout, &m_begin, [this] { begin(); });
        QObject::connect(&m_watcher, &QFutureWatcher<Answer>::finished, &m_watcher, [this] { onFinished(); });
    }
    /// Waits for the work in progress.
    ~NewestAnswer()
    {
        m_watcher.disconnect();
        m_pool.waitForDone();
    }
    NewestAnswer(const NewestAnswer &) = delete;
    NewestAnswer &operator=(const NewestAnswer &) = delete;

    /// Begins once what is drawn now has been drawn; the question owns what it needs.
    void ask(Question question)
    {
        m_newest = std::move(question);
        m_begin.start();
    }
    /// Nobody waits for an answer any more.
    void forget()
    {
        m_newest.reset();
        m_wanted = false;
        m_begin.stop();
    }
    /// Answers what was asked here and now, if anything was.
    void finish()
    {
        m_begin.stop();
        if (m_newest) {
            m_wanted = false;
            m_give((*std::exchange(m_newest, std::nullopt))());
        } else if (std::exchange(m_wanted, false)) {
            m_watcher.waitForFinished();
            m_give(m_watcher.result());
        }
    }

private:
    void begin()
    {
        if (!m_newest || m_watcher.isRunning())
            return;
        m_wanted = true;
        m_watcher.setFuture(QtConcurrent::run(&m_pool, *std::exchange(m_newest, std::nullopt)));
    }

    void onFinished()
    {
        if (m_newest)
            begin();
        else if (std::exchange(m_wanted, false))
            m_give(m_watcher.result());
    }

    std::function<void(const Answer &)> m_give;
    QThreadPool m_pool; ///< its own, so that a picture being compressed is not waited for
    QFutureWatcher<Answer> m_watcher;
    std::optional<Question> m_newest; ///< asked and not begun
    bool m_wanted = false;            ///< somebody waits for the one in progress
    QTimer m_begin;
};

} // namespace shardscope
