"""Reads kernels/examples/faults_cuda.yaml. Standard library only.

    python3 faults.py batches     runs of the gate that cover all faults, none with two faults of one kernel:
                                  a name, kernels, flags, one run a line
"""
import re
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[3] / "kernels" / "examples"
ROW = re.compile(r'- \{dir: (\w+), kernel: (\w+), case: "([^"]*)", flag: (\S+), cause: ([\w-]+)(?:, also: \[([^\]]*)\])?\}$')


def rows():
    """Dictionaries of dir, kernel, case (with the kernel's name), flag, cause and also (a list)."""
    found = []
    for number, line in enumerate((EXAMPLES / "faults_cuda.yaml").read_text().splitlines(), 1):
        if not line.startswith("-"):
            continue
        m = ROW.match(line)
        if not m:
            sys.exit(f"faults_cuda.yaml:{number}: not a row as the others are: {line}")
        directory, kernel, case, flag, cause, also = m.groups()
        found.append({"dir": directory, "kernel": kernel, "case": f"{kernel}/{case}", "flag": flag, "cause": cause,
                      "also": also.split(", ") if also else []})
    return found


def batches():
    """Lists of flags, each with the kernels that it changes, so that no kernel is changed twice. First come, first served,
    flags of many kernels first."""
    kernels = {}
    for row in rows():
        kernels.setdefault(row["flag"], []).append(row["kernel"])
    found = []
    for flag in sorted(kernels, key=lambda f: (-len(kernels[f]), f)):
        for batch in found:
            if not any(set(kernels[flag]) & set(others) for _, others in batch):
                batch.append((flag, kernels[flag]))
                break
        else:
            found.append([(flag, kernels[flag])])
    return found


def main():
    if sys.argv[1:] != ["batches"]:
        sys.exit(__doc__)
    for number, batch in enumerate(batches(), 1):
        print(number, ",".join(k for _, kernels in batch for k in kernels), *(flag for flag, _ in batch))


if __name__ == "__main__":
    main()
