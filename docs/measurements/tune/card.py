#!/usr/bin/env python3
"""perfgate tune on a GPU, beside a long measurement of every setting and beside triton.autotune. Needs torch, Triton and nvcc.

    card.py build OUT [KERNEL...]                compiles every setting of card/'s kernels for the measuring
    card.py truth OUT PROCESSES [KERNEL...]      times every setting in so many fresh processes, with a clock of this file's own
    card.py autotune OUT PROCESSES               what triton.autotune chooses of the same settings, in so many fresh processes
    card.py tune PERFGATE OUT KERNEL BUDGET      a run of perfgate tune
    card.py tables OUT                           the tables, of what OUT has

The truth is no run of perfgate: in each process every setting is launched in turns, with a cold cache, and timed by events; a value is a trimmed mean, and
the truth of a setting is the mean over processes. Each step leaves a file a kernel in OUT, so that they can run on different days.
"""
import concurrent.futures, ctypes, glob, itertools, json, math, os, random, statistics, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
CARD = os.path.join(HERE, "card")
KERNELS = {  # knobs, as in card/perfgate.yaml, what is shipped, and the timed cases
    "rows": ({"BLOCK": [64, 128, 256, 512], "WIDTH": [1, 4], "ROWS": [1, 2, 4]}, (256, 1, 1), [{"rows": 32768, "columns": 512}, {"rows": 2048, "columns": 8192}]),
    "product": ({"TILE": [64, 128], "DEEP": [8, 16, 32], "EACH": [4, 8], "UNROLL": [1, 4]}, (64, 16, 4, 1), [{"n": 1024}]),
    "matmul": ({"ROWS": [64, 128], "COLUMNS": [64, 128, 256], "WARPS": [4, 8], "STAGES": [3, 4]}, (64, 64, 4, 3), [{"m": 2048, "n": 2048, "k": 2048}]),
}
PASSES, SAMPLES = 4, 12  # of each setting in a process
FLUSH = 160 << 20        # bytes written before each launch
WAITING = 3              # processes that import torch while one measures


def settings(kernel):
    names = list(KERNELS[kernel][0])
    return [dict(zip(names, values)) for values in itertools.product(*KERNELS[kernel][0].values())]


def text(setting):
    return ",".join(f"{name}={value}" for name, value in setting.items())


def case_name(kernel, case):
    return kernel + "/" + ",".join(f"{name}={value}" for name, value in case.items())


def library(out, kernel, setting):
    return os.path.join(out, "built", kernel, "-".join(map(str, setting.values())) + ".so")  # nvcc takes names with = or , for options


def build(out, kernels):
    """Compiles every setting: one of CUDA to a library, one of Triton into Triton's cache, by a launch."""
    jobs = []
    for kernel in kernels:
        os.makedirs(os.path.join(out, "built", kernel), exist_ok=True)
        if kernel == "matmul":
            found = settings(kernel)
            jobs += [[sys.executable, __file__, "compile", out, str(i)] for i in range(0, len(found), 2)]
            continue
        for s in settings(kernel):
            flags = [f"-D{name}={value}" for name, value in s.items()]
            jobs.append(["nvcc", "-std=c++17", "-O2", "-arch=native", "-shared", "-Xcompiler", "-fPIC", *flags, os.path.join(CARD, kernel + ".cu"), "-o", library(out, kernel, s)])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda job: subprocess.run(job, check=True, env=environment(out)), jobs))


def environment(out):
    return dict(os.environ, TRITON_CACHE_DIR=os.path.join(os.path.abspath(out), "built", "triton"))


def matmul_arguments(torch, case):
    make = lambda *shape: torch.randn(shape, device="cuda", dtype=torch.float16)
    return make(case["m"], case["k"]), make(case["k"], case["n"]), make(case["m"], case["n"])


def launchers(torch, out, kernel, case):
    """By setting: a function that launches it on one of four sets of buffers."""
    if kernel == "matmul":
        sys.path.insert(0, CARD)
        from matmul import matmul
        sets = [matmul_arguments(torch, case) for _ in range(4)]
        return {text(s): (lambda i, s=s: matmul(*sets[i % 4], setting=s)) for s in settings(kernel)}
    f32 = lambda *shape: torch.randn(shape, device="cuda")
    if kernel == "rows":
        name, sizes = "rows_norm", (case["rows"], case["columns"])
        sets = [(f32(*sizes), f32(case["rows"])) for _ in range(4)]
    else:
        name, sizes = "product", (case["n"],)
        sets = [(f32(case["n"], case["n"]), f32(case["n"], case["n"]), f32(case["n"], case["n"])) for _ in range(4)]
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    calls = {}
    for s in settings(kernel):
        function = getattr(ctypes.CDLL(library(out, kernel, s)), name)
        arguments = [[ctypes.c_int64(n) for n in sizes] + [ctypes.c_void_p(t.data_ptr()) for t in buffers] + [stream] for buffers in sets]
        calls[text(s)] = lambda i, function=function, arguments=arguments: function(*arguments[i % 4])
    return calls


