#!/usr/bin/env bash
# Makes the reports of this page and, where Chromium is installed, its pictures: docs/gallery/make.sh [FOLDER]
# With --fast it leaves out the two that are measured here, which takes some minutes; the others show results that were measured or made up
# before, or benchmarks that print made-up times. KEEP=1 puts the pictures into docs/gallery.
set -euo pipefail
cd "$(dirname "$0")/../.."
fast=
[ "${1:-}" != --fast ] || { fast=1; shift; }
out=$(realpath -m "${1:-gallery}")
mkdir -p "$out"
go build -o "$out/perfgate" ./cmd/perfgate
perfgate=$out/perfgate

# runs COMMAND... may say no: that is what is shown.
runs() { "$@" >/dev/null || [ $? -le 3 ]; }

if [ -z "$fast" ]; then
  # A regression on a CPU, with its cause. The demo names the folder it runs in: it runs here, so that the report has no path of this machine.
  (cd "$out" && runs "$perfgate" demo)
  mv "$out/perfgate-demo/report.html" "$out/regression.html"
  # A kernel that is wrong, and the smallest case that shows it.
  (cd "$out/perfgate-demo" && runs "$perfgate" run --base=attention --head=attention --head-flags=-DPG_FAULT_WRONG_SCALE=1 --kernel=attention --out "$out/wrong")
fi

# Made-up results.
for name in pass causes budget inconclusive slower evidence competitors parity many; do
  "$perfgate" report "testdata/report/$name/result.json" -o "$out/$name" >/dev/null
done

go run docs/gallery/comment.go testdata/report/causes/comment.md >"$out/comment.html"

# A kernel's past, the commit that made it slower, and the machine.
rm -rf "$out/past"
docs/gallery/past.sh "$perfgate" "$out/past"
(cd "$out/past" && "$perfgate" history --format html >"$out/history.html")
(cd "$out/past" && runs "$perfgate" bisect -q HEAD~16 HEAD --case attention/S=2048 --out ../bisect && mv ../bisect/report.html "$out/bisect.html")
(cd "$out" && "$perfgate" doctor --quick --format html >"$out/doctor.html" || [ $? -le 3 ])

# No picture shows the processor and the folders of the machine that it was made on.
model=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
key=$(echo "$model" | tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9]+/-/g; s/-$//')
sed -i -E "s|${model:-no name}|a processor|g; s|${key:-no-name}-[0-9a-f]{8}|machine-0a1b2c3d|g; s|$HOME|/home/dev|g" "$out"/*.html

command -v chromium >/dev/null || exit 0
# shot PAGE PICTURE HEIGHT takes a picture in each theme.
shot() {
  local theme args
  for theme in light dark; do
    args=(--headless --disable-gpu --hide-scrollbars --window-size="1280,$3" --screenshot="$out/$2-$theme.png")
    [ $theme = light ] && args+=(--blink-settings=preferredColorScheme=1) || args+=(--blink-settings=preferredColorScheme=0)
    [ "$(id -u)" != 0 ] || args+=(--no-sandbox)
    chromium "${args[@]}" "file://$out/$1" 2>/dev/null
    python3 docs/gallery/shrink.py "$out/$2-$theme.png"
    [ -z "${KEEP:-}" ] || cp "$out/$2-$theme.png" docs/gallery/
  done
}
shot comment.html comment 860
shot pass/report.html passed 620
shot causes/report.html regressions 1060
shot budget/report.html not-measured 700
shot history.html history 900
shot bisect.html bisect 900
shot doctor.html doctor 900
