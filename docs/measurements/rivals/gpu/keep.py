"""Trims results into a table of processes: gate/rule/testdata/rivals.csv, which a test draws runs from.

usage: keep.py SESSION=FILE... > rivals.csv      FILE: result.json of a run beside rivals, or versus.json
A row is the value of a process (mean of its samples, trimmed, in ns): session, pair, round from 0, side (ours: head or base; rival), ns.
"""
import csv
import json
import sys


def of_result(result):
    for case in result["cases"]:
        for rival in case.get("rivals") or []:
            if rival.get("looks"):
                yield f"{case['kernel']} / {rival['rival']}", case["processes"], rival["processes"]


def of_duel(duel):
    for case in duel["cases"]:
        args = ",".join(f"{p['name']}={p['value']}" for p in case["params"])
        mine = [p for p in case["processes"] if p["side"] == "head"]
        yield f"{duel['kernel']}/{args} / {duel['b']}", mine, [p for p in case["processes"] if p["side"] == "base"]


def main():
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["session", "pair", "round", "side", "ns"])
    for argument in sys.argv[1:]:
        session, file = argument.split("=", 1)
        saved = json.load(open(file))
        for pair, ours, rivals in of_result(saved) if "base" in saved else of_duel(saved):
            rounds = 1 + max(p["round"] for p in rivals)  # ours goes on where another rival is still open
            for p in ours:
                if p["round"] < rounds:
                    out.writerow([session, pair, p["round"], p["side"], f"{p['valueNs']:.1f}"])
            for p in rivals:
                out.writerow([session, pair, p["round"], "rival", f"{p['valueNs']:.1f}"])


main()
