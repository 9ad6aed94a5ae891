#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Gathers headers and libraries that the engine needs beside LibTorch into one folder, for gpu-check.sh on a machine
# that has neither them nor a network. Argument: the folder.
set -euo pipefail
folder=${1:?the folder to write}

packages=(libsimdjson-dev nlohmann-json3-dev libcli11-dev)
limit_mib=40

command -v dpkg-query > /dev/null || { echo "gpu-check.sh: --pack takes Debian's packages and this system has no dpkg; run it on Debian 12 or 13" >&2; exit 2; }
for package in "${packages[@]}"; do
    dpkg-query -L "$package" > /dev/null 2>&1 || { echo "gpu-check.sh: --pack: $package is not installed; run packaging/setup.sh --engine-only" >&2; exit 2; }
done

rm -rf "$folder"
mkdir -p "$folder"
# Headers, libraries and what CMake asks for, under the same folders as in /usr: the files of CMake find the others from
# where they lie themselves.
dpkg-query -L "${packages[@]}" | grep -E '^/usr/(include|lib/.*/(cmake/|lib)|share/cmake/)' | while read -r file; do
    [ -f "$file" ] || continue
    mkdir -p "$folder/$(dirname "${file#/usr/}")"
    cp -a "$file" "$folder/${file#/usr/}"
    target=$(readlink -f "$file")
    # The library behind a link comes from another package, and programs look for it under the name that it bears.
    if [ "$target" != "$file" ]; then
        cp -a "$target" "$folder/$(dirname "${file#/usr/}")/"
        soname=$(LC_ALL=C objdump -p "$target" | sed -n 's/^ *SONAME *//p')
        ln -sfn "$(basename "$target")" "$folder/$(dirname "${file#/usr/}")/$soname"
    fi
done

size=$(du -sm "$folder" | cut -f 1)
[ "$size" -le $limit_mib ] || { echo "gpu-check.sh: --pack: $folder takes $size MiB, more than $limit_mib" >&2; exit 4; }
echo "gpu-check.sh: $folder, $size MiB: ${packages[*]}"
