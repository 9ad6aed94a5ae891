#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the README's picture of the window again, by the program's own export.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[ -x build/release/bin/shardscope ] || { echo "picture.sh: build first: packaging/run.sh" >&2; exit 2; }
mkdir -p resources/pictures
build/release/bin/shardscope --export window --output resources/pictures/window.png --size 1920x1080 --scheme block --ranks 4 --hidden 1024 --step 10 --at 0.6
