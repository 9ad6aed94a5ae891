#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what Shardscope needs to be built, run and tested and is not there yet: Debian 12 and 13.
# Says what it installs; where nothing is missing it does nothing and needs no network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build_packages=(g++ cmake ninja-build ccache nlohmann-json3-dev libsimdjson-dev libcli11-dev libhwloc-dev
    libtorch-dev libgloo-dev libopenblas0-pthread)
window_packages=(qt6-base-dev qt6-svg-dev qt6-qpa-plugins libqcustomplot-dev fonts-inter)
test_packages=(librapidcheck-dev mold locales clang-format xvfb openbox xdotool xclip x11-utils imagemagick
    openssh-client openssh-server openmpi-bin slurmd slurmctld slurm-client munge iproute2)
wheel_packages=(python3 python3-venv)

usage() {
    echo "usage: packaging/setup.sh [--engine-only] [--cuda]"
    echo "  --engine-only  without Qt: the command line alone"
    echo "  --cuda         also the CUDA LibTorch, in build/cuda-venv; preset cuda builds with it"
}

with_window=true
with_cuda=false
for argument in "$@"; do
    case "$argument" in
        --engine-only) with_window=false ;;
        --cuda) with_cuda=true ;;
        -h | --help) usage; exit 0 ;;
        *) echo "setup.sh: $argument: no such option; allowed: --engine-only, --cuda" >&2; exit 2 ;;
    esac
done

packages=("${build_packages[@]}")
if $with_window; then
    packages+=("${window_packages[@]}" "${test_packages[@]}")
fi
# Any Python that can make virtual environments will do, not the system's alone.
if $with_cuda && ! python3 -c 'import ensurepip, venv' > /dev/null 2>&1; then
    packages+=("${wheel_packages[@]}")
fi

if ! command -v apt-get > /dev/null || ! command -v dpkg-query > /dev/null; then
    echo "setup.sh: this system has no apt-get; install these (Debian's names) and build with the presets: ${packages[*]}" >&2
    exit 2
fi

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo > /dev/null; then
        sudo "$@"
    else
        echo "setup.sh: needs root for: $*; there is no sudo here, run it as root" >&2
        exit 4
    fi
}

# One question for all of them: it is asked at every start.
installed=" $(dpkg-query -W -f '${Package}:${Status}\n' "${packages[@]}" 2> /dev/null | sed -n 's/:install ok installed$//p' | tr '\n' ' ' || true)"
missing=()
for package in "${packages[@]}"; do
    [[ "$installed" == *" $package "* ]] || missing+=("$package")
done

if [ ${#missing[@]} -gt 0 ]; then
    echo "setup.sh: installing ${missing[*]}"
    as_root apt-get update -q || { echo "setup.sh: apt-get update failed (its reason stands above); still missing: ${missing[*]}" >&2; exit 4; }
    unknown=()
    for package in "${missing[@]}"; do
        apt-cache show "$package" > /dev/null 2>&1 || unknown+=("$package")
    done
    if [ ${#unknown[@]} -gt 0 ]; then
        echo "setup.sh: this system does not offer ${unknown[*]}; needed: Debian 12 or 13 with: ${packages[*]}" >&2
        exit 2
    fi
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" ||
        { echo "setup.sh: apt-get install failed (its reason stands above); needed: ${missing[*]}" >&2; exit 4; }
fi

# The tests also run where the decimal point is a comma.
if $with_window && ! locale -a | grep -qix 'de_DE\.utf-\?8'; then
    echo "setup.sh: generating the locale de_DE.UTF-8"
    as_root localedef -i de_DE -f UTF-8 de_DE.UTF-8
fi

if $with_cuda; then
    packaging/cuda-venv.sh
fi
