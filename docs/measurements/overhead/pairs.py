#!/usr/bin/env python3
"""pairs.py OLD NEW [PAIRS]: what a run costs outside of the processes that it starts, by two builds of perfgate in turn.

Run it in a checkout of perfgate. Both measure testdata/consumer, with warm caches.
"""
import ctypes
import glob
import json
import os
import re
import resource
import select
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

IN_OPEN = 0x20
libc = ctypes.CDLL(None, use_errno=True)


def repository(folder):
    """The consumer's repository, with keys that every perfgate knows."""
    shutil.copytree("testdata/consumer", folder)
    path = f"{folder}/perfgate.yaml"
    text = re.sub(r"^(paths|cost):.*\n", "", open(path).read(), flags=re.M)
    open(path, "w").write(text)
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "a"]):
        subprocess.run(["git", "-C", folder, *command], check=True)


def run(program, repo, cache, out):
    """Seconds of one run until the first process of a kernel starts, and outside of such processes and of compiling."""
    watch = libc.inotify_init()
    for path in glob.glob(f"{cache}/perfgate/**/harness", recursive=True):
        if os.path.isfile(path):
            libc.inotify_add_watch(watch, path.encode(), IN_OPEN)
    command = [program, "run", "--base", ".", "--head", ".", "--head-flags=-falign-functions=64", "--seed", "1", "--profile", "never", "--out", out]
    began = time.monotonic()
    process = subprocess.Popen(command, cwd=repo, env={**os.environ, "XDG_CACHE_HOME": cache, "PERFGATE_LOCK_DIR": repo}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    starts = []
    while process.poll() is None:
        if select.select([watch], [], [], 0.05)[0]:
            events = len(os.read(watch, 4096)) // struct.calcsize("iIII")
            starts += [time.monotonic() - began] * events
    os.close(watch)
    with open(f"{out}/result.json") as f:
        return starts[1:2], json.load(f)["timings"]["overheadSeconds"]  # the first start only tries whether the harness runs here


def main():
    programs = dict(zip(("old", "new"), map(os.path.abspath, sys.argv[1:3])))
    pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    found = {"old": [], "new": []}
    with tempfile.TemporaryDirectory() as work:
        repository(f"{work}/repo")
        for i in range(pairs + 1):  # the first pair fills the caches
            for name in sorted(programs, reverse=i % 2):
                starts, outside = run(programs[name], f"{work}/repo", f"{work}/cache-{name}", f"{work}/out")
                if i:
                    found[name].append((starts[0], outside))
    for at, what in enumerate(("start to first process", "outside of processes")):
        old, new = ([one[at] for one in found[name]] for name in ("old", "new"))
        ratios = sorted(n / o for n, o in zip(new, old))
        print(f"| {what} | {summary(old)} | {summary(new)} | {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}) | {min(new) / min(old):.2f} |")


def summary(times):
    return f"{statistics.median(times):.3f} s, {min(times):.3f} s"


main()
