#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Sets up, builds and starts Shardscope; arguments go to it. Without a display it prints the comparison of training and
# inference and writes the three pictures to build/pictures.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packaging/setup.sh
mkdir -p build
cmake --preset release > build/configure.log 2>&1 || { cat build/configure.log >&2; exit 4; }
cmake --build --preset release --target shardscope shardscope-engine shardscope-rank-host

programs=build/release/bin
if [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ]; then
    exec "$programs/shardscope" "$@"
fi

"$programs/shardscope-engine" compare "$@"
mkdir -p build/pictures
for view in diagram timeline comparison; do
    "$programs/shardscope" --export "$view" --output "build/pictures/$view.png" "$@"
done
echo "No display: pictures written to build/pictures/{diagram,timeline,comparison}.png"
echo "Each is a run of its own, so its times differ from the table's as times do from run to run."
