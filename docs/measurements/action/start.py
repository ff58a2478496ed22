#!/usr/bin/env python3
"""How long the action takes from its start to the first process that runs a kernel, with the binary on the runner and
harness and adapters in perfgate's cache: install.sh, `action prepare` and `action measure` up to its first line on parity.
From the root of the repository: docs/measurements/action/start.py [REPEATS]"""
import hashlib, json, os, resource, shutil, subprocess, sys, tempfile, time

root = os.getcwd()
repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 10
tmp = tempfile.mkdtemp(prefix="perfgate-start-")


def sh(*args, cwd=None, env=None):
    subprocess.run(args, cwd=cwd, env=env, check=True, stdout=subprocess.DEVNULL)


def repository():
    """The sample repository with a second commit; returns its folder."""
    repo = os.path.join(tmp, "repo")
    shutil.copytree(os.path.join(root, "testdata", "consumer"), repo)
    identity = ["-c", "user.name=m", "-c", "user.email=m@example.com"]
    sh("git", "init", "-q", "-b", "main", cwd=repo)
    for text in ("x[i] * 0.5f", "0.5f * x[i] + 0.f"):
        kernel = os.path.join(repo, "csrc", "horner.cc")
        with open(kernel) as f:
            source = f.read()
        with open(kernel, "w") as f:
            f.write(source.replace("x[i] * 0.5f", text))
        sh("git", "add", "-A", cwd=repo)
        sh("git", *identity, "commit", "-q", "--allow-empty", "-m", text, cwd=repo)
    return repo


def release(tools):
    """The action's folder with the checksum of a fresh build, which lies where a runner keeps it."""
    action = os.path.join(tmp, "action")
    shutil.copytree(os.path.join(root, ".github", "action"), os.path.join(action, ".github", "action"))
    binary = os.path.join(tmp, "perfgate")
    sh("go", "build", "-buildvcs=false", "-trimpath", "-ldflags=-s -w", "-o", binary, "./cmd/perfgate", cwd=root)
    with open(binary, "rb") as f:
        digest = hashlib.sha256(f.read()).hexdigest()
    with open(os.path.join(action, ".github", "action", "binaries.txt"), "w") as f:
        f.write(f"v0.0.0 x64 {digest}\nv0.0.0 arm64 {digest}\n")
    os.makedirs(os.path.join(tools, "perfgate", digest))
    shutil.copy(binary, os.path.join(tools, "perfgate", digest, "perfgate"))
    print(f"binary: {os.path.getsize(binary) / 1e6:.1f} MB")
    return os.path.join(action, ".github", "action", "install.sh")


def cpu():
    """Processor time of all processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def middle(values):
    return sorted(values)[len(values) // 2]


def outputs(path):
    """The step's outputs that are one line."""
    with open(path) as f:
        lines = f.read().split("\n")
    found = dict(line.split("=", 1) for line in lines if "=" in line and "<<" not in line)
    for i, line in enumerate(lines):
        if "<<" in line:
            found[line.split("<<", 1)[0]] = lines[i + 1]
    return found


def main():
    repo, tools = repository(), os.path.join(tmp, "tools")
    install = release(tools)
    event = os.path.join(tmp, "event.json")
    with open(event, "w") as f:
        json.dump({"ref": "refs/heads/main", "repository": {"id": 1, "name": "r", "default_branch": "main", "owner": {"login": "o"}}}, f)
    env = {
        "PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "RUNNER_TEMP": tmp, "RUNNER_TOOL_CACHE": tools, "GITHUB_WORKSPACE": repo,
        "GITHUB_EVENT_NAME": "workflow_dispatch", "GITHUB_EVENT_PATH": event, "GITHUB_REPOSITORY": "o/r", "GITHUB_RUN_ID": "1", "GITHUB_RUN_ATTEMPT": "1",
        "GITHUB_SERVER_URL": "https://github.example", "GITHUB_API_URL": "https://github.example", "INPUT_INSTALL_MODE": "binary", "INPUT_DOWNLOAD_URL": "https://github.example",
    }
    rows = []
    for i in range(repeats + 1):  # the first one fills the cache
        times, spent = [], []

        def step(command, **more):
            output = os.path.join(tmp, f"output-{i}-{len(times)}")
            open(output, "w").close()
            start, before = time.monotonic(), cpu()
            process = subprocess.Popen(command, env={**env, "GITHUB_OUTPUT": output, **more}, stdout=subprocess.PIPE, text=True)
            for line in process.stdout:
                if line.startswith("parity:"):  # the first runner starts
                    times.append(time.monotonic() - start)
                    process.terminate()
            process.wait()
            if process.returncode == 0 and "measure" not in command:
                times.append(time.monotonic() - start)
            spent.append(cpu() - before)
            return outputs(output)

        binary = step([install])["bin"]
        work = step([binary, "action", "prepare"])["work"]
        step([binary, "action", "measure"], PERFGATE_WORK=work)
        if len(times) != 3:
            sys.exit(f"a step failed: {times}")
        rows.append((times, spent))
    names = ("install", "prepare", "measure, to the first runner", "together")
    wall, used = (list(zip(*[(*r[k], sum(r[k])) for r in rows[1:]])) for k in (0, 1))
    for name, w, u in zip(names, wall, used):
        print(f"{name:30} wall median {middle(w):.3f} s, longest {max(w):.3f} s; processor median {middle(u):.3f} s")
    print("load of the machine, one minute: %.1f on %d cores" % (os.getloadavg()[0], os.cpu_count()))


try:
    main()
finally:
    shutil.rmtree(tmp, ignore_errors=True)
