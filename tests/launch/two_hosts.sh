# SPDX-License-Identifier: MIT
# Two network namespaces with host names of their own, joined by a pair of virtual network cards, stand for two hosts.
# Read after common.sh. Needs root, as in a container of CI; where that is not allowed the tests fail and say so.
tag=$$
one=shardscope-a-$tag
two=shardscope-b-$tag

lay_link() {
    need ip
    need tc
    [ "$(id -u)" -eq 0 ] || { echo "FAILED: needs root: it makes network namespaces"; exit 1; }
    ip netns add "$one" && ip netns add "$two" &&
        ip link add "va$tag" netns "$one" type veth peer name "vb$tag" netns "$two" &&
        ip -n "$one" addr add 10.77.0.1/24 dev "va$tag" && ip -n "$two" addr add 10.77.0.2/24 dev "vb$tag" &&
        ip -n "$one" link set lo up && ip -n "$two" link set lo up &&
        ip -n "$one" link set "va$tag" up && ip -n "$two" link set "vb$tag" up ||
        { echo "FAILED: network namespaces are not permitted here"; exit 1; }
}

take_link_away() {
    ip netns del "$one" 2> /dev/null
    ip netns del "$two" 2> /dev/null
}
trap 'take_link_away; rm -rf "$folder"' EXIT

# shape MBIT: both directions. The bucket holds 2 ms of the rate, so that only small messages pass at once.
shape() {
    local name device
    for name in "$one va$tag" "$two vb$tag"; do
        device=${name#* }
        ip netns exec "${name% *}" tc qdisc replace dev "$device" root tbf rate "$1mbit" burst $(($1 * 256)) latency 100ms ||
            { echo "FAILED: tc tbf is not permitted here"; exit 1; }
    done
}

# on RANK PROGRAM...: as that rank of two, on its host.
on() {
    local rank=$1 namespace=$one name=host-a
    shift
    [ "$rank" -eq 0 ] || { namespace=$two; name=host-b; }
    ip netns exec "$namespace" unshare --uts sh -c 'hostname "$0"; exec "$@"' "$name" \
        env SHARDSCOPE_TEST="$tag" RANK="$rank" WORLD_SIZE=2 MASTER_ADDR=10.77.0.1 MASTER_PORT=29500 "$@"
}
