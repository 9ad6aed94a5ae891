// SPDX-License-Identifier: MIT
#include "engine/supervise/child_process.h"

#include "engine/record/exit_code.h"
#include "engine/supervise/file_descriptor.h"

#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace shardscope {
namespace {

// Libraries print on stdout (NCCL_DEBUG, for one); the stream has a descriptor of its own. Standard descriptors are
// replaced, never closed: the next file or socket to be opened would take the number, and what is printed.
void separateStandardStreams()
{
    const FileDescriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    ::dup2(null.get(), STDIN_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

} // namespace

void leaveParent(pid_t parent, const std::string &name, const std::vector<int> &closeInChild)
{
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The parent may have died before the line above took effect.
    if (::getppid() != parent)
        ::_exit(kFailed);
    separateStandardStreams();
    for (const int fd : closeInChild) {
        if (fd > STDERR_FILENO)
            ::close(fd);
    }
    ::prctl(PR_SET_NAME, name.c_str());
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

} // namespace shardscope
