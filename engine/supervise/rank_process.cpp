// SPDX-License-Identifier: MIT
#include "engine/supervise/rank_process.h"

#include "engine/record/codec.h"
#include "engine/supervise/child_process.h"
#include "engine/supervise/process_table.h"

#include <cerrno>
#include <csignal>
#include <exception>
#include <fcntl.h>
#include <unistd.h>

namespace shardscope {
namespace {

// When memory runs out the kernel is to take a rank, not the window or the desktop.
void volunteerForOutOfMemory()
{
    const FileDescriptor file(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
    if (file.isOpen())
        writeAll(file.get(), "500");
}

int runGuarded(const RankMain &rankMain, const RankContext &context)
{
    std::string problem;
    try {
        return rankMain(context);
    } catch (const std::exception &error) {
        problem = error.what();
    } catch (...) {
        problem = "an exception of unknown type";
    }
    MessageEvent message;
    message.level = MessageEvent::Level::Error;
    message.rank = context.rank;
    message.text = Text{TextId::RankFailed, {std::to_string(context.rank), problem.substr(0, problem.find('\n'))}};
    message.remedy = Text{TextId::RunAgainRemedy, {}};
    message.detail = problem;
    writeAll(context.eventFd, encode(Event(message)));
    return kFailed;
}

} // namespace

RankProcess::RankProcess(const ForkSetup &setup, const RankMain &rankMain) : m_rank(setup.context.rank)
{
    auto commands = makePipe();
    auto events = makePipe();
    if (!commands || !events)
        return;
    const pid_t supervisor = ::getpid();
    m_pid = ::fork();
    if (m_pid == 0) {
        commands->write.reset();
        events->read.reset();
        leaveParent(supervisor, rankProcessName(setup.context.rank), setup.closeInChild);
        volunteerForOutOfMemory();
        RankContext context = setup.context;
        context.commandFd = commands->read.get();
        context.eventFd = events->write.get();
        // _exit: what the zygote registered with atexit() is not the rank's to run.
        ::_exit(runGuarded(rankMain, context));
    }
    m_commands = std::move(commands->write);
    m_events = std::move(events->read);
}

bool RankProcess::readEvents()
{
    m_buffer.erase(0, m_consumed);
    m_consumed = 0;
    const ReadResult result = readSome(m_events.get(), m_buffer);
    if (result == ReadResult::End)
        closeEvents();
    return result == ReadResult::Data;
}

bool RankProcess::nextLine(std::string_view &line)
{
    const std::size_t end = m_buffer.find('\n', m_consumed);
    if (end == std::string::npos)
        return false;
    line = std::string_view(m_buffer).substr(m_consumed, end + 1 - m_consumed);
    m_consumed = end + 1;
    return true;
}

void RankProcess::kill() const
{
    if (isRunning())
        ::kill(m_pid, SIGKILL);
}

} // namespace shardscope
