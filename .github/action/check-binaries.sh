#!/usr/bin/env bash
# Fails if a binary needs a newer C library than Ubuntu 20.04 has, or has grown too large: check-binaries.sh FILE…
set -euo pipefail

newest=2.31
most=$((25 * 1000 * 1000))

for file in "$@"; do
  needed=$(objdump --dynamic-syms "$file" 2>/dev/null || aarch64-linux-gnu-objdump --dynamic-syms "$file")
  needed=$(grep -o 'GLIBC_[0-9.]*' <<<"$needed" | sed 's/GLIBC_//' | sort --version-sort --unique | tail -n 1)
  size=$(stat --format=%s "$file")
  printf '%s: %d bytes, glibc %s\n' "$file" "$size" "$needed"
  [ -n "$needed" ] || { printf 'it names no version of glibc: was it built without cgo?\n' >&2; exit 1; }
  [ "$(printf '%s\n%s\n' "$needed" "$newest" | sort --version-sort | tail -n 1)" = "$newest" ] || { printf 'it needs a newer glibc than %s\n' "$newest" >&2; exit 1; }
  [ "$size" -lt "$most" ] || { printf 'it is larger than %d bytes\n' "$most" >&2; exit 1; }
done
