// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLatin1String>

namespace shardscope {

// What the window and shardscope-askpass agree on: the helper sends {"prompt": ..., "hint": ...} as one line and gets
// {"answer": ...} back, or sees the socket close, which is a no.

inline constexpr QLatin1String kAskpassProgram("shardscope-askpass");
inline constexpr QLatin1String kAskpassSocket("SHARDSCOPE_ASKPASS_SOCKET"); ///< of the environment
inline constexpr QLatin1String kPromptKey("prompt");
inline constexpr QLatin1String kHintKey("hint");
inline constexpr QLatin1String kAnswerKey("answer");

} // namespace shardscope
