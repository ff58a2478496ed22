#!/usr/bin/env bash
# Finds or makes the perfgate that the action runs and names it in the step's output `bin`. It gets no token.
#
# INPUT_INSTALL_MODE  binary, source or none
# INPUT_DOWNLOAD_URL  where releases lie: URL/VERSION/FILE
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
action=$(cd "$here/../.." && pwd)
binaries=$here/binaries.txt
cache=${RUNNER_TOOL_CACHE:-${RUNNER_TEMP:?not in an Actions job: RUNNER_TEMP is not set}}/perfgate

fail() {
  printf '::error title=perfgate::%s\n' "$*"
  exit 2
}

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
    curl --fail --location --silent --show-error --retry 3 --connect-timeout 20 --max-time 300 \
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

# source builds the action's own commit. Go's cache makes the second build on a runner a matter of seconds.
source_build() {
  command -v go >/dev/null || fail "install-mode: source needs Go on PATH (actions/setup-go in a step before this one), or use install-mode: binary."
  local target
  mkdir -p "${RUNNER_TEMP:?not in an Actions job: RUNNER_TEMP is not set}"
  target=$(mktemp -d "$RUNNER_TEMP/perfgate-build-XXXXXX")/perfgate
  (cd "$action" && GOFLAGS='' GOWORK=off go build -buildvcs=false -trimpath -ldflags '-s -w' -o "$target" ./cmd/perfgate) ||
    fail "perfgate does not build from source here (see the log)."
  finish "$target"
}

on_path() {
  local found
  found=$(command -v perfgate) || fail "install-mode: none wants perfgate on PATH, and there is none."
  finish "$found"
}

case "${INPUT_INSTALL_MODE:-binary}" in
  binary) binary ;;
  source) source_build ;;
  none) on_path ;;
  *) fail "install-mode \"${INPUT_INSTALL_MODE//[^a-zA-Z0-9 _-]/?}\" is not one of binary, source, none." ;;
esac
