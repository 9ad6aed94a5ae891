#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: by_hand.sh ENGINE
# Ranks that are started one by one with RANK, WORLD_SIZE and MASTER_ADDR on one machine: they work together, one prints,
# and whoever is missing, late or contradicts the others is named.
engine=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2
. ./common.sh
MASTER_PORT=$(free_port)
export MASTER_ADDR=127.0.0.1 MASTER_PORT SHARDSCOPE_TEST=$$

# start RANK SIZE WORDS...: in the background, its output in $folder/RANK.out and .err, its status in .status.
start() {
    local rank=$1 size=$2
    shift 2
    { RANK=$rank WORLD_SIZE=$size timeout 120 "$engine" "$@" > "$folder/$rank.out" 2> "$folder/$rank.err"
        echo $? > "$folder/$rank.status"; } &
}

# together SIZE WORDS...
together() {
    local size=$1 rank
    shift
    for rank in $(seq 0 $((size - 1))); do
        start "$rank" "$size" "$@"
    done
    wait
}

status() { cat "$folder/$1.status"; }

together 2 run "${small[@]}" --format json
expect_status "run, rank 0" 0 "$(status 0)"
expect_status "run, rank 1" 0 "$(status 1)"
expect_document "run" "$folder/0.out" 2
expect_nothing "rank 0 complains" "$folder/0.err"
expect_nothing "rank 1 prints" "$folder/1.out"
expect_nothing "rank 1 complains" "$folder/1.err"

together 4 run "${small[@]}" --scheme mlp --mesh tp=2,dp=2 --format json
expect_status "mesh, rank 0" 0 "$(status 0)"
expect_document "mesh" "$folder/0.out" 4

together 2 sweep "${small[@]}" --phase training,prefill,decode --format csv
expect_status "sweep, rank 0" 0 "$(status 0)"
expect_status "sweep, rank 1" 0 "$(status 1)"
[ "$(grep -c ',2,64,.*,true$' "$folder/0.out")" -eq 3 ] || { fail "sweep: not three rows"; cat "$folder/0.out"; }
expect_nothing "rank 1 prints a sweep" "$folder/1.out"

together 2 compare "${small[@]}" --output "$folder/compare.txt"
expect_status "compare, rank 0" 0 "$(status 0)"
expect_text "compare" "$folder/compare.txt" 'decode'

together 2 bandwidth --format csv
expect_status "bandwidth, rank 0" 0 "$(status 0)"
expect_status "bandwidth, rank 1" 0 "$(status 1)"
expect_text "bandwidth" "$folder/0.out" '^all_reduce,2,16777216,'
expect_nothing "rank 1 prints bandwidths" "$folder/1.out"

together 2 plan "${small[@]}"
expect_text "plan" "$folder/0.out" '^Plan: mlp'
expect_nothing "rank 1 prints a plan" "$folder/1.out"

# A bug is found by rank 0, and every rank says so by its status.
together 2 run "${small[@]}" --scheme bug:row-bias-each-rank
expect_status "a bug, rank 0" 3 "$(status 0)"
expect_status "a bug, rank 1" 3 "$(status 1)"

# One comes late, but in time.
start 0 2 run "${small[@]}" --format json
sleep 2
start 1 2 run "${small[@]}" --format json
wait
expect_status "late, rank 0" 0 "$(status 0)"
expect_document "late" "$folder/0.out" 2

export SHARDSCOPE_JOIN_SECONDS=4
start 0 3 run --hidden 48 --ffn 96 --steps 3
start 2 3 run --hidden 48 --ffn 96 --steps 3
wait
for rank in 0 2; do
    expect_status "rank 1 is missing, rank $rank" 4 "$(status $rank)"
    expect_text "rank 1 is missing" "$folder/$rank.err" "1 rank has not come within 4 s to 127.0.0.1:$MASTER_PORT.*: rank 1;"
    [ "$(wc -l < "$folder/$rank.err")" -eq 1 ] || fail "rank 1 is missing: not one line"
    expect_nothing "rank 1 is missing" "$folder/$rank.out"
