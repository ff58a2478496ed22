#!/usr/bin/env bash
# Makes a repository whose kernel changes over 24 commits, with a record of each: past.sh PERFGATE FOLDER. Its benchmark prints made-up times,
# so that the history looks the same on every machine.
set -euo pipefail
perfgate=$1
mkdir -p "$2"
cd "$2"
git init -q -b main .
git config user.email dev@example.com
git config user.name Dev
echo .perfgate >.gitignore
cat >perfgate.yaml <<'END'
version: 1
kernels:
  - name: attention
    bench: {command: sh bench.sh, format: csv}
gate: {tolerance: 2%}
baseline: {store: "dir:.perfgate"}
END
# Each process is off by up to 0.4 %, each sample by up to 0.3 %.
cat >bench.sh <<'END'
. ./times.sh
awk -v s=$$ -v a=$S512 -v b=$S2048 'BEGIN {
  srand(s); p = 1 + (rand() - 0.5) * 0.008; q = 1 + (rand() - 0.5) * 0.008
  print "kernel,case,ns"
  for (i = 0; i < 12; i++) {
    printf "attention,S=512,%.1f\n", a * p * (1 + (rand() - 0.5) * 0.006)
    printf "attention,S=2048,%.1f\n", b * q * (1 + (rand() - 0.5) * 0.006)
  }
}'
END
commit() { # S512 S2048 MESSAGE
  printf 'S512=%s\nS2048=%s\n' "$1" "$2" >times.sh
  echo "$3" >>log.txt
  git add .
  git commit -q -m "$3"
  "$perfgate" baseline record -q >/dev/null
}
for i in 1 2 3 4 5 6 7; do commit 41200 598000 "Tidy $i"; done
commit 38900 561000 "Keep K in shared memory"
for i in 1 2 3 4 5 6 7; do commit 38900 561000 "Refactor $i"; done
commit 38900 607000 "Support a causal mask"
for i in 1 2 3 4 5 6 7 8; do commit 38900 607000 "Document $i"; done
