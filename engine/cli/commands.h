// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/arguments.h"

#include <string>
#include <vector>

namespace shardscope::cli {

// The subcommands; each gives the exit status or throws Failure.

int run(const Arguments &arguments);
int compare(const Arguments &arguments);
int sweep(const Arguments &arguments);
int plan(const Arguments &arguments);
int predict(const Arguments &arguments);
int memory(const Arguments &arguments);
int advise(const Arguments &arguments);
int bandwidth(const Arguments &arguments);
int selftest(const Arguments &arguments);
int doctor(const Arguments &arguments);
int show(const Arguments &arguments);
int serve(const Arguments &arguments);
/// predict --hardware list
int listHardware(const Arguments &arguments);

/// The whole program: finds the subcommand, prints help, turns a Failure into its line and status.
int runCommandLine(const std::vector<std::string> &words);

} // namespace shardscope::cli
