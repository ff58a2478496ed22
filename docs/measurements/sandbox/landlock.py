"""Runs a command under single rules of Landlock and seccomp: landlock.py RULES FOLDER HOW COMMAND...

RULES are words with commas between: fs (reads the system, writes FOLDER), proc (and writes all of /proc), net (no TCP), ports
(but 49152 to 49215), abstract (no abstract sockets of others), signal (no signals to others); of system calls unix (Unix
sockets do not connect), inet, netlink (no sockets of these), sysv (no System V IPC), counters (no perf_event_open), clone3 (not there); none. HOW the command starts: exec
(by the C library, which tools replace), raw (by the system call), load (no new program: run() of the library COMMAND is called
here), policy (nothing starts: the file COMMAND is written, with the rules for files and system calls as the harness reads them). A
rule of system calls holds for whatever is started as well. Standard library only.
"""
import ctypes
import glob
import os
import struct
import sys

CREATE, ADD, RESTRICT = 444, 445, 446  # system calls
EXECVE = {"x86_64": 59, "aarch64": 221}[os.uname().machine]
PATH, PORT = 1, 2                      # kinds of rules
EXECUTE, WRITE, READ, LIST, TRUNCATE, IOCTL, EVERYTHING = 1, 2, 4, 8, 1 << 14, 1 << 15, (1 << 16) - 1
ON_FILES = EXECUTE | WRITE | READ | TRUNCATE | IOCTL
SYSTEM = ["/usr", "/lib", "/lib64", "/bin", "/sbin", "/opt", "/etc", "/sys", "/proc/self", "/proc/driver", "/proc/devices",
          "/proc/modules", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version", "/proc/filesystems", "/proc/sys"]
DEVICES = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"]
libc = ctypes.CDLL(None, use_errno=True)
# Of seccomp: what the processor is called there, and system calls with the first argument that is refused, None for any, and the errno.
ARCH, CALLS = {
    "x86_64": (0xC000003E, {"socket": 41, "unix": [42], "sysv": [29, 30, 31, 64, 65, 66, 67, 68, 69, 70, 71, 220], "counters": [298], "clone3": [435]}),
    "aarch64": (0xC00000B7, {"socket": 198, "unix": [203], "sysv": list(range(186, 198)), "counters": [241], "clone3": [435]}),
}[os.uname().machine]
FAMILIES = {"inet": [2, 10], "netlink": [16]}
LOAD, EQUAL, RETURN, ALLOW, ERRNO, EACCES = 0x20, 0x15, 0x06, 0x7FFF0000, 0x00050000, 13
ERRNOS = {"clone3": 38, "unix": 2}  # ENOSYS, ENOENT


def bpf(rules):
    """The program for seccomp that refuses what rules name; empty where they name nothing of it."""
    checks = []
    for word in rules:
        for family in FAMILIES.get(word, []):
            checks += [(LOAD, 0, 0, 0), (EQUAL, 0, 3, CALLS["socket"]), (LOAD, 0, 0, 16), (EQUAL, 0, 1, family), (RETURN, 0, 0, ERRNO | EACCES)]
        for number in CALLS[word] if word in ("sysv", "counters", "clone3", "unix") else []:
            checks += [(LOAD, 0, 0, 0), (EQUAL, 0, 1, number), (RETURN, 0, 0, ERRNO | ERRNOS.get(word, EACCES))]
    if not checks:
        return []
    return [(LOAD, 0, 0, 4), (EQUAL, 1, 0, ARCH), (RETURN, 0, 0, ALLOW)] + checks + [(RETURN, 0, 0, ALLOW)]


def seccomp(rules):
    program = bpf(rules)
    if program:
        text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *i) for i in program))
        header = struct.pack("HxxxxxxQ", len(program), ctypes.addressof(text))
        libc.prctl(38, 1, 0, 0, 0)
        if libc.prctl(22, 2, ctypes.c_char_p(header), 0, 0) != 0:
            sys.exit(f"landlock.py: seccomp: {os.strerror(ctypes.get_errno())}")


class Ruleset(ctypes.Structure):
    _fields_ = [("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("access", ctypes.c_uint64), ("fd", ctypes.c_int32)]


class Port(ctypes.Structure):
    _fields_ = [("access", ctypes.c_uint64), ("port", ctypes.c_uint64)]


def call(number, *args):
    got = libc.syscall(number, *args)
    if got < 0:
        sys.exit(f"landlock.py: system call {number}: {os.strerror(ctypes.get_errno())}")
    return got


def devices():
    """The card's; in a sandbox within another, /dev cannot be listed any more."""
    if "LANDLOCK_DEVICES" not in os.environ:
        os.environ["LANDLOCK_DEVICES"] = " ".join(glob.glob("/dev/nvidia*") + glob.glob("/dev/nvidia-caps/*"))
    return os.environ["LANDLOCK_DEVICES"].split()


def allow(ruleset, path, access):
    try:
        fd = os.open(path, os.O_PATH)
    except OSError:
        return
    if not os.path.isdir(path):
        access &= ON_FILES
    call(ADD, ruleset, PATH, ctypes.byref(Beneath(access, fd)), 0)
    os.close(fd)


def allowed(rules, folder):
    """Paths, and what is allowed of them."""
    for path in SYSTEM + [sys.base_prefix, os.path.dirname(os.path.abspath(__file__))]:
        yield path, EXECUTE | READ | LIST
    yield "/proc" if "proc" in rules else "/proc/self", EXECUTE | READ | LIST | WRITE | TRUNCATE
    yield folder, EVERYTHING
    for path in DEVICES + devices():
        yield path, READ | WRITE | TRUNCATE | IOCTL


def restrict(rules, folder):
    scoped = ("abstract" in rules) * 1 + ("signal" in rules) * 2
    wanted = Ruleset(EVERYTHING if "fs" in rules else 0, 3 if "net" in rules else 0, scoped)
    if not (wanted.fs or wanted.net or wanted.scoped):
        return
    ruleset = call(CREATE, ctypes.byref(wanted), ctypes.sizeof(wanted), 0)
    if wanted.fs:
        for path, access in allowed(rules, folder):
            allow(ruleset, path, access)
    for port in range(49152, 49216) if wanted.net and "ports" in rules else ():
        call(ADD, ruleset, PORT, ctypes.byref(Port(3, port)), 0)
    libc.prctl(38, 1, 0, 0, 0)  # no new privileges
    call(RESTRICT, ruleset, 0)


def strings(words):
    return (ctypes.c_char_p * (len(words) + 1))(*(w.encode() for w in words), None)


def main():
    if len(sys.argv) < 5 or sys.argv[3] not in ("exec", "raw", "load", "policy"):
        sys.exit(__doc__)
    how, command = sys.argv[3], sys.argv[4:]
    devices()
    if how == "policy":
        rules = [(p, a if os.path.isdir(p) else a & ON_FILES) for p, a in allowed(set(), sys.argv[2]) if os.path.exists(p)]
        text = ["".join("%04x%02x%02x%08x" % i for i in bpf(sys.argv[1].split(","))), "", f"{EVERYTHING:x}"] + [f"{access:x} {path}" for path, access in rules]
        with open(command[0], "w") as f:
            f.write("".join(t + "\0" for t in text))
        return
    restrict(set(sys.argv[1].split(",")), sys.argv[2])
    seccomp(sys.argv[1].split(","))
    if how == "load":
        sys.exit(ctypes.CDLL(command[0]).run())
    if how == "raw":
        call(EXECVE, command[0].encode(), strings(command), strings([f"{k}={v}" for k, v in os.environ.items()]))
    os.execvp(command[0], command)


main()
