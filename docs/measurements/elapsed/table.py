"""The lines of a table: table.py, its head; table.py NAME EXIT RESULT, those of a run."""

import json
import math
import sys

COLUMNS = ["head", "exit", "case", "verdict", "rounds", "value", "elapsed", "bounds", "waits base", "waits head", "finding"]


def percent(log):
    return f"{100 * math.expm1(log):+.1f} %"


def line(cells):
    print("| " + " | ".join(cells) + " |")


if len(sys.argv) == 1:
    line(COLUMNS)
    line([":--"] * len(COLUMNS))
    sys.exit()

name, code, path = sys.argv[1:]
with open(path, encoding="utf-8") as f:
    result = json.load(f)
found = {f.get("case"): f["kind"] for f in result["conclusion"].get("findings", []) if f["effect"] in ("fails", "unmeasured")}
for case in result["cases"]:
    compared = case.get("comparison", {})
    elapsed = compared.get("elapsed")
    numbers = ["", "", "", "", ""]
    if elapsed:
        bounds = f"{percent(elapsed['low'])} … {percent(elapsed['high'])}"
        waits = [f"{elapsed[side] / 1000:.1f} µs" for side in ("baseWaitedNs", "headWaitedNs")]
        numbers = [percent(compared["theta"]), percent(elapsed["theta"]), bounds, *waits]
    line([name, code, case["name"], case["verdict"], str(compared.get("rounds", 0)), *numbers, found.get(case["name"], "")])
