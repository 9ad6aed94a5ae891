// SPDX-License-Identifier: MIT
#include "engine/supervise/kernel_file.h"

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

} // namespace shardscope
