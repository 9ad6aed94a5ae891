#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: mpirun.sh ENGINE
engine=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2
. ./common.sh
need mpirun

for ranks in 2 4; do
    timeout 120 mpirun --allow-run-as-root --oversubscribe -n $ranks "$engine" run --format json \
        > "$folder/out" 2> "$folder/err"
    expect_status "mpirun -n $ranks" 0 $?
    expect_document "mpirun -n $ranks" "$folder/out" $ranks
    expect_nothing "mpirun -n $ranks complains" "$folder/err"
done

# One alone is none of several: it starts ranks of its own.
timeout 120 mpirun --allow-run-as-root -n 1 "$engine" run "${small[@]}" --ranks 2 --format json > "$folder/out" 2> "$folder/err"
expect_status "mpirun -n 1" 0 $?
expect_document "mpirun -n 1" "$folder/out" 2

finish
