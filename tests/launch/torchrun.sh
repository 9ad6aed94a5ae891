#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: torchrun.sh ENGINE TORCHRUN
# torchrun's agent serves a store by itself; LibTorch 2 joins it, an older one serves its own on the next port.
engine=$(realpath "$1")
torchrun=$(realpath -s "$2")
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2

. ./common.sh
[ -x "$torchrun" ] || { echo "FAILED: no torchrun at $torchrun; packaging/setup.sh --cuda installs it"; exit 1; }
PATH=$(dirname "$engine"):$PATH

for number in once again; do
    timeout 200 "$torchrun" --master-port "$(free_port)" --nproc-per-node 2 --no-python shardscope-engine run --format json \
        > "$folder/out" 2> "$folder/err"
    expect_status "torchrun, $number" 0 $?
    expect_document "torchrun, $number" "$folder/out" 2
    ! grep -q shardscope-engine: "$folder/err" || { fail "torchrun, $number: complains"; cat "$folder/err"; }
done

# The agent's store is the same for several programs one after the other.
cat > "$folder/twice.sh" <<END
shardscope-engine run ${small[*]} --format csv && shardscope-engine run ${small[*]} --format csv
END
timeout 200 "$torchrun" --master-port "$(free_port)" --nproc-per-node 2 --no-python sh "$folder/twice.sh" > "$folder/out" 2> "$folder/err"
expect_status "twice in one torchrun" 0 $?
[ "$(grep -c ',true$' "$folder/out")" -eq 2 ] || { fail "twice in one torchrun"; cat "$folder/out" "$folder/err"; }

# A port of the user's own.
SHARDSCOPE_PORT=$(free_port) timeout 200 "$torchrun" --master-port "$(free_port)" --nproc-per-node 2 --no-python \
    shardscope-engine run "${small[@]}" --format json > "$folder/out" 2> "$folder/err"
expect_status "SHARDSCOPE_PORT" 0 $?
expect_document "SHARDSCOPE_PORT" "$folder/out" 2

finish
