"""Prints what triton_clock.py found, a table for each kernel: clock_table.py OUT NAME...

A process's value is the median of its launches; a row has the mean over processes and their scatter (standard deviation over mean). Cycles and MHz are those of the
multiprocessors during the launches, by the stamps. W, degrees, and the share of the readings that name the power cap are what NVML said while the way ran.
"""
import csv
import gzip
import json
import os
import statistics
import sys
from collections import defaultdict

POWER_CAP, SLOWDOWN = 0x4, 0x8 | 0x20 | 0x40 | 0x80  # bits of nvmlClocksEventReasons: software power cap; slowdowns by heat and by hardware
ENDS = 20                                            # launches at each end of a way


def lines(path):
    opened = gzip.open(path + ".gz", "rt") if os.path.exists(path + ".gz") else open(path)
    with opened as file:
        yield from file


def readings(folder):
    """What NVML said, by GPU: (s, MHz, W, reasons, degrees, ms held down by the power cap)."""
    out = defaultdict(list)
    for row in csv.reader(lines(os.path.join(folder, "power.csv"))):
        if len(row) == 7:
            out[row[0].removeprefix("GPU-")].append(tuple(map(float, row[1:])))
    return out


def of_window(seen, start, stop):
    """(most W, share of the time at the power cap, slowed down otherwise, degrees) of the readings in a window."""
    inside = [r for r in seen if start <= r[0] <= stop]
    if not inside:
        return None
    capped = 100 * (inside[-1][5] - inside[0][5]) / 1e3 / max(1e-9, inside[-1][0] - inside[0][0])
    named = 100 * statistics.mean(bool(int(r[3]) & POWER_CAP) for r in inside)
    return max(r[2] for r in inside), capped, named, any(int(r[3]) & SLOWDOWN for r in inside), max(r[4] for r in inside)


def spread(values):
    return 100 * statistics.stdev(values) / statistics.mean(values) if len(values) > 1 else 0.0


def table(folder, name, power):
    rows = [json.loads(line) for line in lines(os.path.join(folder, name + ".clock.jsonl"))]
    print(f"\n{name}: {len(rows)} processes; a launch of ours every {statistics.mean(r['period'] for r in rows) / 1e3:.0f} us, "
          f"{rows[0]['samples']} of them; the clock held after {statistics.mean(r['settled'] for r in rows):.2f} s\n")
    print("| way | time | scatter | MHz | scatter | thousand cycles | scatter | first and last launches, MHz | most W | at the power cap |")
    print("|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for way in sorted(rows[0]["ways"]):
        found = [r["ways"][way] for r in rows]
        us, mhz, cycles = ([statistics.median(f[key]) for f in found] for key in ("ns", "mhz", "kcycles"))
        first, last = (statistics.mean(statistics.median(f["mhz"][part]) for f in found) for part in (slice(None, ENDS), slice(-ENDS, None)))
        windows = [w for r, f in zip(rows, found) if (w := of_window(power.get(r["uuid"], []), f["from"], f["to"]))]
        watts, capped, named = (statistics.mean(w[i] for w in windows) if windows else float("nan") for i in range(3))
        slowed = "; SLOWED DOWN OTHERWISE" if any(w[3] for w in windows) else ""
        print(f"| {way} | {statistics.mean(us) / 1e3:.1f} us | {spread(us):.2f} % | {statistics.mean(mhz):.0f} | {spread(mhz):.2f} % | {statistics.mean(cycles):.1f} | "
              f"{spread(cycles):.2f} % | {first:.0f}, {last:.0f} | {watts:.0f} | {capped:.0f} % (named by {named:.0f} %{slowed}) |")


def main():
    power = readings(sys.argv[1])
    for name in sys.argv[2:]:
        table(sys.argv[1], name, power)


main()
