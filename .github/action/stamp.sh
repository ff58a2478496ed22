#!/usr/bin/env bash
# Writes the binaries of a release into binaries.txt: stamp.sh VERSION SHA256SUMS
set -euo pipefail

version=$1
sums=$2
target=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/binaries.txt

sum_of() {
  local sum
  sum=$(awk -v f="perfgate_linux_$1" '$2 == f || $2 == "*" f { print $1 }' "$sums")
  [[ "$sum" =~ ^[0-9a-f]{64}$ ]] || {
    printf '%s has no SHA-256 of perfgate_linux_%s\n' "$sums" "$1" >&2
    exit 1
  }
  printf '%s' "$sum"
}

x64=$(sum_of x64)
arm64=$(sum_of arm64)
{
  printf '# The binaries of this release. One line each: version architecture sha256; written by .github/workflows/release.yml.\n'
  printf '%s x64 %s\n' "$version" "$x64"
  printf '%s arm64 %s\n' "$version" "$arm64"
} >"$target"
