"""Do forked processes scatter more? One process after the other times PyTorch's attention, begun in different ways, one thing varied at a time.

    python3 forked.py COUNT SECONDS WAY...    COUNT processes a way; lines of JSON; starts none after SECONDS

    fork     forked by a parent that has imported torch; a new parent after six
    fresh    an interpreter that has imported torch before its turn, so that nothing lies between two processes, as with fork
    fixed    as fresh, without randomised addresses (setarch -R), as children of one parent have the same ones
    spaced   as fork, three seconds after the process before, as it is where the import comes between

The ways take turns. Each process times a graph of 20 launches: `first`; the same graph again, `again`, which tells what moves with the moment; and
after new allocations and another recording, `moved`, which tells what depends on where things lie. `canary` is a product of matrices, which
follows the clock of the SMs. All in microseconds a launch.
"""
import json
import os
import random
import subprocess
import sys
import time


def median(values):
    return sorted(values)[len(values) // 2]


def measure():
    import torch

    began = time.monotonic()
    torch.zeros(1, device="cuda")
    torch.cuda.synchronize()
    out = {"context": time.monotonic() - began}
    flush = torch.empty(120 << 20, dtype=torch.uint8, device="cuda")
    warm = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    end = time.monotonic() + 0.25
    while time.monotonic() < end:
        warm @ warm
        torch.cuda.synchronize()

    def recorded(launch, count):
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            launch()
            launch()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(count):
                launch()
        return graph

    def timed(graph, count, samples=40):
        values = []
        for _ in range(samples):
            flush.fill_(1)
            first, last = torch.cuda.Event(True), torch.cuda.Event(True)
            first.record()
            graph.replay()
            last.record()
            torch.cuda.synchronize()
            values.append(first.elapsed_time(last) * 1e3 / count)
        return median(values)

    def attention():
        q = torch.randn(4, 8, 1024, 64, device="cuda", dtype=torch.float16)
        return q, recorded(lambda: torch.nn.functional.scaled_dot_product_attention(q, q, q), 20)

    q, graph = attention()
    out["first"] = timed(graph, 20)
    out["again"] = timed(graph, 20)
    gap = torch.empty(random.randrange(1, 200) << 20, dtype=torch.uint8, device="cuda")
    other, moved = attention()
    out["moved"] = timed(moved, 20)
    a = torch.randn(1024, 1024, device="cuda", dtype=torch.float16)
    out["canary"] = timed(recorded(lambda: torch.mm(a, a), 20), 20)
    out["at"] = [hex(q.data_ptr()), hex(other.data_ptr()), gap.numel() >> 20]
    out["seconds"] = time.monotonic() - began
    return out


def interpreter():
    """Imports, waits for its turn, measures."""
    import torch  # noqa: F401

    sys.stdin.readline()
    print(json.dumps(measure()), flush=True)
    os._exit(0)


def parent():
    """Imports, and forks a process a line."""
    import torch  # noqa: F401

    for _ in sys.stdin:
        if (pid := os.fork()) == 0:
            print(json.dumps(measure()), flush=True)
            os._exit(0)
        os.waitpid(pid, 0)


class Way:
    """Processes that wait for their turn."""

    def __init__(self, name):
        self.name, self.waiting, self.left = name, [], 0
        self.ahead()

    def ahead(self):
        role = "parent" if self.name in ("fork", "spaced") else "interpreter"
        command = (["setarch", "-R"] if self.name == "fixed" else []) + [sys.executable, "-B", __file__, role]
        while len(self.waiting) < 2:
            self.waiting.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))

    def turn(self):
        if self.name == "spaced":
            time.sleep(3)
        process = self.waiting[0]
        if self.name in ("fork", "spaced"):
            self.left = self.left or 6
            self.left -= 1
            ended = self.left == 0
        else:
            ended = True
        print("go", file=process.stdin, flush=True)
        line = process.stdout.readline()
        if ended:
            self.waiting.pop(0)
            process.stdin.close()
            process.wait()
            self.ahead()
        return json.loads(line or "{}")

    def close(self):
        for process in self.waiting:
            process.kill()
            process.wait()


def main():
    if sys.argv[1] in ("interpreter", "parent"):
        return {"interpreter": interpreter, "parent": parent}[sys.argv[1]]()
    count, limit = int(sys.argv[1]), float(sys.argv[2])
    began = time.monotonic()
    ways = [Way(name) for name in sys.argv[3:]]
    time.sleep(8)  # imports
    for turn in range(count):
        for way in random.sample(ways, len(ways)):
            if time.monotonic() - began < limit:
                print(json.dumps({"way": way.name, "turn": turn, **way.turn()}), flush=True)
    for way in ways:
        way.close()


if __name__ == "__main__":
    main()
