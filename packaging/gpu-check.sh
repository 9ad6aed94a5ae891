#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the engine on a machine with a GPU and shows there that it works: self-test, faults, bandwidths, comparison,
# benchmark. Needs a driver, the CUDA toolkit, CMake, ninja, g++ and a python3 that has torch with CUDA; no Qt, no network.
# What such a machine lacks is gathered beforehand, on a Debian machine, by `gpu-check.sh --pack`.
#
# Writes one folder ($OUT, or build/gpu-check): summary.txt with one line PASS, FAIL or SKIP for each step, log.txt,
# doctor.txt, bandwidth.txt, bench.txt and runs.tar.gz with the run files. Exit 0 when every step passed, 1 when one did
# not, 2 for bad arguments.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

all_steps=(build doctor selftest-1 selftest-2 selftest-4 faults bandwidth compare watch runs bench)
pack=${SHARDSCOPE_PACK:-build/gpu-pack}
out=${OUT:-build/gpu-check}
build=build/gpu

usage() {
    echo "usage: packaging/gpu-check.sh [STEP ...]"
    echo "       packaging/gpu-check.sh --pack"
    echo "  STEP    some of the steps only (doctor and what follows need build): ${all_steps[*]}"
    echo "  --pack  gathers the libraries that the engine needs into $pack, for a machine without them"
}

steps=()
for word in "$@"; do
    case "$word" in
        -h | --help) usage; exit 0 ;;
        --pack) [ $# -eq 1 ] || { echo "gpu-check.sh: --pack stands alone" >&2; exit 2; }; exec packaging/gpu-pack.sh "$pack" ;;
        *)
            [[ " ${all_steps[*]} " == *" $word "* ]] || { echo "gpu-check.sh: $word: no such step; allowed: --pack or ${all_steps[*]}" >&2; exit 2; }
            steps+=("$word")
            ;;
    esac
done
[ ${#steps[@]} -gt 0 ] || steps=("${all_steps[@]}")

mkdir -p "$out" build
runs=$(mktemp -d)
: > "$out/summary.txt"
: > "$out/log.txt"
engine=$build/bin/shardscope-engine
failed=0

say() { echo "$*" | tee -a "$out/summary.txt" "$out/log.txt"; }

finish() {
    local status=$?
    [ -z "$(ls "$runs")" ] || tar -czf "$out/runs.tar.gz" -C "$runs" .
    rm -rf "$runs"
    [ $status -eq 0 ] || failed=1
    if [ $failed -eq 0 ]; then say "gpu-check.sh: all passed"; else say "gpu-check.sh: NOT all passed"; fi
    exit $failed
}
trap finish EXIT

# step NAME SECONDS COMMAND...: runs it with a deadline; its output goes to the log, its end to the summary.
step() {
    local name=$1 limit=$2 begin=$SECONDS status=0
    shift 2
    [[ " ${steps[*]} " == *" ${name%%:*} "* ]] || return 0
    echo "== $name: $*" >> "$out/log.txt"
    timeout --kill-after=5 "$limit" "$@" >> "$out/log.txt" 2>&1 || status=$?
    case $status in
        0) say "PASS $name ($((SECONDS - begin)) s)"; return 0 ;;
        124 | 137) say "FAIL $name: not done after $limit s: $*" ;;
        *) say "FAIL $name: exit $status: $*: $(tail -n 1 "$out/log.txt")" ;;
    esac
    failed=1
    return $status
}

# Where torch lies, without importing it, which takes long.
torch_folder() {
    python3 -c 'import importlib.util as u; s = u.find_spec("torch"); print(s.submodule_search_locations[0] if s else "")'
}

configure_and_build() {
    local torch
    torch=$(torch_folder)
    [ -n "$torch" ] || { echo "python3 has no torch; needed: torch 2.11.0 with CUDA"; return 4; }
    # A build folder of another machine names other paths.
    cmake --fresh -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSHARDSCOPE_CUDA=ON -DSHARDSCOPE_GUI=OFF -DSHARDSCOPE_UNITY=ON \
        -DSHARDSCOPE_LIBTORCH="$torch" "-DCMAKE_PREFIX_PATH=$PWD/$pack" &&
        cmake --build "$build"
}

