"""What is believed to be the same, on a machine with an NVIDIA GPU, nvcc and a python3 with torch, Triton and CuPy; and what finding out costs.

    python3 verdicts.py OUT PERFGATE [OTHER|"" [ONLY...]]

Each row is a repository of two commits and what the gate is to say of the second: identical (nothing is timed), timed, or a kind of finding. PERFGATE runs each row, as root and,
where the row says so, as another user. Where OTHER is another build of perfgate, both run in turn and the table has their seconds. OUT gets NAME.txt, what was printed. Exits with 1 where
a row is not as expected.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[3] / "kernels" / "examples"

SCRIPT = """import pathlib, sys
import torch, triton
import triton.language as tl
import helper

@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)

@triton.testing.perf_report(triton.testing.Benchmark(x_names=["n"], x_vals=[1 << 20, 1 << 22], line_arg="provider", line_vals=["triton"], line_names=["Triton"],
    ylabel="ms", plot_name="add", args={}))
def benchmark(n, provider):
    x, y = torch.rand(n, device="cuda"), torch.rand(n, device="cuda")
    out = torch.empty_like(x)
    def launch():
        block = int(pathlib.Path("block.txt").read_text())
        add[(triton.cdiv(n, block),)](x, y, out, n, BLOCK=block)
    return triton.testing.do_bench(launch)

