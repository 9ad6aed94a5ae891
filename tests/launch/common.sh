# SPDX-License-Identifier: MIT
# What the tests of ranks that are started one by one share. Read with: . common.sh
set -uo pipefail
folder=$(mktemp -d /tmp/shardscope-launch-XXXXXX)
trap 'rm -rf "$folder"' EXIT
failures=0
small=(--hidden 64 --sequence 16 --steps 3 --warmup 1)

# Nobody else's variables: these tests may themselves run in a batch job.
for name in $(compgen -e | grep -E '^(RANK|WORLD_SIZE|LOCAL_|MASTER_|OMPI_|PMI|SLURM_|TORCHELASTIC_|GLOO_|SHARDSCOPE_PORT)'); do
    unset "$name"
done

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

need() {
    command -v "$1" > /dev/null || { echo "FAILED: $1 is not installed; packaging/setup.sh installs it"; exit 1; }
}

# A port that nobody uses now, and the next one neither.
free_port() {
    local port
    for port in $(shuf -i 28000-31999 -n 50); do
        (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null || (: < "/dev/tcp/127.0.0.1/$((port + 1))") 2> /dev/null ||
            { echo "$port"; return; }
    done
}

# expect_status NAME WANTED FOUND
expect_status() {
    [ "$3" -eq "$2" ] || fail "$1: exit status $3, not $2"
}

# expect_text NAME FILE REGEX
expect_text() {
    grep -qE -- "$3" "$2" || { fail "$1: no line matches '$3' in:"; cat "$2"; }
}

# expect_nothing NAME FILE
expect_nothing() {
    [ ! -s "$2" ] || { fail "$1: is not empty:"; cat "$2"; }
}

# expect_document NAME FILE RANKS: one JSON document of a run on so many ranks, every check passed.
expect_document() {
    [ "$(grep -c '^{' "$2")" -eq 1 ] && [ "$(head -c 1 "$2")" = "{" ] || { fail "$1: not one document:"; head -50 "$2"; return; }
    expect_text "$1" "$2" "^    \"ranks\": $3,"
    expect_text "$1" "$2" '"passed": true'
    ! grep -q '"passed": false' "$2" || fail "$1: a check failed"
    [ "$(grep -c "\"rank [0-9]*: [0-9]* CPU thread" "$2")" -eq "$3" ] || fail "$1: not $3 devices"
}

# expect_gone NAME TAG: no process is left whose environment has SHARDSCOPE_TEST=TAG.
expect_gone() {
    local left
    for _ in $(seq 40); do
        left=$(grep -lsz "^SHARDSCOPE_TEST=$2\$" /proc/[0-9]*/environ | cut -d/ -f3 | xargs -r ps -o pid=,stat=,args= -p |
            grep -v ' Z' | grep shardscope)
        [ -z "$left" ] && return
        sleep 0.1
    done
    fail "$1: processes are left:"
    echo "$left"
}

# process_of RANK TAG: the rank process whose environment has SHARDSCOPE_TEST=TAG.
process_of() {
    local file
    for file in $(grep -lsz "^SHARDSCOPE_TEST=$2\$" /proc/[0-9]*/environ); do
        [ "$(cat "${file%environ}comm" 2> /dev/null)" = "shardscope-r$1" ] && { echo "$file" | cut -d/ -f3; return; }
    done
}

# await_steps RANK TAG: waits until that rank is in the midst of its steps: it writes its events after each.
await_steps() {
    local process written
    for _ in $(seq 300); do
        process=$(process_of "$1" "$2")
        written=$(awk '/^wchar/ { print $2 }' "/proc/${process:-none}/io" 2> /dev/null)
        [ "${written:-0}" -gt 65536 ] && return
        sleep 0.1
    done
    fail "rank $1 does not come to its steps"
}

finish() {
    [ "$failures" -eq 0 ] || { echo "$failures check(s) failed"; exit 1; }
    echo "all passed"
    exit 0
}
