"""Trims results into a table of processes: gate/rule/testdata/competitors.csv, which a test draws runs from.

usage: keep.py SESSION=FILE... > competitors.csv      FILE: result.json of a run beside competitors, or versus.json
A row is the value of a process (mean of its samples, trimmed, in ns): session, pair, round from 0, side (ours: head or base; competitor), ns.
"""
import csv
import json
import sys


def of_result(result):
    for case in result["cases"]:
        for competitor in case.get("competitors") or []:
            if competitor.get("looks"):
                yield f"{case['kernel']} / {competitor['competitor']}", case["processes"], competitor["processes"]


def of_duel(versus):
    for case in versus["cases"]:
        args = ",".join(f"{p['name']}={p['value']}" for p in case["params"])
        mine = [p for p in case["processes"] if p["side"] == "head"]
        yield f"{versus['kernel']}/{args} / {versus['b']}", mine, [p for p in case["processes"] if p["side"] == "base"]


def main():
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["session", "pair", "round", "side", "ns"])
    for argument in sys.argv[1:]:
        session, file = argument.split("=", 1)
        saved = json.load(open(file))
        for pair, ours, competitors in of_result(saved) if "base" in saved else of_duel(saved):
            rounds = 1 + max(p["round"] for p in competitors)  # ours goes on where another competitor is still open
            for p in ours:
                if p["round"] < rounds:
                    out.writerow([session, pair, p["round"], p["side"], f"{p['valueNs']:.1f}"])
            for p in competitors:
                out.writerow([session, pair, p["round"], "competitor", f"{p['valueNs']:.1f}"])


main()
