// SPDX-License-Identifier: GPL-3.0-or-later
// Stands for `shardscope-engine serve`: answers commands by predicting, in the mode that SHARDSCOPE_FAKE_MODE names.
//   (none)   answers every run and measurement
//   crash    aborts at the first run
//   exit7    leaves with status 7 at the first run
//   hang     says hello and never again
//   garbage  writes lines that are no JSON around a good answer
//   fail     ends each run with an error message and exit code 4
//   check    answers, with a check that failed and exit code 3
//   checked  answers, with checks that passed
//   deaf     ignores cancel, quit and the end of its input
//   slow     never ends a run, unless cancelled
//   newer    speaks a protocol of the future
//   cutoff   leaves with status 7 when the first run has been published and has not ended
//   impossible  answers, with one record in each run that ends before it starts
//   resolved    answers, and says of each run what it made of the threads, as the rank host does
//   machine  answers, and says what its machine is made of and how busy it is
// SHARDSCOPE_FAKE_VERSION: the version that it says it has; "fake" by default.
// SHARDSCOPE_FAKE_LOG: a file to which every command read is appended.
#include "engine/plan/experiment_options.h"
#include "engine/record/codec.h"
#include "engine/record/run.h"
#include "engine/simulate/simulate.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

using namespace shardscope;

namespace {

std::string modeName()
{
    const char *mode = std::getenv("SHARDSCOPE_FAKE_MODE");
    return mode ? mode : "";
}

void say(const Event &event)
{
    std::cout << encode(event) << std::flush;
}

void logCommand(const std::string &line)
{
    if (const char *file = std::getenv("SHARDSCOPE_FAKE_LOG"))
        std::ofstream(file, std::ios::app) << line << '\n';
}

EndEvent endOf(const std::string &id, EndEvent::Status status, int exitCode)
{
    EndEvent end;
    end.id = id;
    end.status = status;
    end.exitCode = exitCode;
    return end;
}

/// Two NUMA nodes with a GPU each.
TopologyEvent topologyTold()
{
    constexpr std::int64_t kBytes = std::int64_t{32} << 30;
    GpuState gpu;
    gpu.name = "NVIDIA Fake";
    gpu.memoryBytes = kBytes;
    gpu.numaNode = 0;
    GpuState other = gpu;
    other.numaNode = 1;
    return {{{{0, 1, kBytes}, {1, 1, kBytes}}, {gpu, other}, {{0, 1, "SYS", 16}}}};
}

LoadEvent loadTold()
{
    return {90, 70, std::int64_t{16} << 30, {{50, std::int64_t{8} << 30}, {40, -1}}};
}

/// Repeats a prediction as if it had been measured `steps` times.
void answerRun(const RunCommand &command, int exitCode, const std::string &mode)
{
    Expected<Experiment> experiment = readExperiment(command.experiment, Unused::Allow);
    if (!experiment) {
        say(endOf(command.id, EndEvent::Status::Failed, 2));
        return;
    }
    if (mode == "resolved") {
        experiment.value().backend = Backend::Cpu;
        experiment.value().threads = experiment->ranks() == 1 ? 2 : 1;
    }
    const Run run = simulate(buildPlan(*experiment), *findHardware("h100-8"));
    const std::vector<SpanEvent> spans = run.spansOfEveryRank();
    RunEvent begin;
    begin.id = command.id;
    begin.startedAt = "2026-01-02T03:04:05+00:00";
    begin.experiment = allOptions(*experiment);
    begin.machine.backend = "gloo";
    begin.machine.host = "2 cores, fake";
    begin.machine.notes = {"fake"};
    say(begin);
    if (mode == "machine") {
        say(topologyTold());
        say(loadTold());
    }
    if (mode == "impossible") {
        SpanEvent backwards = spans.front();
        backwards.startNs = backwards.endNs + 1;
        say(backwards);
    }
    for (int step = 0; step < 5; ++step) {
        for (SpanEvent span : spans) {
            span.iteration = step;
            say(span);
        }
        for (IterationEvent iteration : run.iterations) {
            iteration.iteration = step;
            say(iteration);
        }
    }
    if (mode == "cutoff") {
        std::this_thread::sleep_for(std::chrono::milliseconds(600)); // the window shows what it has meanwhile
        std::exit(7);
    }
    if (mode == "check" || mode == "checked") {
        say(CheckEvent{"Y", mode == "check" ? 3.2e-2 : 2e-7, 1e-5, mode == "checked"});
        say(CheckEvent{"ranks agree: Y", 0, 0, true});
    }
    say(endOf(command.id, exitCode == 0 ? EndEvent::Status::Done : EndEvent::Status::Failed, exitCode));
}

void answerMeasure(const MeasureCommand &command)
{
    for (const int ranks : {2, command.ranks}) {
        for (const std::int64_t bytes : {4096, 65536, 1048576, 16777216}) {
            for (const CollectiveOp op : {CollectiveOp::AllReduce, CollectiveOp::AllGather}) {
                BandwidthEvent point;
                point.op = op;
                point.ranks = ranks;
                point.payloadBytes = bytes;
                point.sentBytes = (op == CollectiveOp::AllReduce ? 2 : 1) * (ranks - 1) * bytes / ranks;
                point.medianNs = 100000 + bytes;
                say(point);
            }
        }
    }
    ComputeEvent compute;
    compute.dtype = command.dtype;
    compute.ranks = command.ranks;
    compute.flopsPerSecond = 5e10;
    compute.bytesPerSecond = 1e10;
    compute.overheadNs = 5000;
    say(compute);
    say(endOf(command.id, EndEvent::Status::Done, 0));
}

void answerFailure(const RunCommand &command)
{
    MessageEvent message;
    message.level = MessageEvent::Level::Error;
    message.text = Text{TextId::OptionUnknown, {"rank 2 stopped", "nothing"}};
    say(message);
    say(endOf(command.id, EndEvent::Status::Failed, 4));
}

void run(const RunCommand &command, const std::string &mode)
{
    if (mode == "crash")
        std::abort();
    if (mode == "exit7")
        std::exit(7);
    if (mode == "fail") {
        answerFailure(command);
        return;
    }
    if (mode == "garbage")
        std::cout << "not a line of ours\n{\"kind\":\"from the future\"}\n{\"broken\":" << std::endl;
    answerRun(command, mode == "check" ? 3 : 0, mode);
}

} // namespace

