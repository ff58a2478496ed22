"""Runs a command under single rules of Landlock: landlock.py RULES FOLDER -- COMMAND...

RULES are words with commas between: fs (reads the system, writes FOLDER), proc (and writes all of /proc), net (no TCP), ports
(but 49152 to 49215), abstract (no abstract sockets of others), signal (no signals to others), none. Standard library only.
"""
import ctypes
import glob
import os
import sys

CREATE, ADD, RESTRICT = 444, 445, 446  # system calls
PATH, PORT = 1, 2                      # kinds of rules
EXECUTE, WRITE, READ, LIST, TRUNCATE, IOCTL, EVERYTHING = 1, 2, 4, 8, 1 << 14, 1 << 15, (1 << 16) - 1
ON_FILES = EXECUTE | WRITE | READ | TRUNCATE | IOCTL
SYSTEM = ["/usr", "/lib", "/lib64", "/bin", "/sbin", "/opt", "/etc", "/sys", "/proc/self", "/proc/driver", "/proc/devices",
          "/proc/modules", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version", "/proc/filesystems", "/proc/sys"]
DEVICES = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"]
libc = ctypes.CDLL(None, use_errno=True)


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


def allow(ruleset, path, access):
    try:
        fd = os.open(path, os.O_PATH)
    except OSError:
        return
    if not os.path.isdir(path):
        access &= ON_FILES
    call(ADD, ruleset, PATH, ctypes.byref(Beneath(access, fd)), 0)
    os.close(fd)


def restrict(rules, folder):
    scoped = ("abstract" in rules) * 1 + ("signal" in rules) * 2
    wanted = Ruleset(EVERYTHING if "fs" in rules else 0, 3 if "net" in rules else 0, scoped)
    if not (wanted.fs or wanted.net or wanted.scoped):
        return
    ruleset = call(CREATE, ctypes.byref(wanted), ctypes.sizeof(wanted), 0)
    if wanted.fs:
        for path in SYSTEM + [sys.base_prefix, os.path.dirname(os.path.abspath(__file__))]:
            allow(ruleset, path, EXECUTE | READ | LIST)
        allow(ruleset, "/proc" if "proc" in rules else "/proc/self", EXECUTE | READ | LIST | WRITE | TRUNCATE)
        allow(ruleset, folder, EVERYTHING)
        for path in DEVICES + glob.glob("/dev/nvidia*") + glob.glob("/dev/nvidia-caps/*"):
            allow(ruleset, path, READ | WRITE | TRUNCATE | IOCTL)
    for port in range(49152, 49216) if wanted.net and "ports" in rules else ():
        call(ADD, ruleset, PORT, ctypes.byref(Port(3, port)), 0)
    libc.prctl(38, 1, 0, 0, 0)  # no new privileges
    call(RESTRICT, ruleset, 0)


def main():
    if len(sys.argv) < 5 or sys.argv[3] != "--":
        sys.exit(__doc__)
    restrict(set(sys.argv[1].split(",")), sys.argv[2])
    os.execvp(sys.argv[4], sys.argv[4:])


main()