def trimmed(values):
    values = sorted(values)
    cut = len(values) // 5
    return statistics.fmean(values[cut:len(values) - cut])


def timed(torch, calls):
    """Nanoseconds of each setting. While the device sleeps the host has time to launch, so that no gap between launches is timed."""
    flush = torch.empty(FLUSH // 4, device="cuda")
    found = {name: [] for name in calls}
    for name in runnable(torch, calls, set(calls)):
        del calls[name], found[name]
    for turn in range(PASSES):
        order = list(calls)
        random.shuffle(order)
        for name in order:
            pairs = []
            for i in range(SAMPLES):
                begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                torch.cuda._sleep(300000)
                flush.fill_(float(i))
                begin.record()
                calls[name](turn * SAMPLES + i)
                end.record()
                pairs.append((begin, end))
            torch.cuda.synchronize()
            found[name] += [1e6 * a.elapsed_time(b) for a, b in pairs]
    return {name: trimmed(values) for name, values in found.items()}


def runnable(torch, calls, names):
    """Launches settings once, and returns those that the device has no room for."""
    from triton.runtime.errors import OutOfResources
    refused = []
    for name in names:
        try:
            calls[name](0)
        except OutOfResources:
            refused.append(name)
    torch.cuda.synchronize()
    return refused


def warm(torch):
    a = torch.randn(4096, 4096, device="cuda")
    until = time.time() + 0.4
    while time.time() < until:
        a @ a
        torch.cuda.synchronize()


def chosen(torch, triton):
    """What triton.autotune takes of the settings, with its own clock, and what it spends."""
    sys.path.insert(0, CARD)
    from matmul import matmul_kernel
    found = settings("matmul")
    configs = [triton.Config({"ROWS": s["ROWS"], "COLUMNS": s["COLUMNS"]}, num_warps=s["WARPS"], num_stages=s["STAGES"]) for s in found]
    tuned = triton.autotune(configs=configs, key=["m", "n", "k"])(matmul_kernel)
    case = KERNELS["matmul"][2][0]
    a, b, c = matmul_arguments(torch, case)
    grid = lambda meta: (triton.cdiv(case["m"], meta["ROWS"]), triton.cdiv(case["n"], meta["COLUMNS"]))
    began = time.time()
    tuned[grid](a, b, c, case["m"], case["n"], case["k"], DEEP=128)
    torch.cuda.synchronize()
    best = tuned.best_config
    values = {"ROWS": best.kwargs["ROWS"], "COLUMNS": best.kwargs["COLUMNS"], "WARPS": best.num_warps, "STAGES": best.num_stages}
    return {"best": text(values), "seconds": round(time.time() - began, 2)}


def worker(out, what, kernels):
    """A fresh process: it imports, waits to be told to go on, and prints what it measured."""
    import torch
    import triton
    print("ready", flush=True)
    sys.stdin.readline()
    random.seed()
    warm(torch)
    if what == "autotune":
        return chosen(torch, triton)
    return {case_name(k, case): timed(torch, launchers(torch, out, k, case)) for k in kernels for case in KERNELS[k][2]}


def processes(out, what, count, kernels):
    """What each of count fresh processes measures, one after the other."""
    start = lambda: subprocess.Popen([sys.executable, __file__, "worker", out, what, *kernels], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment(out))
    waiting = []
    for n in range(count):
        while len(waiting) < min(WAITING, count - n):
            waiting.append(start())
        p = waiting.pop(0)
        said, _ = p.communicate("go\n") if p.stdout.readline() == "ready\n" else ("", p.kill())
        if p.wait() == 0:
            yield json.loads(said.splitlines()[-1])


def save(out, name, value):
    with open(os.path.join(out, name + ".json"), "w") as f:
        f.write(json.dumps(value, separators=(",", ":")).replace("},", "},\n") + "\n")


def measure(out, count, kernels):
    stretches = {k: [] for k in kernels}
    for found in processes(out, "truth", count, kernels):
        for k in kernels:
            stretches[k].append({name: times for name, times in found.items() if name.startswith(k + "/")})
            save(out, "truth-" + k, stretches[k])


def autotune(out, count):
    save(out, "autotune-matmul", list(processes(out, "autotune", count, [])))


def tune(perfgate, out, kernel, budget):
    folder = os.path.join(os.path.abspath(out), f"tune-{kernel}-{len(glob.glob(os.path.join(out, f'tune-{kernel}-*')))}")
    began = time.time()
    done = subprocess.run([os.path.abspath(perfgate), "tune", "--kernel", kernel, "--budget", budget, "--out", folder], cwd=CARD)
    print(f"exit {done.returncode} after {time.time() - began:.0f} s")


def answers(out, kernel):
    """What runs of tune say, by case, and by "*" for all together; the shipped setting by its values."""
    shipped = text(dict(zip(KERNELS[kernel][0], KERNELS[kernel][1])))
    for path in sorted(glob.glob(os.path.join(out, f"tune-{kernel}-*", "tune.json"))):
        with open(path) as f:
            found = json.load(f)
        names = [shipped if s["text"] == "shipped" else s["text"] for s in found["settings"]]
        tracks = dict([(c["name"], c) for c in found["cases"]] + [("*", found["all"])])
        yield {name: {"best": names[c["best"]], "among": {names[i] for i in c["among"]}, "rounds": sum(s["rounds"] for s in c["settings"]), "of": len(c["settings"]),
                      "seconds": found.get("seconds")} for name, c in tracks.items()}


def level(stretches, case):
    """By setting: the mean of the logarithms of all processes, over the case, or over all cases."""
    cases = list(stretches[0]) if case == "*" else [case]
    values = {s: [statistics.fmean(math.log(p[c][s]) for c in cases) for p in stretches] for s in stretches[0][cases[0]]}
    return {s: statistics.fmean(v) for s, v in values.items()}, values


def tables(out):
    percent = lambda x: f"{100 * math.expm1(x):.2f}"
    spread, rows = [], []
    for kernel in KERNELS:
        path = os.path.join(out, f"truth-{kernel}.json")
        if not os.path.exists(path):
            continue
        with open(path) as f:
            stretches = json.load(f)
        said = list(answers(out, kernel))
        for case in [case_name(kernel, c) for c in KERNELS[kernel][2]] + ["*"] * (len(KERNELS[kernel][2]) > 1):
            truth, values = level(stretches, case)
            best = min(truth, key=truth.get)
            behind = sorted(math.expm1(v - truth[best]) for v in truth.values())
            error = statistics.median(statistics.stdev(a - b for a, b in zip(values[s], values[best])) / math.sqrt(len(stretches)) for s in values if s != best)
            name = kernel + ", all cases" if case == "*" else case
            bands = ((-1, .005), (.005, .015), (.015, .05), (.05, .2), (.2, 1e9))
            spread.append([name, len(truth), *(sum(a <= b < z for b in behind) for a, z in bands), f"{100 * error:.2f}", f"{math.exp(truth[best]) / 1000:.1f}", len(stretches)])
            fastest = [truth[min(values, key=lambda s: values[s][i])] - truth[best] for i in range(len(stretches))]
            for a in said:
                a = a[case]
                rows.append([name, best, a["best"], percent(truth[a["best"]] - truth[best]), len(a["among"]), "yes" if best in a["among"] else "no", a["rounds"] * 2,
                             f"{100 * a['rounds'] / (32 * a['of']):.0f}", f"{percent(statistics.median(fastest))} ({percent(max(fastest))})"])
    show(["kernel and case", "settings", "within 0.5 % of the best", "to 1.5 %", "to 5 %", "to 20 %", "beyond", "standard error", "best, us", "processes"], spread)
    show(["kernel and case", "the truth's best", "tune's best", "regret", "named", "truth's best among them", "processes", "% of all to the last look",
          "regret of the fastest of one process: median (worst)"], rows)
    path = os.path.join(out, "autotune-matmul.json")
    if os.path.exists(path) and os.path.exists(os.path.join(out, "truth-matmul.json")):
        with open(path) as f, open(os.path.join(out, "truth-matmul.json")) as g:
            chose, stretches = json.load(f), json.load(g)
        truth, _ = level(stretches, next(iter(stretches[0])))
        show(["triton.autotune chose", "regret", "seconds"], [[c["best"], percent(truth[c["best"]] - min(truth.values())), c["seconds"]] for c in chose])


def show(head, rows):
    print()
    for row in [head, ["---"] * len(head), *rows]:
        print("| " + " | ".join(str(c) for c in row) + " |")


def main():
    verb, arguments = (sys.argv[1:2] or [""])[0], sys.argv[2:]
    if verb == "build":
        build(arguments[0], arguments[1:] or list(KERNELS))
    elif verb == "compile":  # two settings of Triton's, in a process of their own
        import torch
        found, calls = settings("matmul"), launchers(torch, arguments[0], "matmul", KERNELS["matmul"][2][0])
        runnable(torch, calls, [text(s) for s in found[int(arguments[1]):int(arguments[1]) + 2]])
    elif verb == "truth":
        measure(arguments[0], int(arguments[1]), arguments[2:] or list(KERNELS))
    elif verb == "autotune":
        autotune(arguments[0], int(arguments[1]))
    elif verb == "worker":
        print(json.dumps(worker(arguments[0], arguments[1], arguments[2:])))
    elif verb == "tune":
        tune(*arguments)
    elif verb == "tables":
        tables(arguments[0])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
