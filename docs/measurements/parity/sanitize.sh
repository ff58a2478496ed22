#!/bin/sh
# Faults that a right result does not show, through `perfgate parity` without and with --sanitize, on the GPU of this machine:
# sanitize.sh PERFGATE OUT, in the repository's root; SANDBOX=on keeps it all in the sandbox. Without, all pass; with, the right kernel alone does, and the report names the tool.
perfgate=$(realpath "$1") out=$(realpath -m "$2") bad=0
mkdir -p "$out"
for fault in Right ReadsPastEnd WritesPastEnd SharedRace Uninitialised BarrierInBranch; do
  for how in plain sanitize; do
    flag= want=0
    [ $how = sanitize ] && flag=--sanitize && [ $fault != Right ] && want=1
    (cd testdata/parity/cuda && "$perfgate" parity --config hidden.yaml --seed 7 "--head-flags=-DWRONG=$fault" --sandbox "${SANDBOX:-auto}" $flag >"$out/$fault.$how.txt" 2>&1)
    got=$?
    [ $got = $want ] || bad=1
    echo "$fault $how: exit $got, wanted $want: $(grep -o -m1 '\(memcheck\|initcheck\|racecheck\|synccheck\): .*' "$out/$fault.$how.txt" | cut -c1-200)"
  done
done
exit $bad
