#!/usr/bin/env bash
# Compares examples with what libraries do for the same tensors, on a machine with a GPU, PyTorch and Triton.
#
#   docs/measurements/competitors/gpu/run.sh PERFGATE OUT STEP...
#
# Steps: do_bench (triton.testing.do_bench of the same pairs), cuda, triton and backends (the gate with competitors), sweep_cuda and sweep_triton (perfgate
# versus torch:sdpa along the length), and BACKEND_cuda and BACKEND_triton (perfgate versus with a backend: math, efficient). Each leaves OUT/STEP.txt and
# OUT/STEP. LIMIT is the most seconds of a step, FLAGS are more flags of perfgate, SPEEDUPS the minimum speedups: "flash:0.34x cublas:0.6x".
set -u
here=$(cd "$(dirname "$0")" && pwd)
perfgate=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
repo=$(mktemp -d)
trap 'rm -rf "$repo"' EXIT
examples=$here/../../../../kernels/examples
cp -r "$examples"/attention_cuda "$examples"/attention_triton "$examples"/gemm_cuda "$here"/* "$repo"
cd "$repo" || exit 3
for least in ${SPEEDUPS:-}; do
  sed -i "s/{name: ${least%%:*},/& min-speedup: ${least#*:},/" cuda.yaml triton.yaml backends.yaml
done
git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm one

for step in "${@:3}"; do
  versus=("$perfgate" versus --config sweep.yaml --sandbox off --out "$out/$step")
  case $step in
  do_bench) command=(python3 -B do_bench.py 5) ;;
  cuda | triton | backends) command=("$perfgate" run --config "$step.yaml" --base HEAD --time-identical --profile never --sandbox off --out "$out/$step") ;;
  sweep_triton) command=("${versus[@]}" attention_triton/attention.pg.py torch:sdpa --kernel attention) ;;
  sweep_cuda) command=("${versus[@]}" attention_cuda/attention.pg.cu torch:sdpa --kernel attention_tensor) ;;
  *_cuda) command=("${versus[@]}" attention_cuda/attention.pg.cu "beside/${step%_cuda}.pg.py" --kernel attention_tensor --case '*/*S=1024*') ;;
  *_triton) command=("${versus[@]}" attention_triton/attention.pg.py "beside/${step%_triton}.pg.py" --kernel attention --case '*/*S=1024*') ;;
  *) echo "run.sh: there is no step $step" >&2; exit 2 ;;
  esac
  [ "$step" = do_bench ] || command+=(${FLAGS:-})
  start=$SECONDS
  timeout -s INT -k 5 "${LIMIT:-600}" "${command[@]}" >"$out/$step.txt" 2>"$out/$step.err"
  echo "$step: exit $? after $((SECONDS - start)) s"
done
