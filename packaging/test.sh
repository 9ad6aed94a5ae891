#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Sets up, builds `dev` and runs all tests, once in the C locale and once where the decimal point is a comma.
# Arguments go to ctest.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packaging/setup.sh
cmake --preset dev
cmake --build --preset dev
# What computes, draws or provokes faults without a number as text needs no second locale; the tests that end in _de set
# that locale themselves.
one_locale='^(cli_schemes|cli_faults|cli_gpu|real_.*|faults|host_process|remote.*|ssh_end|runtime_ranks|x_server|diagram_layout|diagram_schemes|.*_de)$'
# More than there are cores: many of the tests wait for processes and for deadlines.
LC_ALL=de_DE.UTF-8 ctest --preset dev -j 3 -LE numbers -E "$one_locale" "$@"
LC_ALL=C.UTF-8 ctest --preset dev -j 3 "$@"
