// SPDX-License-Identifier: MIT
#include "engine/simulate/preset_reading.h"

#include <cmath>

namespace shardscope::presets {

void requireSchema(const json &file)
{
    if (!file.is_object())
        throw BadKey{"schema", "missing"};
    if (number(file, "schema") != 1)
        throw BadKey{"schema", "this version reads 1"};
}

const json &required(const json &object, std::string_view key)
{
    const auto found = object.find(key);
    if (found == object.end())
        throw BadKey{std::string(key), "missing"};
    return *found;
}

std::string word(const json &object, const std::string &key)
{
    const json &value = required(object, key);
    if (!value.is_string())
        throw BadKey{key, "must be a string"};
    return value.get<std::string>();
}

double number(const json &object, const std::string &key, bool zeroAllowed)
{
    const json &value = required(object, key);
    const double result = value.is_number() ? value.get<double>() : -1;
    if (!std::isfinite(result) || result < 0 || (result == 0 && !zeroAllowed))
        throw BadKey{key, zeroAllowed ? "must be a number, 0 or more" : "must be a positive number"};
    return result;
}

int count(const json &object, const std::string &key, int least)
{
    constexpr double kMost = 1 << 20;
    const double value = number(object, key, least == 0);
    if (value != std::floor(value) || value < least || value > kMost)
        throw BadKey{key, "must be a whole number"};
    return static_cast<int>(value);
}

bool truth(const json &object, const std::string &key)
{
    const json &value = required(object, key);
    if (!value.is_boolean())
        throw BadKey{key, "must be true or false"};
    return value.get<bool>();
}

std::vector<std::string> sources(const json &file)
{
    const json &list = required(file, "sources");
    if (!list.is_array())
        throw BadKey{"sources", "must be a list of strings"};
    std::vector<std::string> all;
    for (const json &source : list) {
        if (!source.is_string())
            throw BadKey{"sources", "must be a list of strings"};
        all.push_back(source.get<std::string>());
    }
    return all;
}

} // namespace shardscope::presets
