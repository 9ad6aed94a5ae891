#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Puts the CUDA LibTorch and those of its libraries that the machine's CUDA toolkit lacks (cuda-wheels.txt) into the
# virtual environment build/cuda-venv, and the link build/cuda-venv/torch to LibTorch's folder in it. Where they are
# there already it does nothing and needs no network. Where wheels come from is pip's own configuration.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

environment=build/cuda-venv
stamp=$environment/shardscope-wheels

toolkit=
for folder in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda; do
    if [ -n "$folder" ] && [ -e "$folder/include/cuda_runtime_api.h" ]; then
        toolkit=$folder
        break
    fi
done

# Whether the toolkit has every file named; never true for none.
in_toolkit() {
    [ -n "$toolkit" ] && [ $# -gt 0 ] || return 1
    local file
    for file in "$@"; do
        [ -e "$toolkit/$file" ] || [ -e "$toolkit/${file/#lib\//lib64/}" ] || return 1
    done
}

wheels=()
while read -r wheel files; do
    case "$wheel" in '' | '#'*) continue ;; esac
    # shellcheck disable=SC2086 # a list of files
    in_toolkit $files || wheels+=("$wheel")
done < packaging/cuda-wheels.txt

python=$(command -v python3 || true)
[ -n "$python" ] || { echo "cuda-venv.sh: no python3 found; needed to unpack the CUDA LibTorch: apt-get install python3 python3-venv" >&2; exit 4; }
wanted="$("$python" --version) ${wheels[*]}"

if [ -e "$environment/torch/lib/libtorch_cuda.so" ] && [ "$(cat "$stamp" 2> /dev/null)" = "$wanted" ]; then
    exit 0
fi

echo "setup.sh: CUDA LibTorch into $environment: ${wheels[*]}"
rm -rf "$environment"
mkdir -p build
"$python" -m venv "$environment" || { echo "cuda-venv.sh: python3 -m venv failed (its reason stands above); on Debian: apt-get install python3-venv" >&2; exit 4; }
"$environment/bin/python" -m pip install --quiet --no-deps --no-compile --only-binary :all: "${wheels[@]}" ||
    { echo "cuda-venv.sh: pip failed (its reason stands above); needed: the wheels of packaging/cuda-wheels.txt" >&2; exit 4; }
packages=$("$environment/bin/python" -c 'import os, sys, sysconfig; print(os.path.relpath(sysconfig.get_path("platlib"), sys.prefix))')
ln -sfn "$packages/torch" "$environment/torch"
echo "$wanted" > "$stamp"
