// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nice_step.h"

#include <cmath>

namespace shardscope {

double niceStep(double smallest)
{
    const double power = std::pow(10, std::floor(std::log10(smallest)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        // The tolerance keeps 0.3/0.1 = 2.9999 from choosing the next larger step.
        if (factor * power >= smallest * (1 - 1e-9))
            return factor * power;
    }
    return 10 * power;
}

} // namespace shardscope
