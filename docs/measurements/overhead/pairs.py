#!/usr/bin/env python3
"""pairs.py COMMIT [PAIRS]: what a run costs outside of the processes that it starts, now and at a commit, in turn.

Run it in a checkout of perfgate. It builds both, and both measure testdata/consumer with warm caches.
"""
import ctypes
import glob
import json
import math
import os
import re
import select
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

IN_OPEN = 0x20
WHAT = ("wall time to the first process", "CPU time to the first process", "wall time outside of processes", "CPU time of the run")
libc = ctypes.CDLL(None, use_errno=True)


def build(commit, work):
    """perfgate as it was at a commit, and as it is here."""
    subprocess.run(["git", "worktree", "add", "-q", "--detach", f"{work}/old-tree", commit], check=True)
    try:
        subprocess.run(["go", "build", "-o", f"{work}/old", "./cmd/perfgate"], cwd=f"{work}/old-tree", check=True)
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", f"{work}/old-tree"], check=True)
    subprocess.run(["go", "build", "-o", f"{work}/new", "./cmd/perfgate"], check=True)


def repository(folder):
    """The consumer's repository, with keys that every perfgate knows."""
    shutil.copytree("testdata/consumer", folder)
    path = f"{folder}/perfgate.yaml"
    text = re.sub(r"^(paths|cost):.*\n", "", open(path).read(), flags=re.M)
    open(path, "w").write(text)
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "a"]):
        subprocess.run(["git", "-C", folder, *command], check=True)


def note_cpu(program, seconds):
    """Puts in seconds the CPU time of each process of a program so far, all threads. It starts itself again, and others that do not count."""
    for path in glob.glob("/proc/[0-9]*/exe"):
        try:
            if os.readlink(path) != program:
                continue
            total = 0
            for thread in glob.glob(f"{os.path.dirname(path)}/task/*/schedstat"):
                with open(thread) as f:
                    total += int(f.read().split()[0])
            seconds[path] = max(total / 1e9, seconds.get(path, 0))
        except OSError:
            pass  # one that has just ended


def run(program, repo, cache, out):
    """Seconds of one run, as WHAT has them; None until the caches have a harness."""
    watch = libc.inotify_init()
    for path in glob.glob(f"{cache}/perfgate/**/harness", recursive=True):
        if os.path.isfile(path):
            libc.inotify_add_watch(watch, path.encode(), IN_OPEN)
    command = [program, "run", "--base", ".", "--head", ".", "--head-flags=-falign-functions=64", "--seed", "1", "--profile", "never", "--out", out]
    began, spent = time.monotonic(), {}
    process = subprocess.Popen(command, cwd=repo, env={**os.environ, "XDG_CACHE_HOME": cache, "PERFGATE_LOCK_DIR": repo}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    starts = []
    while process.poll() is None:
        opened = select.select([watch], [], [], 0.02)[0]
        note_cpu(program, spent)
        if opened:
            starts += [(time.monotonic() - began, sum(spent.values()))] * (len(os.read(watch, 4096)) // struct.calcsize("iIII"))
    os.close(watch)
    with open(f"{out}/result.json") as f:
        outside = json.load(f)["timings"]["overheadSeconds"]
    return (*starts[1], outside, sum(spent.values())) if len(starts) > 1 else None  # the first start only tries whether the harness runs here


def interval(ratios):
    """Their median, and the two order statistics that hold the median of all with at least 95 %."""
    n, below, rank = len(ratios), 0.0, 0
    while rank < n // 2 and below + math.comb(n, rank) / 2**n <= 0.025:
        below, rank = below + math.comb(n, rank) / 2**n, rank + 1
    low = max(0, rank - 1)
    return f"{statistics.median(ratios):.2f} ({ratios[low]:.2f} to {ratios[n - 1 - low]:.2f})"


def compare(work, pairs):
    """Prints a row for each of WHAT, of two programs in a folder."""
    found = {"old": [], "new": []}
    for i in range(pairs + 1):  # the first pair fills the caches
        for name in sorted(found, reverse=i % 2):
            times = run(f"{work}/{name}", f"{work}/repo", f"{work}/cache-{name}", f"{work}/out")
            if i:
                found[name].append(times)
                print(f"pair {i}, {name}: " + ", ".join(f"{t:.4f}" for t in times), file=sys.stderr, flush=True)
    print(f"{pairs} pairs, load {os.getloadavg()[1]:.0f} on {os.cpu_count()} cores")
    for at, what in enumerate(WHAT):
        old, new = ([one[at] for one in found[name]] for name in ("old", "new"))
        ratios = sorted(n / o for n, o in zip(new, old))
        print(f"| {what} | {statistics.median(old):.3f} s | {statistics.median(new):.3f} s | {interval(ratios)} |")


def main():
    with tempfile.TemporaryDirectory() as work:
        build(sys.argv[1], work)
        repository(f"{work}/repo")
        compare(work, int(sys.argv[2]) if len(sys.argv) > 2 else 20)


if __name__ == "__main__":
    main()
