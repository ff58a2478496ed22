"""Records processes of nvbench programs, in turn, their order by lot.

usage: nvbench_record.py OUT COUNT SECONDS KIND=PROGRAM... -- ARGUMENT...
OUT/KIND/NN.json and its binary samples are of process NN; SECONDS bound the whole recording. The README's kinds are A and B, one program twice, and 3 and 10,
whose kernels do 3 and 10 % of their work once more.
"""
import os
import random
import subprocess
import sys
import time


def main():
    split = sys.argv.index("--")
    out, count, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    programs = dict(word.split("=", 1) for word in sys.argv[4:split])
    start, took = time.time(), []
    random.seed(22)
    for kind in programs:
        os.makedirs(os.path.join(out, kind), exist_ok=True)
    for i in range(count):
        for kind in random.sample(sorted(programs), len(programs)):
            if time.time() - start > seconds:
                break
            began = time.time()
            command = [programs[kind], *sys.argv[split + 1:], "--jsonbin", os.path.join(out, kind, f"{i:02}.json")]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            took.append(time.time() - began)
    print(f"{len(took)} processes, {sum(took) / max(1, len(took)):.2f} s each")


main()
