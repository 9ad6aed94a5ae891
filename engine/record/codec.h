// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/expected.h"
#include "engine/record/event.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace shardscope {

/// One event as a JSON line, '\n' included. Numbers are never NaN or Inf and do not depend on the locale.
[[nodiscard]] std::string encode(const Event &event);

/// Reads a stream in pieces of any size. Unknown kinds and fields are skipped, a newer major version is refused, a bad
/// line is reported with its number and the rest is read on; a last line without its end is kept back (`finish`).
class Decoder
{
public:
    Decoder();
    ~Decoder();
    Decoder(Decoder &&) noexcept;
    Decoder &operator=(Decoder &&) noexcept;

    using OnEvent = std::function<void(Event &&)>;
    using OnProblem = std::function<void(int line, const Text &problem)>;

    /// Decodes every whole line in what has arrived so far.
    void feed(std::string_view bytes, const OnEvent &onEvent, const OnProblem &onProblem);
    /// End of the stream: a line that was cut off is reported, never half-read.
    void finish(const OnProblem &onProblem);
    /// Number of the line decoded last, 1-based.
    [[nodiscard]] int line() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

// The commands that `serve` reads on stdin.

struct RunCommand {
    std::string id;
    OptionValues experiment;
    double budgetSeconds = 0; ///< > 0: fewer timed steps (at least 3) so that they end within it
};
struct CancelCommand {
    std::string id; ///< of the command to end, whether it runs or waits; empty: all
};
struct QuitCommand {
};
struct MeasureCommand {
    std::string id;
    int ranks = 2;
    DType dtype = DType::F32;
    Backend backend = Backend::Auto;
};
using Command = std::variant<RunCommand, CancelCommand, QuitCommand, MeasureCommand>;

[[nodiscard]] std::string encode(const Command &command);
[[nodiscard]] Expected<Command> decodeCommand(std::string_view line);

} // namespace shardscope
