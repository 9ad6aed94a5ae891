#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Breaks each rule of check_sources.sh once, in a tree of its own, and expects it to be named.
# usage: check_sources_can_fail.sh PATH_OF_check_sources.sh
set -euo pipefail
checker=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mit='// SPDX-License-Identifier: MIT'
gpl='// SPDX-License-Identifier: GPL-3.0-or-later'

# expect FILE LICENCE LINE NAMED: a file with that line must be refused with a message that contains NAMED.
expect() {
    rm -rf "$tree"/*
    mkdir -p "$tree/$(dirname "$1")"
    printf '%s\n%s\n' "$2" "$3" > "$tree/$1"
    if output=$(bash "$checker" "$tree"); then
        echo "not noticed: $1 with $3"
        exit 1
    fi
    grep -qF "$4" <<< "$output" || { echo "noticed, but not named: $1: $output"; exit 1; }
}

mkdir -p "$tree/engine/plan"
printf '%s\n' "$mit" > "$tree/engine/plan/a.h"
bash "$checker" "$tree"
expect engine/plan/a.h "$mit" '#include "engine/record/run.h"' 'may include: engine/plan/'
expect engine/runtime/a.h "$mit" '#include "engine/supervise/zygote.h"' 'includes engine/supervise'
expect ui/a.h "$gpl" '#include "app/session.h"' 'includes app/session.h'
expect engine/record/a.h "$mit" '#include <QString>' 'engine knows no Qt'
expect engine/cli/a.h "$mit" '#include <ATen/ATen.h>' 'LibTorch stays'
expect app/a.h "$gpl" '#include <unistd.h>' 'POSIX stays'
expect engine/runtime/a.h "$mit" '#include <nccl.h>' 'CUDA and NCCL stay'
expect engine/cuda/a.h "$mit" '#include "engine/supervise/zygote.h"' 'includes engine/supervise'
expect ui/a.h "$gpl" '#include <QSettings>' "are the app's"
expect engine/plan/a.h 'int licence;' '' 'no SPDX licence line'
expect app/a.h "$mit" '' 'app is GPL-3.0-or-later'
expect engine/plan/a.h "$mit" "$(seq -f '// %g' 401)" 'at most 400'
