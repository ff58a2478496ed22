#!/bin/sh
# Writes what `perfgate doctor` says of this machine, with what it was run on: doctor-gpu.txt or doctor-cpu.txt.
# What identifies the card is nobody's business, and is written as zeros.
# usage: docs/measurements/doctor.sh [PERFGATE [FOLDER]]    (defaults: perfgate on the PATH, this script's folder)
set -u
perfgate=${1:-perfgate}
out=${2:-$(dirname "$0")}
if command -v nvidia-smi >/dev/null 2>&1; then name=gpu; else name=cpu; fi

{
  printf '$ perfgate version\n'
  "$perfgate" version
  if [ $name = gpu ]; then
    printf '\n$ nvidia-smi --query-gpu=name,driver_version,power.limit,persistence_mode --format=csv,noheader\n'
    nvidia-smi --query-gpu=name,driver_version,power.limit,persistence_mode --format=csv,noheader
  fi
  printf '\n$ perfgate doctor\n'
  "$perfgate" doctor 2>/dev/null
  printf '$ echo $?\n%s\n' $?
} | sed -E 's/GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/GPU-00000000-0000-0000-0000-000000000000/g' >"$out/doctor-$name.txt"
cat "$out/doctor-$name.txt"
