// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

/// Every sentence that both the command line and the window can show, as an id. The English text of each id stands in
/// `engine/plan/texts/*.def`; translations live in `resources/`.
enum class TextId {
#ifndef Q_MOC_RUN // Qt's moc cannot read an #include inside an enum
#define SHARDSCOPE_TEXT(id, english) id,
#include "engine/plan/texts/all.def"
#undef SHARDSCOPE_TEXT
#endif
};

/// A sentence as a value: an id and its arguments (`{0}`, `{1}`, ... in the text).
struct Text {
    TextId id = TextId::NoReason;
    std::vector<std::string> args;

    bool operator==(const Text &) const = default;
};

/// The name of an id as written in the `.def` files, "RowPartialSum".
[[nodiscard]] std::string_view textName(TextId id);

/// The id with that name; false when there is none.
[[nodiscard]] bool textIdFromName(std::string_view name, TextId &id);

/// The English template of an id, placeholders unresolved.
[[nodiscard]] std::string_view englishTemplate(TextId id);

/// All ids, in declaration order.
[[nodiscard]] const std::vector<TextId> &allTextIds();

/// Replaces `{0}`, `{1}`, ... in `pattern`; a placeholder without an argument stays as it is.
[[nodiscard]] std::string fillPlaceholders(std::string_view pattern, const std::vector<std::string> &args);

/// The English sentence.
[[nodiscard]] std::string english(const Text &text);

} // namespace shardscope
