#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds `release` and writes build/bench.json. Each bench_* program prints one result a line; ratios are measured side
# by side in one run, because single times on a busy machine mean little. Arguments: names of the bench_* programs to
# run; none: all. Exit 0 whether goals are met or not: the file says so.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packaging/setup.sh
cmake --preset release
cmake --build --preset release

json_string() { sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&"/' <<< "$1"; }

programs=("$@")
if [ ${#programs[@]} -eq 0 ]; then
    mapfile -t programs < <(find build/release/bin -name 'bench_*' -type f -perm -u+x -printf '%f\n' | sort)
fi

results=build/bench.results
: > "$results"
for program in "${programs[@]}"; do
    echo "bench.sh: $program" >&2
    # What is not a result (Qt's warnings, say) goes to the terminal, not into the file.
    QT_QPA_PLATFORM=offscreen "build/release/bin/$program" | tee >(grep -v '^{' >&2 || true) | grep '^{' >> "$results" ||
        { echo "bench.sh: $program failed" >&2; exit 4; }
done

cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
system=$(. /etc/os-release && echo "$PRETTY_NAME")
memory=$(LC_ALL=C awk '/^MemTotal/ { printf "%.0f", $2 * 1024 }' /proc/meminfo)
{
    echo '{ "schema": 1,'
    echo "  \"machine\": { \"cpu\": $(json_string "$cpu"), \"cores\": $(nproc), \"memory_bytes\": $memory, \"system\": $(json_string "$system") },"
    echo '  "results": ['
    sed -e 's/^/    /' -e '$!s/$/,/' "$results"
    echo '  ] }'
} > build/bench.json.new
mv build/bench.json.new build/bench.json
rm -f "$results"
echo "bench.sh: build/bench.json" >&2
cat build/bench.json
