// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
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

/// A sentence as a value: an id and its arguments. In the text `{0}` stands for the first of them, `{0#rank|ranks}` for
/// the word that fits it as a number (a language with three forms, as Russian, lists three), and `{0:a}` for it with
/// its indefinite article.
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

/// The one of "rank|ranks" that goes with that number: of two forms as in English, of three as in Russian (1, 2, 5).
[[nodiscard]] std::string_view pluralForm(std::string_view forms, std::int64_t count);

/// "1 rank", "4 ranks", for forms as above.
[[nodiscard]] std::string counted(std::int64_t count, std::string_view forms);

/// "a tree", "an all_gather": by the first letter, which is enough for the names that sentences are about.
[[nodiscard]] std::string withArticle(std::string_view word);

/// Replaces `{0}`, `{0#rank|ranks}`, `{0:a}`, ... in `pattern`; a placeholder without an argument stays as it is.
[[nodiscard]] std::string fillPlaceholders(std::string_view pattern, const std::vector<std::string> &args);

/// The English sentence.
[[nodiscard]] std::string english(const Text &text);

/// Appends a word to a list "a, b".
void addToList(std::string &list, std::string_view word);
[[nodiscard]] std::string commaList(const std::vector<std::string> &words);

} // namespace shardscope
