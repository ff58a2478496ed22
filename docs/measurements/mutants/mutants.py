"""Changes what guards a run in one place at a time, in a copy, and says which test of the changed package finds it: python3 mutants.py COPY [NUMBER...]

COPY is a copy of this repository. mutants.txt has the changes.
"""

import re
from pathlib import Path

from each import each


def found_by(test, name):
    done = test("-failfast", "-timeout=5m", "./" + str(Path(name).parent))
    failed = re.search(r"--- FAIL: (\w+)", done.stdout + done.stderr)
    return failed[1] if failed else "it ends" if done.returncode else "**none**"


each(Path(__file__).parent, "found by", found_by, lambda number, name, was: "not there")