done

start 1 2 run "${small[@]}"
wait
expect_status "rank 0 is missing" 4 "$(status 1)"
expect_text "rank 0 is missing" "$folder/1.err" "rank 1 found nobody within 4 s at 127.0.0.1:$MASTER_PORT"

start 0 3 run --hidden 48 --ffn 96
start 1 2 run "${small[@]}"
wait
expect_status "sizes differ" 4 "$(status 1)"
for rank in 0 1; do
    expect_text "sizes differ" "$folder/$rank.err" 'rank 1 was started as one of 2 ranks, rank 0 as one of 3'
done

# Two processes with the same rank: the second is sent away, the others go on.
unset SHARDSCOPE_JOIN_SECONDS
start 0 2 run --hidden 64 --steps 100000 --format csv
start 1 2 run --hidden 64 --steps 100000 --format csv
await_steps 0 $$
RANK=1 WORLD_SIZE=2 timeout 60 "$engine" run --hidden 64 > "$folder/late.out" 2> "$folder/late.err"
expect_status "too late" 4 $?
expect_text "too late" "$folder/late.err" 'another process has joined as rank 1 already'
kill -9 "$(process_of 1 $$)"
wait
expect_status "rank 1 is killed, rank 0" 4 "$(status 0)"
expect_text "rank 1 is killed, rank 0" "$folder/0.err" 'rank 1 on host .* has gone'
expect_text "rank 1 is killed, rank 1" "$folder/1.err" 'rank 1 was ended by signal 9'
expect_gone "rank 1 is killed" $$

# Ctrl-C of one ends all.
start 0 2 run --hidden 64 --steps 100000
start 1 2 run --hidden 64 --steps 100000
await_steps 1 $$
for process in $(pgrep -f "^$engine run --hidden 64 --steps 100000"); do
    grep -qz '^RANK=0$' "/proc/$process/environ" && kill -INT "$process"
done
wait
for rank in 0 1; do
    expect_status "cancelled, rank $rank" 130 "$(status $rank)"
    expect_text "cancelled, rank $rank" "$folder/$rank.err" 'cancelled$'
done
expect_gone "cancelled" $$

# What the variables say is broken: one line, at once.
# refused REGEX NAME=VALUE...
refused() {
    local wanted=$1
    shift
    env "$@" timeout 20 "$engine" run "${small[@]}" > "$folder/refused.out" 2> "$folder/refused.err"
    expect_status "$*" 2 $?
    expect_text "$*" "$folder/refused.err" "$wanted"
    [ "$(wc -l < "$folder/refused.err")" -eq 1 ] || fail "$*: not one line"
    expect_nothing "$*" "$folder/refused.out"
}
refused 'RANK=2: outside .* allowed: 0 to 1$' RANK=2 WORLD_SIZE=2
refused 'RANK=one: no whole number in range; allowed: 0 to 1$' RANK=one WORLD_SIZE=2
refused 'WORLD_SIZE=0: .* allowed: 1 to' RANK=0 WORLD_SIZE=0
refused 'RANK is set and WORLD_SIZE is not' RANK=0
refused 'WORLD_SIZE is set and RANK is not' WORLD_SIZE=2
refused 'MASTER_ADDR is not set' RANK=0 WORLD_SIZE=2 MASTER_ADDR=
refused 'MASTER_ADDR=no-such-host.invalid' RANK=0 WORLD_SIZE=2 MASTER_ADDR=no-such-host.invalid
refused 'MASTER_PORT=70000' RANK=0 WORLD_SIZE=2 MASTER_PORT=70000
refused 'GLOO_SOCKET_IFNAME=nowhere0: .* allowed: .*lo' RANK=0 WORLD_SIZE=2 GLOO_SOCKET_IFNAME=nowhere0
RANK=0 WORLD_SIZE=2 timeout 20 "$engine" run --ranks 3 2> "$folder/refused.err"
expect_status "other ranks" 2 $?
expect_text "other ranks" "$folder/refused.err" '3 ranks: 2 ranks were started .*allowed: --ranks 2'

finish
