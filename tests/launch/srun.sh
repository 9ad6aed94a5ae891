#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: srun.sh ENGINE
# A cluster of one node, with a configuration, a key and ports of its own, started and stopped here.
engine=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2
. ./common.sh
for program in munged slurmctld slurmd srun; do
    need $program
done
[ "$(id -u)" -eq 0 ] || { echo "FAILED: needs root: slurmd starts tasks for users"; exit 1; }
node=$(hostname -s)
control=$(free_port)
daemon=$((control + 1))

# Nothing may be left, so each is waited for.
stop_cluster() {
    local name process
    for name in slurmd slurmctld munged; do
        process=$(cat "$folder/$name.pid" 2> /dev/null) || continue
        kill "$process" 2> /dev/null
        for _ in $(seq 50); do
            kill -0 "$process" 2> /dev/null || break
            sleep 0.1
        done
        kill -9 "$process" 2> /dev/null
    done
    rm -rf "$folder"
}
trap stop_cluster EXIT

chmod 755 "$folder"
mkdir -p "$folder/spool" "$folder/state"
# munged wants folders that nobody else may write to, which /tmp is not: --force.
head -c 1024 /dev/urandom > "$folder/munge.key"
chmod 400 "$folder/munge.key"
munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
    --log-file="$folder/munged.log" --seed-file="$folder/munge.seed" ||
    { fail "munged does not start"; cat "$folder/munged.log"; finish; }

cat > "$folder/slurm.conf" <<END
ClusterName=shardscope
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$control
SlurmdPort=$daemon
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
END
export SLURM_CONF=$folder/slurm.conf
slurmctld -f "$SLURM_CONF" > "$folder/start.log" 2>&1 && slurmd -f "$SLURM_CONF" >> "$folder/start.log" 2>&1 ||
    { fail "slurm does not start"; cat "$folder"/*.log; finish; }
for _ in $(seq 100); do
    sinfo -h -o %T 2> /dev/null | grep -q idle && break
    sleep 0.2
done
sinfo -h -o %T | grep -q idle || { fail "the node does not come up"; cat "$folder"/*.log; finish; }

timeout 120 srun --overcommit -n 2 "$engine" run --format json > "$folder/out" 2> "$folder/err"
expect_status "srun -n 2" 0 $?
expect_document "srun -n 2" "$folder/out" 2
expect_nothing "srun -n 2 complains" "$folder/err"

timeout 120 srun --overcommit -n 1 "$engine" run "${small[@]}" --ranks 2 --format json > "$folder/out" 2> "$folder/err"
expect_status "srun -n 1" 0 $?
expect_document "srun -n 1" "$folder/out" 2

finish
