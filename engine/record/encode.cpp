// SPDX-License-Identifier: MIT
#include "engine/record/codec.h"
#include "engine/record/line_writer.h"

namespace shardscope {
namespace {

constexpr std::size_t kUsualLineBytes = 192;

template <typename E>
void write(std::string &line, const E &event)
{
    LineWriter fields(line);
    fields.required("kind", kKind<E>);
    describe(fields, event);
    fields.end();
}

std::string_view commandName(const Command &command)
{
    constexpr std::array<std::string_view, 4> kNames{"run", "cancel", "quit", "measure"};
    static_assert(std::variant_size_v<Command> == kNames.size());
    return kNames[command.index()];
}

void writeFields(LineWriter &fields, const RunCommand &command)
{
    fields.required("id", command.id);
    fields.required("experiment", command.experiment);
    fields.optional("budget_seconds", command.budgetSeconds);
}

void writeFields(LineWriter &fields, const MeasureCommand &command)
{
    fields.required("id", command.id);
    fields.required("ranks", command.ranks);
    fields.required("dtype", command.dtype);
    fields.required("backend", command.backend);
}

void writeFields(LineWriter &fields, const CancelCommand &command)
{
    fields.optional("id", command.id);
}

void writeFields(LineWriter &, const QuitCommand &) {}

} // namespace

std::string encode(const Event &event)
{
    std::string line;
    line.reserve(kUsualLineBytes);
    std::visit([&line](const auto &known) { write(line, known); }, event);
    line += '\n';
    return line;
}

std::string encode(const Command &command)
{
    std::string line;
    LineWriter fields(line);
    fields.required("command", commandName(command));
    std::visit([&fields](const auto &known) { writeFields(fields, known); }, command);
    fields.end();
    line += '\n';
    return line;
}

} // namespace shardscope
