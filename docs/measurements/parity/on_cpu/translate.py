"""Writes the CUDA zoo of testdata/parity/cuda as C++ that shim.h runs on a CPU (x86-64, g++ 12 or newer for _Float16):

    python3 docs/measurements/parity/on_cpu/translate.py OUT [NAME...]
    go test ./gate/parity -count=1 -v -timeout 1h -run TestRightKernelsPass -zoo.right 20 -zoo.dir OUT
    go test ./gate/parity -count=1 -v -timeout 1h -run TestZooIsCaught -zoo.seeds 20 -zoo.dir OUT

With names only those of zoo.yaml's wrong kernels stay. Right here are what is wrong only in a race that threads lose within a step
(RaceThreads, RaceBlocks, NoAtomic), and what an x86 processor allows (Misaligned). Faults of nvcc's flags are left out, and subtle.pg.cu, which
has a form for CPUs in the folder above."""
import re
import shutil
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
source = here.parents[3] / "testdata" / "parity" / "cuda"
out = Path(sys.argv[1]).resolve()
names = sys.argv[2:]
out.mkdir(parents=True, exist_ok=True)
shutil.copy(here / "shim.h", out)

LAUNCH = re.compile(r"([\w<>]+)<<<(.*?)>>>\((.*?)\);", re.S)
VOLATILE = re.compile(r"static_cast<volatile float \*>\((\w+)\)")  # of an array


def translate(text):
    text = text.replace("#include <cuda_fp16.h>", '#include "shim.h"').replace("#include <cuda_runtime.h>", "")
    text = LAUNCH.sub(r"Launcher(\2).run([&] { \1(\3); });", text)
    return VOLATILE.sub(r"((volatile float *)\1)", text)


(out / "block.cuh").write_text(translate((source / "block.cuh").read_text()))
for file in source.glob("*.pg.cu"):
    if file.name not in ("hidden.pg.cu", "subtle.pg.cu"):
        (out / file.name.replace(".cu", ".cc")).write_text(translate(file.read_text()))
config = (source / "perfgate.yaml").read_text().replace(".pg.cu", ".pg.cc").replace("device: cuda", "device: cpu")
config = "\n  - ".join(kernel for kernel in config.split("\n  - ") if "subtle.pg.cc" not in kernel)
(out / "perfgate.yaml").write_text(config.replace("[-O3]", f"[-O2, -fpermissive, -w, -I{out}]"))
zoo = [line for line in (source / "zoo.yaml").read_text().splitlines() if line.startswith("- ") and "WRONG=" in line and "subtle.pg.cu" not in line]
zoo = [line for line in zoo if not names or any(f"WRONG={name}," in line for name in names)]
(out / "zoo.yaml").write_text("\n".join(zoo).replace(".pg.cu", ".pg.cc") + "\n")
print(f"{len(zoo)} wrong kernels in {out}")
