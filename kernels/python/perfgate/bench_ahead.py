"""A process of perfgate.bench that starts before it is asked: it imports installed packages, then reads the question from standard input.

It is run as a file, by its path: with -m the folder of the script's tree would come first, and what lies there would run while another process
measures. PERFGATE_BENCH_AHEAD has the packages, PERFGATE_BENCH_OUT the file for the answer.
"""

import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # the folder of this package, in the place of the package's own

from perfgate import _ahead, bench  # noqa: E402


def main(argv, environ):
    """Exit codes are those of perfgate.bench; 2 where nothing was asked."""
    _ahead.import_packages(environ.pop("PERFGATE_BENCH_AHEAD", "").split())
    environ["PERFGATE_BENCH_ASK"] = question()
    return bench.main(argv, environ)


def question():
    """All of standard input. The script finds that empty, as it does without us."""
    parts = list(iter(lambda: os.read(0, 1 << 16), b""))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return b"".join(parts).decode("utf-8", "replace")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
