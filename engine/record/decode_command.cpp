// SPDX-License-Identifier: MIT
#include "engine/record/codec.h"
#include "engine/record/line_reader.h"

namespace shardscope {
namespace {

template <typename C>
Expected<Command> finished(const LineReader &fields, C command)
{
    if (!fields.problem())
        return Command{std::move(command)};
    Text problem = *fields.problem();
    if (problem.id == TextId::StreamFieldMissing)
        problem.args.emplace_back("given");
    problem.id = TextId::CommandFieldBad;
    return problem;
}

Expected<Command> readRun(LineReader &fields)
{
    RunCommand command;
    fields.optional("id", command.id); // answers carry it as it came: a text
    fields.required("experiment", command.experiment);
    fields.optional("budget_seconds", command.budgetSeconds);
    return finished(fields, std::move(command));
}

Expected<Command> readMeasure(LineReader &fields)
{
    MeasureCommand command;
    fields.optional("id", command.id);
    fields.optional("ranks", command.ranks, command.ranks);
    fields.optional("dtype", command.dtype);
    fields.optional("backend", command.backend);
    if (!fields.problem() && command.ranks < 1)
        return Text{TextId::CommandFieldBad, {"measure", "ranks", "at least 1"}};
    return finished(fields, std::move(command));
}

Expected<Command> readCancel(LineReader &fields)
{
    CancelCommand command;
    fields.optional("id", command.id);
    return finished(fields, std::move(command));
}

} // namespace

Expected<Command> decodeCommand(std::string_view line)
{
    simdjson::dom::parser parser;
    simdjson::dom::object object;
    if (const auto error = parser.parse(line.data(), line.size()).get(object))
        return Text{TextId::StreamLineNotJson, {simdjson::error_message(error)}};
    std::string_view word;
    if (const auto error = object["command"].get(word))
        return Text{TextId::StreamFieldMissing, {"line", "command"}};
    LineReader fields(object, word);
    if (word == "run")
        return readRun(fields);
    if (word == "measure")
        return readMeasure(fields);
    if (word == "cancel")
        return readCancel(fields);
    if (word == "quit")
        return Command{QuitCommand{}};
    return Text{TextId::CommandUnknown, {std::string(word)}};
}

} // namespace shardscope
