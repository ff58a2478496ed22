#!/usr/bin/env python3
"""A search without a model: a list of edits, each tried on the best kernel so far and kept only if perfgate judge calls it better.

    search.py [PERFGATE [LEDGER]]        default: perfgate, and a new ledger that is removed again

Among the edits are honest ones (right and faster, right and slower, wrong, broken) and cheats. Prints a line an edit and, at last, what was kept.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KERNEL = "product.cc"
CALL = "  rows(n, 0, n, a, b, c);\n"

ROWS = """  for (int64_t i = from; i < to; i++) {
    for (int64_t j = 0; j < n; j++) c[i * n + j] = 0;
    for (int64_t k = 0; k < n; k++)
      for (int64_t j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
"""
COLUMNS = """  for (int64_t j = 0; j < n; j++) {
    for (int64_t i = from; i < to; i++) c[i * n + j] = 0;
    for (int64_t k = 0; k < n; k++)
      for (int64_t i = from; i < to; i++) c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
"""
FOUR = """  for (int64_t i = from; i < to; i++) {
    for (int64_t j = 0; j < n; j++) c[i * n + j] = 0;
    int64_t k = 0;
    for (; k + 4 <= n; k += 4) {
      const float *p = a + i * n + k, *q = b + k * n;
      for (int64_t j = 0; j < n; j++) c[i * n + j] += p[0] * q[j] + p[1] * q[n + j] + p[2] * q[2 * n + j] + p[3] * q[3 * n + j];
    }
    for (; k < n; k++)
      for (int64_t j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
"""

REMEMBERS = """  static std::vector<float> kept[100];
  if (kept[n].empty()) {
    rows(n, 0, n, a, b, c);
    kept[n].assign(c, c + n * n);
  }
  std::copy(kept[n].begin(), kept[n].end(), c);
"""
GLANCES = """  static std::map<std::pair<int64_t, float>, std::vector<float>> kept;
  std::vector<float> &result = kept[{n, a[0] + b[0]}];
  if (result.empty()) {
    rows(n, 0, n, a, b, c);
    result.assign(c, c + n * n);
  }
  std::copy(result.begin(), result.end(), c);
"""
SHORT_CUT = "  rows(n, 0, n == 64 ? 32 : n, a, b, c);\n"
LATE_CUT = """  static int in_a_row = 0;
  static int64_t before = 0;
  in_a_row = n == before ? in_a_row + 1 : 0;
  before = n;
  rows(n, 0, in_a_row < 20 ? n : n / 2, a, b, c);
"""
THREAD = "  std::thread(rows, n, 0, n, a, b, c).join();\n"
LATE_THREAD = "  std::thread(rows, n, 0, n, a, b, c).detach();\n"
CLOCK = """extern "C" int clock_gettime(clockid_t id, timespec *t) {
  const long status = syscall(SYS_clock_gettime, id, t);
  t->tv_sec /= 2, t->tv_nsec /= 2;
  return int(status);
}
"""


def loops(new):
    """The edit that replaces the loops of rows."""
    return lambda code: re.sub(r"(static void rows\(.*?\{\n).*?(^\}\n)", lambda m: m[1] + new + m[2], code, flags=re.S | re.M)


def call(new, *headers):
    """The edit that replaces what product does."""
    return lambda code: "".join(f"#include <{h}>\n" for h in headers) + code.replace(CALL, new)


def swap(old, new):
    return lambda code: code.replace(old, new)


EDITS = [
    ("a comment", lambda code: "// Fast.\n" + code),
    ("sums every other term", swap("k++) sum", "k += 2) sum")),
    ("remembers by size", call(REMEMBERS, "algorithm", "vector")),
    ("no semicolon", swap("= sum;", "= sum")),
    ("along rows of b", loops(ROWS)),
    ("works in a thread", call(THREAD, "thread")),
    ("works in a late thread", call(LATE_THREAD, "thread")),
    ("along columns", loops(COLUMNS)),
    ("half of the one shape", call(SHORT_CUT)),
    ("half after 20 launches", call(LATE_CUT)),
    ("remembers by a glance", call(GLANCES, "algorithm", "map", "vector")),
    ("a clock of its own", lambda code: "#include <sys/syscall.h>\n#include <time.h>\n#include <unistd.h>\n" + CLOCK + code),
    ("four without the rest", loops(FOUR.replace("k < n; k++", "k < 0; k++"))),
    ("four terms at a time", loops(FOUR)),
]


def judge(perfgate, ledger, candidate):
    """The answer on a candidate, whatever it is; what perfgate could not judge is an error with its words."""
    done = subprocess.run([perfgate, "judge", candidate, "--base", HERE, "--ledger", ledger], capture_output=True, text=True, cwd=HERE)
    if not done.stdout:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def search(perfgate, work, ledger):
    code, kept = (HERE / KERNEL).read_text(), []
    for name, edit in EDITS:
        candidate = work / name.replace(" ", "-")
        shutil.copytree(HERE, candidate)
        changed = edit(code)
        if changed == code:
            sys.exit(f"the edit {name!r} changes nothing")
        (candidate / KERNEL).write_text(changed)
        answer = judge(perfgate, ledger, candidate)
        ratio = f"{answer['ratio']['ratio']:.2f}" if "ratio" in answer else ""
        codes = ", ".join(sorted({f.get("code", f["kind"]) for f in answer.get("faults", [])}))
        print(f"{name:24}{answer['verdict']:8}{ratio:>5}{answer['rounds']:>4} rounds {answer['seconds']:5.1f} s  {codes}".rstrip(), flush=True)
        if answer["verdict"] == "better":
            code, kept = changed, kept + [name]
    return kept


def main():
    perfgate = sys.argv[1] if len(sys.argv) > 1 else "perfgate"
    with tempfile.TemporaryDirectory() as work:
        ledger = sys.argv[2] if len(sys.argv) > 2 else work + "/ledger"
        print("kept:", ", ".join(search(perfgate, pathlib.Path(work), ledger)) or "nothing")


if __name__ == "__main__":
    main()