# A run kept as a file, named after its experiment.
keep() {
    local name=$1
    shift
    "$engine" run --backend cuda --format jsonl --output "$runs/$name.shardscope" "$@"
}

# A run of some seconds says what the GPUs are and how busy they become, and how long launches take.
watched() {
    local stream=$out/watch.jsonl
    : > "$stream"
    {
        echo '{"command":"run","id":"watched","experiment":{"scheme":"mlp","backend":"cuda","ranks":"2","hidden":"4096","steps":"1500"}}'
        until grep -q '"kind":"end"' "$stream"; do sleep 0.2; done
        echo '{"command":"quit"}'
    } | "$engine" serve > "$stream"
    grep -q '"kind":"topology".*"gpus":\[{' "$stream" || { echo "no topology with GPUs came"; return 3; }
    grep -q '"kind":"load".*"gpus":\[{.*"busy_percent":[1-9]' "$stream" || { echo "no load of a busy GPU came"; return 3; }
    grep -q '"launch_ns":[1-9]' "$stream" || { echo "no span says how long its launch took"; return 3; }
    grep -q '"kind":"carried"' "$stream" || { echo "NCCL has not said what carries its collectives"; return 3; }
    grep -v '"kind":"\(span\|iteration\|hop\)"' "$stream"
    rm "$stream"
}

kept_runs() {
    local dtype
    keep mlp-1-f32 --scheme mlp --ranks 1 --hidden 4096
    for dtype in f32 bf16; do
        keep "block-2-$dtype" --scheme block --ranks 2 --hidden 2048 --dtype "$dtype"
    done
    keep mlp-4-overlap --scheme mlp --ranks 4 --hidden 2048 --overlap on
    keep mlp-4-ring --scheme mlp --ranks 4 --hidden 2048 --algorithm ring
    keep zero3-2 --scheme zero3 --ranks 2 --hidden 2048
    keep pipeline-2 --scheme pipeline --ranks 2 --hidden 2048 --micro-batches 4
}

bandwidths() {
    "$engine" bandwidth --backend cuda --ranks 2 | tee "$out/bandwidth.txt"
}

doctor() {
    "$engine" doctor | tee "$out/doctor.txt"
}

benchmark() {
    local program found=false
    : > "$out/bench.txt"
    for program in "$build"/bin/bench_gpu*; do
        [ -x "$program" ] || continue
        found=true
        "$program" | tee -a "$out/bench.txt"
    done
    $found || { echo "this build has no GPU benchmark (bench_gpu*)"; return 4; }
    ! grep -q '"met": false' "$out/bench.txt" || { echo "a goal is not met, see bench.txt"; return 3; }
}

# timeout(1) starts programs, not functions.
export engine runs out build pack
export -f torch_folder configure_and_build keep kept_runs watched bandwidths doctor benchmark

say "gpu-check.sh: $(date -u +%Y-%m-%dT%H:%MZ), $(nproc) cores, $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2> /dev/null | head -n 1 || echo 'no nvidia-smi')"
# Four minutes on 16 cores are the goal; fewer cores take what they need.
build_limit=240
[ "$(nproc)" -ge 16 ] || build_limit=3600
step build $build_limit bash -euo pipefail -c configure_and_build || exit 1
[ -x "$engine" ] || { say "FAIL $engine is missing; the step build makes it"; exit 1; }
step doctor 60 bash -euo pipefail -c doctor || true

# Every step behind needs a GPU; one clear line is worth more than eight failures.
if ! reason=$("$engine" run --backend cuda --ranks 1 --hidden 64 --steps 1 --warmup 0 2>&1 > /dev/null); then
    say "FAIL no GPU: ${reason##*$'\n'}"
    exit 1
fi

for ranks in 1 2 4; do
    step "selftest-$ranks" 300 "$engine" selftest --backend cuda --ranks "$ranks" || true
done
step faults 120 "$engine" selftest --backend cuda --ranks 2 --faults || true
step bandwidth 120 bash -euo pipefail -c bandwidths || true
step compare 120 "$engine" compare --backend cuda --scheme mlp --ranks 2 --hidden 2048 || true
step watch 60 bash -euo pipefail -c watched || true
step runs 180 bash -euo pipefail -c kept_runs || true
step bench 180 bash -euo pipefail -c benchmark || true
