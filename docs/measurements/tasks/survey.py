"""Parity of whole collections of problems: the problem's own reference as its solution has to pass, and the same with one element changed has to fail.

usage: survey.py PERFGATE PROBLEMS OUT [PATTERN...]
PROBLEMS has problems of GPU MODE and KernelBench at any depth; it is copied. A PATTERN, such as "pmpp_v2/*" or "level1/1?_*", says which folders (GPU MODE) or files
(KernelBench) to take; none: all. SURVEY_CPU=1 rebuilds them for a CPU: their devices are replaced, and what KernelBench calls sizes is made small.
A row for each: ok, NOT (a wrong verdict, or none in time) or refused, then exit codes of the right and the wrong solution, and what was said.
"""
import fnmatch
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CPU = bool(os.environ.get("SURVEY_CPU"))
SECONDS = int(os.environ.get("SURVEY_SECONDS", "120"))  # for each command
SIZE = re.compile(r"^(\w+ *= *)(\d[\d_]*)((?: *\* *\d+)?)( *(?:#.*)?)$", re.M)  # "dim = 4096 * 2  # of a model"

CHANGED = '''
def changed(value):
    """The same with another value in the middle of the first tensor."""
    if isinstance(value, (tuple, list)):
        return type(value)([changed(value[0]), *value[1:]])
    flat = value.detach().contiguous().clone().view(-1)
    i = flat.numel() // 2
    if flat.dtype == torch.bool:
        flat[i] = ~flat[i]
    else:
        flat[i:i + 1] = (flat[i:i + 1].double() * 1.5 + 1).to(flat.dtype)
    return flat.view(value.shape)
'''
GPU_MODE = {
    "right": "from reference import ref_kernel\n\n\ndef custom_kernel(data):\n    return ref_kernel(data)\n",
    "wrong": "import torch\nfrom reference import ref_kernel\n\n" + CHANGED + "\n\ndef custom_kernel(data):\n    return changed(ref_kernel(data))\n",
}


def kernelbench(text, kind):
    solution = re.sub(r"\bModel\b", "ModelNew", text)
    if kind == "right":
        return solution
    return solution + "\n" + CHANGED + "\n\nRight = ModelNew\n\n\nclass ModelNew(Right):\n    def forward(self, *inputs):\n        return changed(super().forward(*inputs))\n"


def small(found):
    """A size as it is where a test on a CPU is to be quick. Powers of two stay such, so that groups and heads still divide them."""
    value = eval(found[2] + found[3])
    if "batch" in found[1]:
        value = min(value, 2)
    while value > 128:
        value //= 2
    return f"{found[1]}{value}{found[4]}"


def on_cpu(folder):
    for file in folder.rglob("*.py"):
        text = file.read_text(errors="replace")
        text = re.sub(r"torch\.cuda\.synchronize\(\)", "None", re.sub(r"(['\"])cuda(:0)?\1", "'cpu'", text))
        text = text.replace(".cuda()", "")
        file.write_text(SIZE.sub(small, text) if "class Model" in text else text)


def matching(path, patterns):
    return not patterns or any(fnmatch.fnmatch(path, "*" + p) for p in patterns)


def prepared(problems, where, kind, patterns):
    """A repository with a solution for each problem."""
    shutil.copytree(problems, where, ignore=shutil.ignore_patterns(".git", "solutions", "submission*.py", "template*.py", "task_*.py"))
    for task in sorted(where.rglob("task.yml")):
        if matching(str(task.parent), patterns) and (task.parent / "reference.py").exists():
            (task.parent / "submission.py").write_text(GPU_MODE[kind])
    for file in sorted(where.rglob("*.py")):
        if matching(str(file), patterns) and "class Model(" in (text := file.read_text(errors="replace")) and "def get_init_inputs" in text:
            (where / "solutions").mkdir(exist_ok=True)
            (where / "solutions" / file.name).write_text(kernelbench(text, kind))
    if CPU:
        on_cpu(where)


def recognised(perfgate, where, log):
    """perfgate.yaml of init, and the names of its kernels."""
    with open(log, "w") as out:
        subprocess.run([perfgate, "init", "--tasks", "."], cwd=where, stdout=out, stderr=subprocess.STDOUT)
    text = (where / "perfgate.yaml").read_text()
    device, python = ("cpu", "\npython: /usr/bin/python3") if CPU else ("cuda", "")
    text = re.sub(r"\n    competitors:\n .*", "", text.replace("version: 1\n", f"version: 1\ndevice: {device}{python}\n", 1))
    (where / "perfgate.yaml").write_text(text)
    return re.findall(r"^  - name: (\S+)", text, re.M)


def parity(perfgate, where, name, out):
    start = time.time()
    env = {**os.environ, "PERFGATE_LOCK_DIR": str(out / "locks" / name)}
    (out / "locks" / name).mkdir(parents=True, exist_ok=True)
    code = subprocess.run(["timeout", "-s", "INT", "-k", "5", str(SECONDS), perfgate, "parity", "--kernel", name, "--sandbox", "off"], cwd=where, env=env,
                          stdout=open(out / f"{name}.txt", "wb"), stderr=open(out / f"{name}.err", "wb")).returncode
    said = (out / f"{name}.txt").read_text(errors="replace") or (out / f"{name}.err").read_text(errors="replace")[-400:]
    return code, time.time() - start, " ".join(said.split())[:300]


def main():
    perfgate, problems, out = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]), Path(sys.argv[3]).resolve()
    names = {}
    for kind in ("right", "wrong"):
        (out / kind).mkdir(parents=True)
        prepared(problems, out / kind / "tree", kind, sys.argv[4:])
        names[kind] = recognised(perfgate, out / kind / "tree", out / f"init_{kind}.txt")
    print(len(names["right"]), "problems;", (out / "init_right.txt").read_text()[-1500:], flush=True)

    def both(name):
        right = parity(perfgate, out / "right" / "tree", name, out / "right")
        wrong = parity(perfgate, out / "wrong" / "tree", name, out / "wrong") if right[0] == 0 else (None, 0, "")
        word = "ok" if (right[0], wrong[0]) == (0, 1) else "refused" if right[0] in (2, 3) else "NOT"
        print(f"{word:8}{name:40} {right[0]} {wrong[0]} {right[1]:.0f}+{wrong[1]:.0f} s: {'' if word == 'ok' else (wrong[2] or right[2])}", flush=True)

    first, *others = names["right"]
    both(first)  # compiles the harness for the others
    with ThreadPoolExecutor(int(os.environ.get("SURVEY_AT_ONCE", "1"))) as pool:
        list(pool.map(both, others))


main()
