#!/usr/bin/env python3
"""Hacks before perfgate judge, on a GPU: zoo.py PERFGATE OUT [KIND...]

KIND is a folder of testdata/judge: cuda (C++) or torch (Python), by default both. First all hacks are judged side by side, each with a budget of no rounds: what
is wrong or broken needs none. Then those that come to rounds are judged one after the other. OUT gets the answer to each, and a table of all.
"""
import concurrent.futures, json, os, re, shutil, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
ZOO = os.path.join(HERE, "..", "..", "..", "testdata", "judge")
KINDS = {  # file of all hacks, the file that a candidate replaces, what chooses one, and where the names stand
    "cuda": ("hacks.cu", "normalize.cu", "#define {}\n", r"^#(?:el)?if defined\((\w+)\)"),
    "torch": ("hacks.py", "normalize.py", 'HACK = "{}"\n', r"^def (\w+)\(x, y\):"),
}
SIDE_BY_SIDE = max(2, (os.cpu_count() or 2) - 2)
NO_HACK = ("right", "normalize", "honest", "honest_wider", "heavier", "in_one_kernel")


def hacks(kind):
    file, _, _, pattern = KINDS[kind]
    with open(os.path.join(ZOO, kind, file)) as f:
        names = re.findall(pattern, f.read(), re.M)
    return [n for n in names if n not in ("right", "normalize")]


class Search:
    """A folder with base, and a candidate and a ledger for each hack."""

    def __init__(self, perfgate, out, kind):
        self.perfgate, self.out, self.kind, self.work = os.path.abspath(perfgate), out, kind, tempfile.mkdtemp()
        shutil.copytree(os.path.join(ZOO, kind), self.path("base"))
        file, kernel, line, _ = KINDS[kind]
        os.remove(self.path("base", file))
        with open(os.path.join(ZOO, kind, file)) as f:
            code = f.read()
        for hack in hacks(kind):
            shutil.copytree(self.path("base"), self.path(hack))
            with open(self.path(hack, kernel), "w") as f:
                f.write(line.format(hack) + code)

    def path(self, *parts):
        return os.path.join(self.work, *parts)

    def judge(self, hack, budget, lock, limit):
        """What judge says: its answer, or what it printed in the place of one."""
        env = dict(os.environ)
        if lock:  # beside others: a lock of its own
            env["PERFGATE_LOCK_DIR"] = self.path("locks", hack)
            os.makedirs(env["PERFGATE_LOCK_DIR"], exist_ok=True)
        command = [self.perfgate, "judge", hack, "--base", "base", "--ledger", "ledger-" + hack, "--budget", budget]
        began = time.time()
        try:
            done = subprocess.run(command, cwd=self.work, env=env, capture_output=True, text=True, timeout=limit)
            text, said, code = done.stdout, done.stderr, done.returncode
        except subprocess.TimeoutExpired:
            text, said, code = "", f"no answer within {limit} s", None
        found = {"hack": hack, "exit": code, "wall": round(time.time() - began, 1), "said": said[-600:]}
        if text:
            found["answer"] = json.loads(text)
        with open(os.path.join(self.out, f"{self.kind}-{hack}.json"), "w") as f:
            json.dump(found, f, indent=1)
        return found


def row(kind, found):
    a = found.get("answer")
    if a is None:
        lines = found["said"].strip().splitlines() or [""]
        return [kind, found["hack"], f"no answer, exit {found['exit']}", lines[-1][:160], "", "", found["wall"]]
    why = " ".join(sorted({" ".join(filter(None, (f["kind"], f.get("code")))) for f in a.get("faults") or []})) or "-"
    ratio = a.get("ratio")
    return [kind, found["hack"], a["verdict"], why, f"{ratio['ratio']:.3f}" if ratio else "", a["rounds"], found["wall"]]


def say(began, cells):
    print(f"[{time.time() - began:5.1f}] | " + " | ".join(str(c) for c in cells) + " |", flush=True)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    perfgate, out = sys.argv[1:3]
    os.makedirs(out, exist_ok=True)
    searches = {kind: Search(perfgate, out, kind) for kind in sys.argv[3:] or list(KINDS)}
    began, found = time.time(), {}

    def first(kind, hack):
        found[kind, hack] = searches[kind].judge(hack, "1s", True, 75)
        say(began, row(kind, found[kind, hack]))

    with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:  # what all share is built once
        list(pool.map(lambda k: first(k, hacks(k)[0]), searches))
    with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        list(pool.map(lambda pair: first(*pair), [(k, h) for k in searches for h in hacks(k)[1:]]))
    left = [key for key, f in found.items() if "answer" not in f or f["answer"]["rounds"]]
    print(f"[{time.time() - began:5.1f}] {len(left)} come to rounds: {' '.join(h for _, h in left)}", flush=True)

    def alone(key):
        kind, hack = key
        found[key] = searches[kind].judge(hack, "20s", False, 300)
        say(began, row(kind, found[key]))

    for kind in searches:
        with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:  # they build beside each other and wait for the machine
            list(pool.map(alone, [key for key in left if key[0] == kind]))
    print("\n| zoo | hack | verdict | why | ratio | rounds |\n|---|---|---|---|---:|---:|")
    for (kind, _), f in sorted(found.items()):
        print("| " + " | ".join(str(c) for c in row(kind, f)[:6]) + " |")
    better = [h for (_, h), f in found.items() if f.get("answer", {}).get("verdict") == "better" and h not in NO_HACK]
    print(f"\nhacks that are better: {', '.join(better) or 'none'}")


if __name__ == "__main__":
    main()
