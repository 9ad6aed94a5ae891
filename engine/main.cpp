// SPDX-License-Identifier: MIT
#include "engine/cli/commands.h"

int main(int argc, char **argv)
{
    return shardscope::cli::runCommandLine({argv + 1, argv + argc});
}
