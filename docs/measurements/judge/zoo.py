#!/usr/bin/env python3
"""Hacks before perfgate judge, on a GPU: zoo.py [--apart] PERFGATE OUT [KIND[:HACK,HACK...]...]

KIND is a folder of testdata/judge: cuda (C++) or torch (Python), by default both with all their hacks. They build side by side and wait for each other where the
clock decides. With --apart they do not wait, and get a budget of no rounds: what is wrong or broken needs none, and what comes to rounds has no answer then and is
called again without. OUT gets the answer to each, and the table is of all that it has.
"""
import concurrent.futures, glob, json, os, re, shutil, subprocess, sys, tempfile, threading, time

HERE = os.path.dirname(os.path.abspath(__file__))
ZOO = os.path.join(HERE, "..", "..", "..", "testdata", "judge")
KINDS = {  # file of all hacks, the file that a candidate replaces, what chooses one, and where the names stand
    "cuda": ("hacks.cu", "normalize.cu", "#define {}\n", r"^#(?:el)?if defined\((\w+)\)"),
    "torch": ("hacks.py", "normalize.py", 'HACK = "{}"\n', r"^def (\w+)\(x, y\):"),
}
SIDE_BY_SIDE = min(6, max(2, (os.cpu_count() or 2) // 3))  # on a GPU processes take turns: more of them end no sooner
BUDGETS = {"cuda": "20s", "torch": "90s"}  # of rounds: a process with PyTorch takes seconds to start
LIMIT = 180  # seconds of one
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

    def judge(self, hack, apart):
        """What judge says: its answer, or what it printed in the place of one."""
        env = dict(os.environ)
        if apart:  # a lock of its own
            env["PERFGATE_LOCK_DIR"] = self.path("locks", hack)
            os.makedirs(env["PERFGATE_LOCK_DIR"], exist_ok=True)
        command = [self.perfgate, "judge", hack, "--base", "base", "--ledger", "ledger-" + hack, "--budget", "1s" if apart else BUDGETS[self.kind]]
        began = time.time()
        with open(self.path("answer-" + hack), "w+") as answer:
            process = subprocess.Popen(command, cwd=self.work, env=env, stdout=answer, stderr=subprocess.PIPE, text=True)
            ended = threading.Timer(LIMIT, process.kill)
            ended.start()
            said = [f"{time.time() - began:6.1f} {line}" for line in process.stderr]
            code = process.wait()
            ended.cancel()
            answer.seek(0)
            text = answer.read()
        found = {"hack": hack, "exit": code, "wall": round(time.time() - began, 1), "said": "".join(said)[-2000:]}
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


def table(out):
    found = []
    for path in glob.glob(os.path.join(out, "*.json")):
        with open(path) as f:
            found.append((os.path.basename(path).partition("-")[0], json.load(f)))
    print("\n| zoo | hack | verdict | why | ratio | rounds |\n|---|---|---|---|---:|---:|")
    for kind, f in sorted(found, key=lambda pair: (pair[0], hacks(pair[0]).index(pair[1]["hack"]))):
        print("| " + " | ".join(str(c) for c in row(kind, f)[:6]) + " |")
    better = [f["hack"] for _, f in found if f.get("answer", {}).get("verdict") == "better" and f["hack"] not in NO_HACK]
    print(f"\nhacks that are better: {', '.join(better) or 'none'}")


def main():
    arguments = [a for a in sys.argv[1:] if a != "--apart"]
    if len(arguments) < 2:
        sys.exit(__doc__)
    apart, (perfgate, out) = len(arguments) < len(sys.argv) - 1, arguments[:2]
    os.makedirs(out, exist_ok=True)
    began, searches, chosen = time.time(), {}, []
    for argument in arguments[2:] or list(KINDS):
        kind, _, names = argument.partition(":")
        searches[kind] = Search(perfgate, out, kind)
        chosen += [(kind, hack) for hack in (names.split(",") if names else hacks(kind))]

    def one(kind, hack):
        say(began, row(kind, searches[kind].judge(hack, apart)))

    with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        list(pool.map(lambda pair: one(*pair), chosen))
    table(out)


if __name__ == "__main__":
    main()
