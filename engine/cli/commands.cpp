// SPDX-License-Identifier: MIT
#include "engine/cli/commands.h"

#include "engine/cli/console.h"
#include "engine/cli/help.h"
#include "engine/cli/interruption.h"
#include "engine/cli/launcher.h"
#include "engine/cli/model_options.h"
#include "engine/cli/output.h"

#include <algorithm>
#include <exception>

namespace shardscope::cli {
namespace {

constexpr std::string_view kVersion = SHARDSCOPE_VERSION;

bool asksForHelp(const std::vector<std::string> &words)
{
    return std::ranges::any_of(words, [](const std::string &word) { return word == "--help" || word == "-h"; });
}

void print(const std::string &text)
{
    Output("").write(text);
}

Failure unknownCommand(const std::string &word)
{
    std::string allowed;
    for (const Command &command : commands())
        addToList(allowed, command.name);
    return badArgument("'" + word + "': no such command; allowed: " + allowed);
}

/// Throws Failure (exit 2).
const Command &commandNamed(const std::string &word)
{
    const auto found = std::ranges::find(commands(), word, &Command::name);
    if (found == commands().end())
        throw unknownCommand(word);
    return *found;
}

/// As one of several programs, if something has started this one so.
int startTogether(const Command &command, Arguments arguments)
{
    const bool joins = command.together == Together::Join && arguments.hardware.empty();
    if (!beginTogether(joins ? Together::Join : std::max(command.together, Together::FirstOnly)))
        return kDone;
    if (joins && command.takes("ranks"))
        arguments.experiment = withStartedRanks(std::move(arguments.experiment));
    return command.start(arguments);
}

int dispatch(const std::vector<std::string> &words)
{
    if (words.empty())
        throw badArgument("a command is missing; shardscope-engine --help names them");
    const std::string &first = words.front();
    const std::vector<std::string> rest(words.begin() + 1, words.end());
    const bool help = first == "--help" || first == "-h" || first == "help";
    if (help && rest.size() == 1) {
        print(helpOf(commandNamed(rest.front())));
        return kDone;
    }
    if ((help || first == "--version") && !rest.empty())
        throw badArgument("'" + rest.back() + "' is not expected here");
    if (help || first == "--version") {
        print(help ? generalHelp() : "shardscope-engine " + std::string(kVersion) + '\n');
        return kDone;
    }
    const Command &command = commandNamed(first);
    if (asksForHelp(rest)) {
        print(helpOf(command));
        return kDone;
    }
    return startTogether(command, readArguments(command, rest));
}

} // namespace

const std::vector<Command> &commands()
{
    using enum Format;
    static const std::vector<Command> all{
        {.name = "run",
         .summary = "runs one experiment for real, prints its result",
         .allExperimentOptions = true,
         .formats = {Table, Json, Jsonl, Csv, Trace},
         .together = Together::Join,
         .examples = {"shardscope-engine run --scheme mlp --ranks 4 --algorithm ring",
                      "shardscope-engine run --scheme column --phase decode --ranks 2 --format json"},
         .start = run},
        {.name = "compare",
         .summary = "runs the same layer as training step, prefill and decode, or under several schemes",
         .allExperimentOptions = true,
         .everyPhase = true,
         .ownOptions = {{.name = "schemes",
                         .value = "A,B,...",
                         .meaning = "a training step of the same layer, L and global tokens b*s under each: a replica "
                                    "takes b*s/dp, a micro-batch b*s/(dp*m)",
                         .defaultText = "one scheme, every phase"}},
         .formats = {Table, Json, Jsonl, Csv, Trace},
         .hardware = true,
         .hardwareDefault = "runs for real",
         .together = Together::Join,
         .examples = {"shardscope-engine compare --scheme block --ranks 4 --sequence-parallel megatron",
                      "shardscope-engine compare --schemes mlp,zero3,data-parallel,pipeline --ranks 4"},
         .start = compare},
        {.name = "sweep",
         .summary = "runs a grid (comma-separated lists), prints one row per experiment",
         .allExperimentOptions = true,
         .formats = {Table, Csv, Json, Jsonl, Trace},
         .hardware = true,
         .hardwareDefault = "runs for real",
         .together = Together::Join,
         .examples = {"shardscope-engine sweep --phase training,prefill,decode --ranks 1,2,4 --format csv",
                      "shardscope-engine sweep --scheme mlp --hidden 1024,2048 --batch 1,8 --steps 3 --warmup 1"},
         .start = sweep},
        {.name = "plan",
         .summary = "prints the plan (tensors, placements, steps, reasons, bytes); runs nothing",
         .allExperimentOptions = true,
         .formats = {Table, Json},
         .hardware = true,
         .hardwareDefault = "this",
         .examples = {"shardscope-engine plan --scheme row --ranks 4",
                      "shardscope-engine plan --scheme mlp --mlp swiglu --phase training --format json"},
         .start = plan},
        {.name = "predict",
         .summary = "the same output as run, from the cost model of a described machine",
         .allExperimentOptions = true,
         .formats = {Table, Json, Jsonl, Csv, Trace},
         .hardware = true,
         .hardwareDefault = "this",
         .examples = {"shardscope-engine predict --hardware h100-8 --ranks 8 --hidden 8192 --dtype bf16",
                      "shardscope-engine predict --hardware list"},
         .start = predict},
        {.name = "memory",
         .summary = "memory per GPU of a model in training and inference, term by term, by formula",
         .ownOptions = memoryOptions(),
         .formats = {Table, Json},
         .examples = {"shardscope-engine memory --model gpt3 --tp 8",
                      "shardscope-engine memory --model llama3-70b --tp 8 --pp 2 --dp 4 --zero 1 --format json"},
         .start = memory},
        {.name = "advise",
         .summary = "which TP, PP and DP fit a model on given GPUs and links, and why",
         .ownOptions = adviceOptions(),
         .formats = {Table, Json},
         .examples = {"shardscope-engine advise --model llama3-70b --gpus 64 --hardware h100-8",
                      "shardscope-engine advise --model llama3-70b --gpus 8 --hardware pcie5-8 --latency-ms 50"},
         .start = advise},
        {.name = "bandwidth",
         .summary = "algbw and busbw of each collective over message sizes, and the fitted alpha and beta",
         .experimentOptions = {"ranks", "dtype", "backend"},
         .formats = {Table, Json, Jsonl, Csv},
         .together = Together::Join,
         .examples = {"shardscope-engine bandwidth --ranks 4", "shardscope-engine bandwidth --ranks 2 --format csv"},
         .start = bandwidth},
        {.name = "selftest",
         .summary = "every scheme x phase x N on this machine, small, against float64",
         .experimentOptions = {"ranks", "backend"},
         .faults = true,
         .together = Together::Join,
         .examples = {"shardscope-engine selftest", "shardscope-engine selftest --ranks 2 --faults"},
         .start = selftest},
        {.name = "doctor",
         .summary = "cores, memory, libraries, ports and limits; each problem with cause and remedy",
         .formats = {Table, Json},
         .examples = {"shardscope-engine doctor", "shardscope-engine doctor --format json --output doctor.json"},
         .start = doctor},
        {.name = "show",
         .summary = "prints a saved run in any format, source 'recorded'",
         .formats = {Table, Json, Jsonl, Csv, Trace},
         .file = true,
         .examples = {"shardscope-engine show lecture.shardscope",
                      "shardscope-engine show lecture.shardscope --format trace --output trace.json"},
         .start = show},
        {.name = "serve",
         .summary = "reads commands on stdin, writes events on stdout, one JSON object a line; end of file quits",
         .together = Together::Alone,
         .examples =
             {"shardscope-engine serve < commands.jsonl",
              "echo '{\"command\":\"run\",\"id\":\"1\",\"experiment\":{\"ranks\":\"2\"}}' | shardscope-engine serve"},
         .start = serve},
    };
    return all;
}

int runCommandLine(const std::vector<std::string> &words)
{
    reserveStandardStreams();
    endWhenInterrupted();
    try {
        return dispatch(words);
    } catch (const Failure &failure) {
        complain(failure.line);
        return failure.code;
    } catch (const std::exception &error) {
        complain(std::string("unexpected: ") + error.what());
        return kFailed;
    }
}

} // namespace shardscope::cli
