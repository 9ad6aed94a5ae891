// SPDX-License-Identifier: MIT
#include "engine/record/codec.h"
#include "engine/record/line_reader.h"

#include <algorithm>

namespace shardscope {
namespace {

/// No line of ours comes near; a stream without line ends must not fill the memory.
constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20;
/// What has arrived is taken in pieces, so that the buffer stays in the cache however large a file is.
constexpr std::size_t kPieceBytes = std::size_t{1} << 18;

/// The event of that kind, or nothing when this version does not know the kind.
template <std::size_t... I>
bool readKind(std::string_view kind, LineReader &fields, Event &event, std::index_sequence<I...>)
{
    const auto tryKind = [&]<typename E>(std::type_identity<E>) {
        if (kKind<E> != kind)
            return false;
        describe(fields, event.emplace<E>());
        return true;
    };
    return (tryKind(std::type_identity<std::variant_alternative_t<I, Event>>{}) || ...);
}

bool isBlank(std::string_view line)
{
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

} // namespace

struct Decoder::State {
    simdjson::dom::parser parser;
    std::string pending;      ///< bytes of the line that has no end yet, and what arrived behind it
    std::size_t searched = 0; ///< no line end before this position of `pending`
    int line = 0;             ///< lines seen so far
    bool tooLong = false;     ///< the rest of an over-long line is being skipped
    bool refused = false;     ///< written by a newer version: nothing is read up to the next hello

    std::optional<Text> decodeLine(std::string_view line, const OnEvent &onEvent);
    std::optional<Text> decodeObject(simdjson::dom::object object, const OnEvent &onEvent);
    std::optional<Text> checkVersion(LineReader &fields);
    void takeWholeLines(const OnEvent &onEvent, const OnProblem &onProblem);
    void limitPending(const OnProblem &onProblem);
};

Decoder::Decoder() : m_state(std::make_unique<State>()) {}
Decoder::~Decoder() = default;
Decoder::Decoder(Decoder &&) noexcept = default;
Decoder &Decoder::operator=(Decoder &&) noexcept = default;

int Decoder::line() const
{
    return m_state->line;
}

void Decoder::feed(std::string_view bytes, const OnEvent &onEvent, const OnProblem &onProblem)
{
    while (!bytes.empty()) {
        const std::string_view piece = bytes.substr(0, kPieceBytes);
        bytes.remove_prefix(piece.size());
        m_state->pending.append(piece);
        // simdjson reads up to that many bytes behind a line.
        m_state->pending.reserve(m_state->pending.size() + simdjson::SIMDJSON_PADDING);
        m_state->takeWholeLines(onEvent, onProblem);
        m_state->limitPending(onProblem);
    }
}

void Decoder::finish(const OnProblem &onProblem)
{
    State &state = *m_state;
    // The beginning of an over-long line was reported when it got too long.
    if (!isBlank(state.pending) && !state.tooLong)
        onProblem(state.line + 1, {TextId::StreamLineCutOff, {std::to_string(state.pending.size())}});
    state.pending.clear();
    state.searched = 0;
    state.tooLong = false;
}

void Decoder::State::takeWholeLines(const OnEvent &onEvent, const OnProblem &onProblem)
{
    std::size_t begin = 0;
    for (;;) {
        const std::size_t end = pending.find('\n', std::max(begin, searched));
        if (end == std::string::npos)
            break;
        ++line;
        const std::string_view text = std::string_view(pending).substr(begin, end - begin);
        if (!tooLong && !isBlank(text)) {
            if (const auto problem = decodeLine(text, onEvent))
                onProblem(line, *problem);
        }
        tooLong = false;
        begin = end + 1;
    }
    pending.erase(0, begin);
    searched = pending.size();
}

void Decoder::State::limitPending(const OnProblem &onProblem)
{
    if (pending.size() <= kMaxLineBytes && !tooLong)
        return;
    if (!tooLong)
        onProblem(line + 1, {TextId::StreamLineTooLong, {std::to_string(kMaxLineBytes >> 20)}});
    tooLong = true;
    pending.clear();
    searched = 0;
}

std::optional<Text> Decoder::State::decodeLine(std::string_view text, const OnEvent &onEvent)
{
    simdjson::dom::element root;
    // The buffer is ours and padded, so the parser need not copy the line.
    if (const auto error = parser.parse(text.data(), text.size(), false).get(root))
        return Text{TextId::StreamLineNotJson, {simdjson::error_message(error)}};
    simdjson::dom::object object;
    if (const auto error = root.get(object))
        return Text{TextId::StreamLineNotJson, {simdjson::error_message(error)}};
    return decodeObject(object, onEvent);
}

std::optional<Text> Decoder::State::decodeObject(simdjson::dom::object object, const OnEvent &onEvent)
{
    LineReader head(object, "line");
    std::string_view kind;
    const auto element = head.find("kind");
    if (!element)
        return Text{TextId::StreamFieldMissing, {"line", "kind"}};
    if (element->get(kind))
        return Text{TextId::StreamFieldBad, {"line", "kind", "a text in quotes"}};
    if (kind == kKind<HelloEvent>) {
        if (const auto problem = checkVersion(head))
            return problem;
    }
    if (refused)
        return std::nullopt;

    LineReader fields(object, kind);
    Event event;
    if (!readKind(kind, fields, event, std::make_index_sequence<std::variant_size_v<Event>>{}))
        return std::nullopt; // a kind that a newer minor version added
    if (fields.problem())
        return fields.problem();
    onEvent(std::move(event));
    return std::nullopt;
}

std::optional<Text> Decoder::State::checkVersion(LineReader &fields)
{
    // Read before all else: a newer major version may have changed every other field.
    int major = 0;
    fields.required("protocol", major);
    refused = !fields.problem() && major > kProtocolMajor;
    if (refused)
        return Text{TextId::StreamNewer, {std::to_string(major), std::to_string(kProtocolMajor)}};
    return fields.problem();
}

} // namespace shardscope
