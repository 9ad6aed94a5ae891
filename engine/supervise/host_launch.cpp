// SPDX-License-Identifier: MIT
#include "engine/supervise/host_launch.h"

#include "engine/supervise/diagnosis.h"
#include "engine/supervise/host_environment.h"
#include "engine/supervise/host_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shardscope {
namespace {

constexpr int kExecFailed = 127; ///< also what ld.so says when a library is missing

MessageEvent hostError(Text text, TextId remedy, std::string detail = {})
{
    MessageEvent message;
    message.level = MessageEvent::Level::Error;
    message.text = std::move(text);
    message.remedy = Text{remedy, {}};
    message.detail = std::move(detail);
    return message;
}

void execute(const std::string &program, const std::string &word, const Environment &environment)
{
    for (const auto &[name, value] : environment)
        ::setenv(name.c_str(), value.c_str(), 1);
    ::execl(program.c_str(), program.c_str(), word.c_str(), nullptr);
}

// A socket instead of a pipe for the commands: a host that has died then costs an error, not a SIGPIPE.
std::optional<Pipe> makeCommandSocket()
{
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return std::nullopt;
    return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

struct HostPipes {
    Pipe commands;
    Pipe events;
    Pipe errors;
    Pipe failure; ///< closed by a successful exec, else carries errno
};

std::optional<HostPipes> makePipes()
{
    auto commands = makeCommandSocket();
    auto events = makePipe();
    auto errors = makePipe();
    auto failure = makePipe();
    if (!commands || !events || !errors || !failure)
        return std::nullopt;
    return HostPipes{std::move(*commands), std::move(*events), std::move(*errors), std::move(*failure)};
}

[[noreturn]] void becomeChild(const HostPipes &pipes, const std::string &program, const std::string &word,
                              const Environment &environment, pid_t front)
{
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != front)
        ::_exit(kExecFailed);
    ::dup2(pipes.commands.read.get(), STDIN_FILENO);
    ::dup2(pipes.events.write.get(), STDOUT_FILENO);
    ::dup2(pipes.errors.write.get(), STDERR_FILENO);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    execute(program, word, environment);
    const int error = errno;
    [[maybe_unused]] const ssize_t written = ::write(pipes.failure.write.get(), &error, sizeof error);
    ::_exit(kExecFailed);
}

std::string firstLine(const std::string &text)
{
    return text.substr(0, text.find('\n'));
}

TextId remedyOf(int error)
{
    if (error == EMFILE || error == ENFILE)
        return TextId::HostFileLimitRemedy;
    if (error == EAGAIN)
        return TextId::HostProcessLimitRemedy;
    return error == ENOMEM ? TextId::LessMemoryRemedy : TextId::HostMissingRemedy;
}

/// ld.so says the same of a library that is missing and of one that it could not open.
TextId remedyOfLibraries(const std::string &errorOutput)
{
    const bool fileLimit = errorOutput.find("Error 24") != std::string::npos ||
                           errorOutput.find("Too many open files") != std::string::npos;
    return fileLimit ? TextId::HostFileLimitRemedy : TextId::HostLibrariesRemedy;
}

} // namespace

MessageEvent describeExecFailure(const std::string &program, int error)
{
    if (error == ENOENT)
        return hostError(Text{TextId::HostMissing, {program}}, TextId::HostMissingRemedy);
    return hostError(Text{TextId::HostNotStarted, {program, std::strerror(error)}}, remedyOf(error));
}

MessageEvent describeHostEnd(const std::string &program, int waitStatus, const std::string &errorOutput)
{
    if (WIFEXITED(waitStatus) && WEXITSTATUS(waitStatus) == kExecFailed)
        return hostError(Text{TextId::HostNotStarted, {program, firstLine(errorOutput)}},
                         remedyOfLibraries(errorOutput), errorOutput);
    if (WIFSIGNALED(waitStatus))
        return hostError(Text{TextId::HostDied, {describeWaitStatus(waitStatus)}}, TextId::HostRestartRemedy,
                         errorOutput);
    return hostError(Text{TextId::HostLeft, {std::to_string(WEXITSTATUS(waitStatus))}}, TextId::HostRestartRemedy,
                     errorOutput);
}

std::variant<LaunchedHost, MessageEvent> launchHost(const std::string &program, const std::string &word)
{
    // Before the fork: asking for the BLAS core takes a child of its own.
    const Environment environment = hostEnvironment();
    auto pipes = makePipes();
    const pid_t front = ::getpid();
    const pid_t pid = pipes ? ::fork() : -1;
    if (pid == 0)
        becomeChild(*pipes, program, word, environment, front);
    if (pid < 0)
        return describeExecFailure(program, errno);
    pipes->failure.write.reset();
    int error = 0;
    ssize_t count = 0;
    do {
        count = ::read(pipes->failure.read.get(), &error, sizeof error);
    } while (count < 0 && errno == EINTR);
    if (count == static_cast<ssize_t>(sizeof error)) {
        ::waitpid(pid, nullptr, 0);
        return describeExecFailure(program, error);
    }
    return LaunchedHost{pid, std::move(pipes->commands.write), std::move(pipes->events.read),
                        std::move(pipes->errors.read)};
}

MessageEvent becomeHost()
{
    const std::string program = hostFor(Backend::Auto);
    execute(program, "serve", hostEnvironment());
    return describeExecFailure(program, errno);
}

} // namespace shardscope
