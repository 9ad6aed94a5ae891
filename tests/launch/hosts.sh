#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: hosts.sh ENGINE
# Ranks on two hosts: who is where, and what is said when a rank, the link or the way to the other host is lost.
engine=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2
. ./common.sh
. ./two_hosts.sh
lay_link
long=(run --hidden 64 --sequence 16 --steps 100000 --timeout 3 --format csv)

# both WORDS...: rank 1 in the background, its output in $folder/1.out and .err, its status in .status; then rank 0.
start() {
    local rank=$1
    shift
    { on "$rank" timeout 120 "$engine" "$@" > "$folder/$rank.out" 2> "$folder/$rank.err"
        echo $? > "$folder/$rank.status"; } &
}
both() {
    start 0 "$@"
    start 1 "$@"
}
status() { cat "$folder/$1.status"; }

# lost NAME REGEX0 REGEX1: both ranks failed with one line each, and nothing is left.
lost() {
    local rank
    for rank in 0 1; do
        expect_status "$1, rank $rank" 4 "$(status $rank)"
        [ "$(wc -l < "$folder/$rank.err")" -eq 1 ] || fail "$1, rank $rank: not one line"
        expect_nothing "$1, rank $rank" "$folder/$rank.out"
    done
    expect_text "$1, rank 0" "$folder/0.err" "$2"
    expect_text "$1, rank 1" "$folder/1.err" "$3"
    expect_gone "$1" "$tag"
}

both run "${small[@]}" --format json
wait
expect_status "across, rank 0" 0 "$(status 0)"
expect_status "across, rank 1" 0 "$(status 1)"
expect_document "across" "$folder/0.out" 2
expect_text "across" "$folder/0.out" '"name": "host-a"'
expect_text "across" "$folder/0.out" '"name": "host-b"'
expect_text "across" "$folder/0.out" '2 ranks on 2 hosts'
# Both namespaces share one clock, so that its offset must lie within what is said of it.
awk -F': ' '/clock_offset_us/ { offset = $2 + 0 } /clock_uncertainty_us/ { doubt = $2 + 0 }
    END { exit !(doubt > 0 && offset <= doubt && -offset <= doubt) }' "$folder/0.out" ||
    { fail "the clocks' offset is beyond its uncertainty"; grep clock "$folder/0.out"; }

both "${long[@]}"
await_steps 0 "$tag"
ip -n "$one" link set "va$tag" down
wait
lost "link down" 'rank 1 on host host-b took no part in a collective within 3 s' 'rank 0 on host host-a took no part in a collective within 3 s'
ip -n "$one" link set "va$tag" up

both "${long[@]}"
await_steps 0 "$tag"
kill -9 "$(process_of 1 "$tag")"
wait
lost "rank 1 is killed" 'rank 1 on host host-b has gone' 'rank 1 was ended by signal 9'

both "${long[@]}"
await_steps 0 "$tag"
kill -9 "$(process_of 0 "$tag")"
wait
lost "rank 0 is killed" 'rank 0 was ended by signal 9' 'rank 0 on host host-a has gone'

both "${long[@]}"
await_steps 0 "$tag"
kill -STOP "$(process_of 1 "$tag")"
wait
lost "rank 1 is stopped" 'rank 1 on host host-b took no part in a collective within 3 s' 'rank 1 is stopped'

export GLOO_SOCKET_IFNAME=lo
both run "${small[@]}"
wait
lost "loopback" 'rank 0 uses network interface lo, which reaches no other host, and rank 1 runs on host-b' 'rank 1 uses network interface lo'

# An interface that leads nowhere: what rank 0 gives as its address is unknown on the other host. Of two addresses Gloo
# connects from the greater one to the lesser.
unset GLOO_SOCKET_IFNAME
ip link add "wrong$tag" netns "$one" type veth peer name "dead$tag" netns "$one"
ip -n "$one" addr add 10.5.5.1/24 dev "wrong$tag"
ip -n "$one" link set "wrong$tag" up
GLOO_SOCKET_IFNAME=wrong$tag start 0 run "${small[@]}"
start 1 run "${small[@]}"
wait
lost "wrong interface" "no connection .* over network interface wrong$tag" 'no connection .* over network interface vb'

finish
