#!/bin/bash -p
# Finds or makes the perfgate that the action runs and names it in the step's output `bin`. It gets no token.
#
# The job's environment may name folders of the checkout, where a pull request has a say: nothing of it but the variables of `carried` reaches a
# program that this starts, and programs come from folders of the system.
#
# INPUT_INSTALL_MODE  binary, source or none
# INPUT_DOWNLOAD_URL  where releases lie: URL/VERSION/FILE
# JOB_LIBRARIES       what the loader of the later steps is told: LD_PRELOAD and its like, separated by colons
set -euo pipefail

system=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin

fail() {
  printf '::error title=perfgate::%s\n' "$*"
  exit 2
}

[ -n "${GITHUB_WORKSPACE:-}" ] || fail "not in a job of GitHub Actions: GITHUB_WORKSPACE is not set."
work=$(cd -P "$GITHUB_WORKSPACE" && pwd) || fail "GITHUB_WORKSPACE cannot be entered (see the log)."

# inside says whether a path lies in the checkout, leads through a link in it, or depends on the folder that it is used in.
inside() {
  local at=/ rest=$1 name to links=0
  [[ "$1" == /* ]] || return 0
  while [ -n "$rest" ]; do
    name=${rest%%/*} rest=${rest#"${rest%%/*}"} rest=${rest#/}
    case "$name" in
      '' | .) continue ;;
      ..) at=${at%/*} at=${at:-/} && continue ;;
    esac
    at=${at%/}/$name
    [[ "$at/" != "${work%/}"/* ]] || return 0
    [ -L "$at" ] || continue
    [ $((links += 1)) -le 40 ] && to=$(/usr/bin/env -i PATH="$system" readlink "$at") || return 0
    rest=$to/$rest at=${at%/*} at=${at:-/}
    [[ "$to" != /* ]] || at=/
  done
  return 1
}

# carried are the variables that programs get: how a network is reached; and folders, where they are not the checkout's.
carried() {
  local name
  for name in INPUT_INSTALL_MODE INPUT_DOWNLOAD_URL RUNNER_TEMP GITHUB_OUTPUT GITHUB_WORKSPACE \
    http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY CURL_CA_BUNDLE SSL_CERT_FILE SSL_CERT_DIR \
    GOPROXY GONOPROXY GOPRIVATE GOSUMDB GONOSUMDB; do
    [ -z "${!name:-}" ] || printf '%s=%s\0' "$name" "${!name}"
  done
  for name in HOME RUNNER_TOOL_CACHE XDG_CACHE_HOME XDG_CONFIG_HOME GOPATH GOCACHE GOMODCACHE; do
    [ -z "${!name:-}" ] || inside "${!name}" || printf '%s=%s\0' "$name" "${!name}"
  done
  printf 'JOB_PATH=%s\0' "${PATH:-}"
}

# The libraries that the step which measures is started with. A pull request must not bring them.
case "${GITHUB_EVENT_NAME:-}" in
  pull_request*)
    IFS=: read -r -d '' -a libraries < <(printf '%s\0' "${JOB_LIBRARIES:-}")
    for library in "${libraries[@]}"; do
      if [ -n "$library" ] && inside "$library"; then
        fail "LD_LIBRARY_PATH, LD_PRELOAD or LD_AUDIT of this job names ${library//[^a-zA-Z0-9 _.\/-]/?}, in the checkout, where the pull request could replace it: take it out of the environment of this job, or have it outside of the checkout."
      fi
    done
    ;;
esac

if [ "${1:-}" != clean ]; then
  mapfile -d '' -t environment < <(carried)
  exec /usr/bin/env -i "${environment[@]}" PATH="$system" LC_ALL=C /bin/bash -p "${BASH_SOURCE[0]}" clean
fi

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
action=$(cd "$here/../.." && pwd)
binaries=$here/binaries.txt
temporary=${RUNNER_TEMP:?not in an Actions job: RUNNER_TEMP is not set}
cache=${RUNNER_TOOL_CACHE:-$temporary}/perfgate
mkdir -p "$temporary"
declare +x JOB_PATH
cd /

finish() {
  local version
  version=$("$1" version) || fail "$1 does not start on this runner (see the log); install-mode: source builds one that does."
  printf '%s (%s)\n' "$version" "$1"
  printf 'bin=%s\n' "$1" >>"$GITHUB_OUTPUT"
}

architecture() {
  case "$(uname -s)/$(uname -m)" in
    Linux/x86_64) echo x64 ;;
    Linux/aarch64 | Linux/arm64) echo arm64 ;;
    *) fail "perfgate runs on Linux x64 and arm64, and this runner is $(uname -s) $(uname -m)." ;;
  esac
}

# binary downloads the release once and keeps it under the hash that the action's commit states.
binary() {
  local arch version sum target
  arch=$(architecture)
  read -r version _ sum < <(awk -v a="$arch" '!/^#/ && $2 == a' "$binaries") || true
  [ -n "${sum:-}" ] || fail "this version of the action has no released binary for $arch yet; set install-mode: source (needs Go on the runner)."
  [[ "$sum" =~ ^[0-9a-f]{64}$ ]] || fail "$binaries: the SHA-256 for $arch is damaged."
  target=$cache/$sum/perfgate
  if ! matches "$target" "$sum"; then
    mkdir -p "$cache/$sum"
    part=$(mktemp "$cache/$sum/part.XXXXXX")
    trap 'rm -f "$part"' EXIT
    curl --disable --fail --location --silent --show-error --retry 3 --connect-timeout 20 --max-time 300 \
      --output "$part" "${INPUT_DOWNLOAD_URL%/}/$version/perfgate_linux_$arch" ||
      fail "cannot download perfgate $version from ${INPUT_DOWNLOAD_URL}; set download-url to a mirror, or install-mode: source."
    matches "$part" "$sum" || fail "what lies at ${INPUT_DOWNLOAD_URL%/}/$version/perfgate_linux_$arch is not the perfgate of this action: its SHA-256 differs."
    chmod 755 "$part"
    mv -f "$part" "$target"
  fi
  finish "$target"
}

matches() {
  [ -f "$1" ] && printf '%s  %s\n' "$2" "$1" | sha256sum --check --status
}

# on_path prints where the job's PATH has a program, and fails where that is in the checkout.
on_path() {
  local dir
  while IFS= read -r -d : dir; do
    dir=${dir:-.}
    [[ "$dir" == /* ]] || dir=$work/$dir
    [ -f "$dir/$1" ] && [ -x "$dir/$1" ] || continue
    ! inside "$dir/$1" || fail "the $1 on PATH is $dir/$1, in the checkout, where a change could replace it: take its folder out of the PATH of this job."
    printf '%s\n' "$dir/$1"
    return
  done < <(printf '%s:' "${JOB_PATH:-}")
}

# outside prints the job's PATH without folders of the checkout, for programs that only choose which one to start.
outside() {
  local dir kept=''
  while IFS= read -r -d : dir; do
    inside "$dir" || kept=$kept$dir:
  done < <(printf '%s:' "${JOB_PATH:-}")
  printf '%s%s\n' "$kept" "$system"
}

# source_build builds the action's own commit. Go's cache makes the second build on a runner a matter of seconds.
source_build() {
  local go target
  go=$(on_path go) || { printf '%s\n' "$go"; exit 2; }
  [ -n "$go" ] || fail "install-mode: source needs Go on PATH (actions/setup-go in a step before this one), or use install-mode: binary."
  target=$(mktemp -d "$temporary/perfgate-build-XXXXXX")
  export HOME="${HOME:-$target}" PATH="$(outside)" GOFLAGS=-mod=readonly GOWORK=off GOTOOLCHAIN=local
  (cd "$action" && "$go" build -buildvcs=false -trimpath -ldflags '-s -w' -o "$target/perfgate" ./cmd/perfgate) ||
    fail "perfgate does not build from source here (see the log)."
  finish "$target/perfgate"
}

installed() {
  local found
  found=$(on_path perfgate) || { printf '%s\n' "$found"; exit 2; }
  [ -n "$found" ] || fail "install-mode: none wants perfgate on PATH, and there is none."
  finish "$found"
}

case "${INPUT_INSTALL_MODE:-binary}" in
  binary) binary ;;
  source) source_build ;;
  none) installed ;;
  *) fail "install-mode \"${INPUT_INSTALL_MODE//[^a-zA-Z0-9 _-]/?}\" is not one of binary, source, none." ;;
esac
