#!/usr/bin/env bash
# Makes the reports of this page and, where Chromium is installed, its pictures: docs/gallery/make.sh [FOLDER]
# The first two are measured here, which takes some minutes; the others show results that were measured or made up before.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=$(realpath -m "${1:-gallery}")
mkdir -p "$out"
go build -o "$out/perfgate" ./cmd/perfgate
perfgate=$out/perfgate

# runs COMMAND... may say no: that is what is shown.
runs() { "$@" >/dev/null || [ $? -le 3 ]; }

# A regression on a CPU, with its cause. The demo names the folder it runs in: it runs here, so that the page has no path of this machine.
(cd "$out" && runs "$perfgate" demo)
mv "$out/perfgate-demo/report.html" "$out/regression.html"

# A kernel that is wrong, and the smallest case that shows it.
(cd "$out/perfgate-demo" && runs "$perfgate" run --base=attention --head=attention --head-flags=-DPG_FAULT_WRONG_SCALE=1 --kernel=attention --out "$out/wrong")

# Planted faults on a GPU, as they were recorded.
gunzip -c docs/measurements/suite/raw/faults_1.json.gz >"$out/gpu.json"
"$perfgate" report "$out/gpu.json" -o "$out/gpu" >/dev/null

# Made-up results: what stayed open, levels over time, competitors, 36 cases.
for name in inconclusive slower evidence competitors parity many; do
  "$perfgate" report "testdata/report/$name.json" -o "$out/$name" >/dev/null
done

command -v chromium >/dev/null || exit 0
# shot PAGE PICTURE WIDTH,HEIGHT
shot() {
  local args=(--headless --disable-gpu --hide-scrollbars --window-size="$3" --screenshot="$out/$2")
  [ "$(id -u)" != 0 ] || args+=(--no-sandbox)
  chromium "${args[@]}" "file://$out/$1" 2>/dev/null
}
shot regression.html regression.png 1180,1180
shot gpu/report.html gpu.png 1180,860