benchmark.run()
"""


def example(name, *files):
    out = {f.name: f.read_text() for f in (EXAMPLES / name).iterdir() if f.is_file()}
    return {**out, "README.md": "one\n"}


def benchmark_script():
    return {
        "bench.py": SCRIPT, "helper.py": "SCALE = 1\n", "block.txt": "1024\n", "README.md": "one\n", "table.json": "{}\n", "lib/unused.py": "A = 1\n",
        "perfgate.yaml": "version: 1\ndevice: cuda\nwatch: [\"**\"]\nkernels:\n  - name: add\n    bench: {script: bench.py, format: triton}\n",
    }


def cmake():
    out = {str(f.relative_to(EXAMPLES / "cmake_saxpy_cuda")): f.read_text() for f in (EXAMPLES / "cmake_saxpy_cuda").rglob("*") if f.is_file()}
    return {**out, "README.md": "one\n"}


def replace(file, old, new):
    def change(files):
        assert old in files[file], f"{old!r} is not in {file}: {files[file]}"
        return {**files, file: files[file].replace(old, new)}
    return change


def put(file, text):
    return lambda files: {**files, file: text}


DOCS = put("README.md", "two\n")

# name, files, what head changes, what is expected, flags
ROWS = [
    ("cuda, a document", lambda: example("softmax_cuda"), DOCS, "identical", ["other user", "no sandbox"]),
    ("cuda, a comment", lambda: example("softmax_cuda"), lambda f: {**f, "softmax.cu": "// a comment\n" + f["softmax.cu"]}, "identical", []),
    ("cuda, a date in it", lambda: dated(example("softmax_cuda")), DOCS, "identical", []),
    ("cuda, timed all the same", lambda: example("softmax_cuda"), DOCS, "timed", ["all"]),
    ("triton, a document", lambda: example("softmax_triton"), DOCS, "identical", ["other user", "no sandbox"]),
    ("triton, its module", lambda: example("softmax_triton"), lambda f: {**f, "softmax.py": f["softmax.py"] + "\nUSED = 1\n"}, "timed", []),
    ("triton, timed all the same", lambda: example("softmax_triton"), DOCS, "timed", ["all"]),
    ("cupy, a document", lambda: example("gelu_cupy"), DOCS, "identical", ["other user"]),
    ("cupy, its module", lambda: example("gelu_cupy"), lambda f: {**f, "gelu.py": f["gelu.py"] + "\nUSED = 1\n"}, "timed", []),
    ("script, a document", benchmark_script, DOCS, "identical", ["other user", "no sandbox"]),
    ("script, what a launch reads", benchmark_script, put("block.txt", "2048\n"), "timed", []),
    ("script, a module", benchmark_script, put("helper.py", "SCALE = 2\n"), "timed", []),
    ("script, what nothing reads", benchmark_script, put("table.json", "{\"a\": 1}\n"), "unused", []),
    ("script, timed all the same", benchmark_script, DOCS, "timed", ["all"]),
    ("cmake and nvcc, a document", cmake, DOCS, "identical", ["other user", "no sandbox"]),
    ("cmake and nvcc, a comment", cmake, lambda f: {**f, "saxpy.cu": "// a comment\n" + f["saxpy.cu"]}, "identical", []),
]


def dated(files):
    files = dict(files)
    files["softmax.cu"] += "\nextern \"C\" const char *built_at() { return __DATE__ __TIME__ __FILE__; }\n"
    return files


def git(tree, *arguments):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=tree, check=True, stdout=subprocess.DEVNULL)


def commit(tree, files, message):
    for old in tree.rglob("*"):
        if old.is_file() and ".git" not in old.relative_to(tree).parts and str(old.relative_to(tree)) not in files:
            old.unlink()
    for name, text in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", message)


def said(result):
    """What a result says of its kernels: identical, timed, or kinds of findings."""
    words = set()
    for kernel in result["kernels"]:
        for finding in kernel.get("uncompared") or []:
            words.add(finding.get("reason", {}).get("kind", "uncompared"))
        if kernel["status"] not in ("ok", "built", "compared"):
            words.add(kernel["status"])
    for finding in result.get("uncompared") or []:
        words.add(finding.get("reason", {}).get("kind", "uncompared"))
    return words | {"timed" if result["rounds"] else "identical"}


def run(perfgate, tree, out, flags, home, cache):
    command = [perfgate, "run", "--base", "HEAD~1", "--head", "HEAD", "--profile", "never", "--budget", "20s", "--out", str(out)]
    command += ["--time-identical"] if "all" in flags else []
    command += ["--sandbox", "off"] if "no sandbox" in flags else []
    environment = {**os.environ, "PERFGATE_CACHE": str(cache), "HOME": str(home)}
    if "other user" in flags:
        for folder in (tree, home, cache):
            subprocess.run(["chown", "-R", "1000:1000", str(folder)], check=True)
        command = ["setpriv", "--reuid=1000", "--regid=1000", "--clear-groups", *command]
    start = time.monotonic()
    done = subprocess.run(command, cwd=tree, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout, time.monotonic() - start


def main():
    out, builds, only = Path(sys.argv[1]), [b for b in sys.argv[2:4] if b], sys.argv[4:]
    out.mkdir(parents=True, exist_ok=True)
    wrong, log = 0, []
    work = Path(tempfile.mkdtemp(prefix="verdicts"))
    work.chmod(0o755)
    for number, (name, files, change, expected, flags) in enumerate(ROWS):
        if only and not any(o in name for o in only):
            continue
        before = files()
        for flag in ["", *(f for f in flags if f != "all")]:
            row = [f"{name}{', ' if flag else ''}{flag}", expected]
            for which, build in enumerate(builds):
                folder = work / f"{number}{flag.replace(' ', '')}{which}"
                tree, home = folder / "tree", folder / "home"
                cache = work / f"cache{which}{flag == 'other user'}"
                home.mkdir(parents=True)
                cache.mkdir(exist_ok=True)
                folder.chmod(0o755)
                tree.mkdir()
                git(tree, "init", "-q", "-b", "main")
                commit(tree, before, "one")
                commit(tree, change(before), "two")
                code, text, seconds = run(build, tree, home / "out", [flag, *[f for f in flags if f == "all"]], home, cache)
                words = {f"exit {code}"}
                path = home / "out" / "result.json"
                if path.exists():
                    words = said(json.loads(path.read_text()))
                good = expected in words
                wrong += not good and which == 0
                log.append(f"===== {row[0]} by {build}: exit {code}, {sorted(words)}, {seconds:.1f} s\n{text}\n")
                row.append(f"{'' if good else 'NOT: '}{' '.join(sorted(words))} (exit {code}) {seconds:.1f} s")
                shutil.rmtree(folder, ignore_errors=True)
            print("| " + " | ".join(row) + " |", flush=True)
            (out / "printed.txt").write_text("\n".join(log))
    sys.exit(wrong > 0)


main()
