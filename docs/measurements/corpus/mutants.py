"""Changes the rule in one place at a time, in a copy, and counts the answers of the corpus that change: python3 mutants.py COPY [NUMBER...]

A change that no answer shows is tried on the other tests of the rule, of rounds and of results. COPY is a copy of this repository. mutants.txt has the
changes.
"""

import sys
from pathlib import Path

here = Path(__file__).parent
sys.path.append(str(here.parent / "mutants"))
from each import each  # noqa: E402


def answers(test, name):
    done = test("-run", "^TestCorpus$", "./gate/rule")
    if found := (done.stdout + done.stderr).count(" differences:"):
        return found
    if done.returncode:
        return "it ends"
    return "another test" if test("-run", ".", "./gate/rule", "./gate/measure", "./gate/result").returncode else "**0**"


def absent(number, name, was):
    sys.exit(f"{number}: {name} has no {was}")


each(here, "answers that change", answers, absent)
