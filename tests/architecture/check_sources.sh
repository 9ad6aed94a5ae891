#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Holds the source tree against the rules that a compiler cannot see: arrows between folders run one way, foreign worlds
# stay out of the folders that must not know them, every file names its licence, and no file grows past 400 lines.
# usage: check_sources.sh ROOT
set -uo pipefail
cd "$1" || exit 2
failures=0

fail() {
    echo "$1"
    failures=$((failures + 1))
}

kinds=(--include='*.h' --include='*.cpp' --include='*.def')

# sources_of FOLDER COMMAND...: the command with the folder's files as arguments.
sources_of() {
    local folder=$1
    shift
    find "$folder" -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.def' \) -print0 2> /dev/null | sort -z | xargs -0r "$@"
}

# allow FOLDER PREFIX...: what the folder's files may include of ours.
allow() {
    local folder=$1 file line include prefix allowed
    shift
    while IFS=: read -r file line; do
        include=${line#*\"}
        include=${include%\"}
        allowed=false
        for prefix in "$@"; do
            case "$include" in "$prefix"*) allowed=true ;; esac
        done
        $allowed || fail "$file: includes $include; $folder may include: $*"
    done < <(grep -roE "${kinds[@]}" '^#include "(engine|ui|app|tests)/[^"]+"' "$folder" 2> /dev/null | sort)
}

# forbid FOLDER PATTERN WHY: no file of the folder includes <PATTERN>.
forbid() {
    local line
    while read -r line; do
        fail "$line: $3"
    done < <(grep -rnE "${kinds[@]}" "^#include [<\"]($2)" "$1" 2> /dev/null | sort)
}

allow engine/plan engine/plan/
allow engine/record engine/plan/ engine/record/
allow engine/simulate engine/plan/ engine/record/ engine/simulate/
allow engine/runtime engine/plan/ engine/record/ engine/runtime/
allow engine/cuda engine/plan/ engine/record/ engine/runtime/ engine/cuda/
allow engine/supervise engine/plan/ engine/record/ engine/supervise/
allow engine/cli engine/plan/ engine/record/ engine/simulate/ engine/supervise/ engine/cli/
allow engine/host engine/plan/ engine/record/ engine/simulate/ engine/runtime/ engine/cuda/ engine/supervise/ engine/host/
allow ui engine/plan/ engine/record/ engine/simulate/ ui/
# The signals of an export are noted by supervise, for main.cpp to ask; that header names nothing of POSIX.
allow app engine/plan/ engine/record/ engine/simulate/ engine/supervise/interrupt_flag.h ui/ app/

torch='torch/|ATen/|c10/|gloo/'
qt='Q[A-Za-z]|qcustomplot'
posix='unistd\.h|sys/|fcntl\.h|poll\.h|signal\.h|csignal|dlfcn\.h|sched\.h|pthread\.h|spawn\.h'
forbid engine "$qt" "engine knows no Qt"
for folder in engine/plan engine/record engine/simulate engine/supervise engine/cli ui app; do
    forbid "$folder" "$torch" "LibTorch stays in engine/runtime, engine/cuda and engine/host"
done
for folder in engine/plan engine/record engine/simulate ui app; do
    forbid "$folder" "$posix" "POSIX stays in engine/supervise, engine/runtime, engine/cuda and engine/host"
done
for folder in engine/plan engine/record engine/simulate engine/supervise engine/cli engine/runtime ui app; do
    forbid "$folder" 'cuda_runtime|nccl\.h' "CUDA and NCCL stay in engine/cuda"
done
forbid engine/plan 'nlohmann/|simdjson' "plan uses the standard library alone"
forbid ui 'QProcess|QSettings' "processes and settings are the app's"

licence_and_length='
    function check() {
        if (name != "" && !licence) print name ": no SPDX licence line"
        if (lines > 400) print name ": " lines " lines; at most 400"
    }
    FNR == 1 { check(); name = FILENAME; licence = 0 }
    FNR <= 2 && /SPDX-License-Identifier: / { licence = 1 }
    { lines = FNR }
    END { check() }'
while read -r line; do
    fail "$line"
done < <(for folder in engine ui app tests; do sources_of "$folder" awk "$licence_and_length"; done)
while read -r file; do
    fail "$file: engine is MIT"
done < <(sources_of engine grep -L 'SPDX-License-Identifier: MIT')
for folder in ui app; do
    while read -r file; do
        fail "$file: $folder is GPL-3.0-or-later"
    done < <(sources_of "$folder" grep -L 'SPDX-License-Identifier: GPL-3.0-or-later')
done

[ "$failures" -eq 0 ] || { echo "$failures rule(s) broken"; exit 1; }
