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

sources_of() { find "$1" -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.def' \) 2> /dev/null | sort; }

# allow FOLDER PREFIX...: what the folder's files may include of ours.
allow() {
    local folder=$1 file include prefix allowed
    shift
    while read -r file; do
        while read -r include; do
            allowed=false
            for prefix in "$@"; do
                case "$include" in "$prefix"*) allowed=true ;; esac
            done
            $allowed || fail "$file: includes $include; $folder may include: $*"
        done < <(grep -oE '^#include "(engine|ui|app|tests)/[^"]+"' "$file" | sed -E 's/.*"(.*)"/\1/')
    done < <(sources_of "$folder")
}

# forbid FOLDER PATTERN WHY: no file of the folder includes <PATTERN>.
forbid() {
    local file line
    while read -r file; do
        while read -r line; do
            fail "$file: $line: $3"
        done < <(grep -nE "^#include [<\"]($2)" "$file")
    done < <(sources_of "$1")
}

allow engine/plan engine/plan/
allow engine/record engine/plan/ engine/record/
allow engine/simulate engine/plan/ engine/record/ engine/simulate/
allow engine/runtime engine/plan/ engine/record/ engine/runtime/
allow engine/supervise engine/plan/ engine/record/ engine/supervise/
allow engine/cli engine/plan/ engine/record/ engine/simulate/ engine/supervise/ engine/cli/
allow engine/host engine/plan/ engine/record/ engine/simulate/ engine/runtime/ engine/supervise/ engine/host/
allow ui engine/plan/ engine/record/ engine/simulate/ ui/
allow app engine/plan/ engine/record/ engine/simulate/ ui/ app/

torch='torch/|ATen/|c10/|gloo/'
qt='Q[A-Za-z]|qcustomplot'
posix='unistd\.h|sys/|fcntl\.h|poll\.h|signal\.h|csignal|dlfcn\.h|sched\.h|pthread\.h|spawn\.h'
forbid engine "$qt" "engine knows no Qt"
for folder in engine/plan engine/record engine/simulate engine/supervise engine/cli ui app; do
    forbid "$folder" "$torch" "LibTorch stays in engine/runtime and engine/host"
done
for folder in engine/plan engine/record engine/simulate ui app; do
    forbid "$folder" "$posix" "POSIX stays in engine/supervise, engine/runtime and engine/host"
done
forbid engine/plan 'nlohmann/|simdjson' "plan uses the standard library alone"
forbid ui 'QProcess|QSettings' "processes and settings are the app's"

for folder in engine ui app tests; do
    while read -r file; do
        head -n 2 "$file" | grep -q 'SPDX-License-Identifier: ' || fail "$file: no SPDX licence line"
        lines=$(wc -l < "$file")
        [ "$lines" -le 400 ] || fail "$file: $lines lines; at most 400"
    done < <(sources_of "$folder")
done
while read -r file; do
    grep -q 'SPDX-License-Identifier: MIT' "$file" || fail "$file: engine is MIT"
done < <(sources_of engine)
for folder in ui app; do
    while read -r file; do
        grep -q 'SPDX-License-Identifier: GPL-3.0-or-later' "$file" || fail "$file: $folder is GPL-3.0-or-later"
    done < <(sources_of "$folder")
done

[ "$failures" -eq 0 ] || { echo "$failures rule(s) broken"; exit 1; }
