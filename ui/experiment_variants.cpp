// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment_variants.h"

namespace shardscope {

Expected<Experiment> readVariant(const Experiment &experiment, const OptionValues &changes)
{
    OptionValues values = allOptions(experiment);
    if (changes.contains("ranks")) {
        values.erase("mesh");
        values.erase("delay");
    }
    for (const auto &[option, value] : changes)
        values[option] = value;
    return readExperiment(values, Unused::Allow);
}

std::optional<Experiment> variantOf(const Experiment &experiment, const OptionValues &changes)
{
    const Expected<Experiment> read = readVariant(experiment, changes);
    return read ? std::optional<Experiment>(*read) : std::nullopt;
}

} // namespace shardscope
