// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

namespace shardscope {

/// The JSON document that shardscope-engine, which lies beside this program, prints for `arguments`; a discarded one
/// where it failed.
inline nlohmann::json engineDocument(const std::string &arguments)
{
    const auto engine = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "shardscope-engine";
    std::string output;
    FILE *pipe = popen(("'" + engine.string() + "' " + arguments + " --format json").c_str(), "r");
    if (!pipe)
        return nlohmann::json::parse("", nullptr, false);
    std::array<char, 4096> buffer{};
    while (const std::size_t count = fread(buffer.data(), 1, buffer.size(), pipe))
        output.append(buffer.data(), count);
    return nlohmann::json::parse(pclose(pipe) == 0 ? output : std::string(), nullptr, false);
}

} // namespace shardscope
