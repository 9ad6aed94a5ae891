// SPDX-License-Identifier: MIT
#include "engine/supervise/kernel_file.h"

#include "engine/supervise/tabbed_fields.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace shardscope {

std::string textOf(std::istream &file)
{
    std::ostringstream text;
    text << file.rdbuf(); // keeps what a throwing buffer has given
    return text.str();
}

std::string kernelFile(const std::string &path)
{
    std::ifstream file(path);
    return textOf(file);
}

std::int64_t leadingNumber(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    return numberOf<std::int64_t>(text, 0);
}

std::string_view valueOf(std::string_view text, std::string_view key)
{
    const std::size_t at = text.find(key);
    if (at == std::string_view::npos)
        return {};
    const std::string_view rest = text.substr(at + key.size());
    return rest.substr(0, rest.find('\n'));
}

} // namespace shardscope
