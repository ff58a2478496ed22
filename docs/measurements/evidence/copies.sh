#!/bin/sh
# What is named of copies and fills, which no profile of kernels has: copies.sh PERFGATE, on a machine with CUDA, torch and Triton.
set -eu
perfgate=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git_() { git -c user.name=x -c user.email=x@example.com -c commit.gpgsign=false "$@"; }

# gate NAME FOLDER FILE SCRIPT: head is base with FILE changed by SCRIPT for sed.
gate() {
  cd "$2"
  git_ init -q . && git_ add -A && git_ commit -qm base && git_ tag base
  sed -i "$4" "$3" && git_ commit -qam head
  "$perfgate" run --base base --head HEAD --profile always --sandbox off --budget 40s --out "$work/out-$1" >"$work/text" 2>/dev/null || true
  printf '%s: ' "$1"
  sed -n 's/^- \(copies and fills: .*\)/\1/p; s/.*because \*\*\(.*\)\*\* (\(explains [^)]*\)).*/\1, \2;/p' "$work/out-$1/report.md" | tr '\n' ' '
  echo
}

examples=$here/../../../kernels/examples
cp -r "$examples/basics_cuda" "$work/saxpy"
gate saxpy "$work/saxpy" basics.cu 's|^  if (PG_FAULT_PASSES) saxpy_kernel|  static float *spare = nullptr; if (!spare) cudaMalloc(\&spare, 16777216 * 4); cudaMemcpyAsync(spare, x, n * 4, cudaMemcpyDeviceToDevice, stream);\n&|'
cp -r "$examples/softmax_triton" "$work/clone"
gate clone "$work/clone" softmax.py 's|^    rows, columns = x.shape|    x = x.clone()\n&|'
cp -r "$examples/softmax_triton" "$work/fill"
gate fill "$work/fill" softmax.py 's|^    rows, columns = x.shape|    torch.zeros_like(x)\n&|'