int main()
{
    const std::string mode = modeName();
    HelloEvent hello;
    const char *version = std::getenv("SHARDSCOPE_FAKE_VERSION");
    hello.engineVersion = version ? version : "fake";
    hello.machine.backend = "gloo";
    hello.machine.host = "2 cores, fake";
    if (mode == "newer")
        hello.protocolMajor = kProtocolMajor + 1;
    if (mode != "mute")
        say(hello);
    if (mode == "machine")
        say(topologyTold());
    std::cerr << "fake engine ready" << std::endl;
    std::string pending; // the run that a slow engine has not ended yet
    for (std::string line; std::getline(std::cin, line);) {
        logCommand(line);
        const Expected<Command> command = decodeCommand(line);
        if (!command || mode == "hang" || mode == "deaf")
            continue;
        if (const auto *wanted = std::get_if<RunCommand>(&*command)) {
            if (mode == "slow")
                pending = wanted->id;
            else
                run(*wanted, mode);
        } else if (const auto *measure = std::get_if<MeasureCommand>(&*command)) {
            answerMeasure(*measure);
        } else if (std::holds_alternative<CancelCommand>(*command) && !pending.empty()) {
            say(endOf(pending, EndEvent::Status::Cancelled, 130));
            pending.clear();
        } else if (std::holds_alternative<QuitCommand>(*command)) {
            return 0;
        }
    }
    while (mode == "deaf")
        std::this_thread::sleep_for(std::chrono::seconds(1));
    return 0;
}
