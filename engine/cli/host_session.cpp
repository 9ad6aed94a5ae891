// SPDX-License-Identifier: MIT
#include "engine/cli/host_session.h"

#include "engine/cli/arguments.h"
#include "engine/cli/launcher.h"

#include <algorithm>

namespace shardscope::cli {
namespace {

/// Libraries add whole stack traces; the first line says what happened.
std::string firstLine(const std::string &text)
{
    constexpr std::size_t kMost = 200;
    return text.substr(0, std::min(text.find('\n'), kMost));
}

ExitCode exitCodeOf(const EndEvent &end)
{
    if (end.status == EndEvent::Status::Cancelled)
        return kCancelled;
    return end.exitCode == kBadArguments ? kBadArguments : kFailed;
}

} // namespace

std::string causeOf(const MessageEvent &message)
{
    std::string line = english(message.text);
    if (!message.detail.empty() && line.find(message.detail) == std::string::npos)
        line += " (" + firstLine(message.detail) + ')';
    return line;
}

std::string oneLine(const MessageEvent &message)
{
    const std::string remedy = english(message.remedy);
    return remedy.empty() ? causeOf(message) : causeOf(message) + "; " + remedy;
}

void HostSession::setPosition(int done, int total)
{
    m_done = done;
    m_total = total;
}

EndEvent HostSession::run(const shardscope::Command &command, const std::string &label,
                          const HostProcess::OnEvent &onEvent)
{
    std::string cause;
    const auto watch = [&](const Event &event) {
        const auto *progress = std::get_if<ProgressEvent>(&event);
        if (progress != nullptr && !follows())
            showProgress(*progress, label);
        const auto *message = std::get_if<MessageEvent>(&event);
        if (message != nullptr && message->level == MessageEvent::Level::Error)
            cause = oneLine(*message);
        onEvent(event);
    };
    const EndEvent end = m_host.run(command, watch, &m_interrupts);
    m_progress.clear();
    if (end.status == EndEvent::Status::Cancelled)
        throw Failure{kCancelled, "cancelled"};
    if (end.status == EndEvent::Status::Failed)
        throw Failure{exitCodeOf(end), cause.empty() ? "the rank host failed without a word" : cause};
    return end;
}

void HostSession::showProgress(const ProgressEvent &event, const std::string &label)
{
    Progress progress{.fraction = event.fraction, .stage = english(event.stage), .label = label};
    if (m_total > 1) {
        progress.position = std::to_string(m_done + 1) + " of " + std::to_string(m_total);
        progress.fraction = (m_done + std::max(0.0, event.fraction)) / m_total;
    }
    if (event.stage.id == TextId::ProgressStep && event.stage.args.size() == 2) {
        m_remaining.stepBegins(std::stoi(event.stage.args[0]), std::stoi(event.stage.args[1]));
        progress.secondsLeft = m_remaining.seconds();
    } else {
        m_remaining.forget();
    }
    m_progress.show(progress);
}

} // namespace shardscope::cli
