#!/bin/bash
# CUDA in the sandbox: run.sh PERFGATE TESTS OUT, in the repository's root. PERFGATE is the program, TESTS the tests of package
# kernels (go test -c); QUICK=1 leaves the latter out, STEPS names some of the steps. A table of what each step came to is printed last; result.json of each run is kept in OUT.
perfgate=$(realpath "$1") tests=$(realpath "$2") out=$(realpath -m "$3")
mkdir -p "$out"
work=$(mktemp -d) table=
trap 'rm -rf "$work"' EXIT
export PERFGATE_CACHE=$work/cache
step() { # name, wanted exit code, folder, arguments of run...
  local name=$1 want=$2 dir=$3 start got
  case " ${STEPS:-$name} " in *" $name "*) ;; *) return ;; esac
  shift 3
  start=$(date +%s)
  (cd "$dir" && timeout 120 "$perfgate" run --base . --head . --out "$work/$name" "$@" >"$work/$name.txt" 2>&1)
  got=$?
  cp "$work/$name/result.json" "$out/$name.json" 2>/dev/null
  table+="$name: exit $got, wanted $want, $(($(date +%s) - start)) s; $(python3 - "$work/$name/result.json" <<'PY'
import json, sys
try:
    r = json.load(open(sys.argv[1]))
except OSError:
    sys.exit()
box = r.get("sandbox") or {}
said = ["sandbox %s, Landlock %s, commands %s" % (box.get("mode"), box.get("landlock"), box.get("commands"))]
for c in r["cases"]:
    k, base = c.get("comparison") or {}, c.get("base") or {}
    said.append("%s %s, base %.2f us, ratio %.3f" % (c["name"], c["verdict"], base.get("medianNs", 0) / 1e3, k.get("ratio", 0)))
    e = c.get("evidence")
    if e:
        said.append("evidence " + json.dumps(e)[:300])
if r.get("evidence"):
    said.append("profiles " + json.dumps(r["evidence"])[:400])
said += ["parity %s" % k["parity"]["status"] for k in r["kernels"]] + ["%s %s %s" % (f["effect"], f["kind"], f.get("detail", "")) for f in r["conclusion"].get("findings", [])] + r.get("notes", [])
print("; ".join(said))
PY
)"$'\n'
  [ "$got" = "$want" ] || tail -n 25 "$work/$name.txt"
}
examples=kernels/examples
step basics_on 1 $examples/basics_cuda --sandbox on --kernel saxpy --head-flags=-DPG_FAULT_WORK=5 --budget 20s --profile never
step basics_off 1 $examples/basics_cuda --sandbox off --kernel saxpy --head-flags=-DPG_FAULT_WORK=5 --budget 20s --profile never
step ncu_on 1 $examples/basics_cuda --sandbox on --kernel saxpy --head-flags=-DPG_FAULT_PASSES=1 --budget 60s --profile always --profile-budget 60s
step ncu_auto 1 $examples/basics_cuda --sandbox auto --kernel saxpy --head-flags=-DPG_FAULT_PASSES=1 --budget 60s --profile always --profile-budget 60s

# A library of PTX alone, made by build.command with nvcc: the driver compiles it in every process, and keeps it in a cache.
mkdir -p "$work/jit" && cp $examples/basics_cuda/basics.* "$work/jit"
cat >"$work/jit/perfgate.yaml" <<'YAML'
version: 1
device: cuda
kernels:
  - name: saxpy
    build:
      command: $NVCC -std=c++17 -O3 -arch=compute_80 -code=compute_80 -shared -Xcompiler -fPIC -I "$PERFGATE_INCLUDE" $PERFGATE_FLAGS basics.pg.cu basics.cu -o jit.so
      output: jit.so
    params:
      n: {fuzz: {min: 1, max: 70000, near: 256}}
    measure: [{n: 16777216}]
    parity: {cases: 10, atol: 1e-4, rtol: 1e-5}
gate: {tolerance: 1.5%, budget: 20s}
YAML
step jit_on 1 "$work/jit" --sandbox on --head-flags=-DPG_FAULT_WORK=5 --profile never

[ -n "$QUICK" ] || (cd kernels && timeout 60 "$tests" -test.v -test.run 'TestKernelCannot|TestDaemonIn|TestAttacks|TestBuildCommandIs|TestCompilerCannot' -test.bench '^BenchmarkRunner$' -test.benchtime 20x >"$work/attacks.txt" 2>&1)
[ -n "$QUICK" ] || grep -E '^(---|ok|PASS|FAIL|Benchmark.*ms-start)' "$work/attacks.txt" >"$out/attacks.txt"
grep -sq FAIL "$out/attacks.txt" && tail -c 2000 "$work/attacks.txt"
# Nothing of a machine's identity is kept.
sed -i -E 's/(GPU-)[0-9a-f-]{36}/\1redacted/g' "$out"/*
echo "== $(uname -sr), $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null)"
[ -n "$QUICK" ] || cat "$out/attacks.txt"
printf '%s' "$table" | tee "$out/table.txt"
