// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/event.h"

#include <stdexcept>

namespace shardscope {

/// A failure whose cause and remedy are known where it is found.
struct ToldFailure : std::runtime_error {
    ToldFailure(int rank, Text text, TextId remedy, const std::string &detail = {})
        : std::runtime_error(english(text)), message{.level = MessageEvent::Level::Error,
                                                     .rank = rank,
                                                     .text = std::move(text),
                                                     .remedy = {remedy, {}},
                                                     .detail = detail}
    {
    }
    explicit ToldFailure(MessageEvent told) : std::runtime_error(english(told.text)), message(std::move(told)) {}
    MessageEvent message;
};

} // namespace shardscope
