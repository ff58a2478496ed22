"""Speaks docs/protocol.md to a harness. Standard library only."""
import json
import os
import subprocess


class Fault(Exception):
    def __init__(self, error):
        super().__init__(error["code"] + ": " + error["message"])
        self.code = error["code"]


class Runner:
    """One fresh harness process with one adapter. `log` gets every line, for a transcript."""

    def __init__(self, harness, adapter, log=None, prefix=()):
        command_r, command_w = os.pipe()
        reply_r, reply_w = os.pipe()
        args = [*prefix, harness, "--adapter", adapter, "--in", str(command_r), "--out", str(reply_w)]
        env = dict(os.environ, CUDA_DEVICE_ORDER="PCI_BUS_ID")
        self.process = subprocess.Popen(args, pass_fds=(command_r, reply_w), env=env, start_new_session=True)
        os.close(command_r)
        os.close(reply_w)
        self.commands, self.replies = os.fdopen(command_w, "w"), os.fdopen(reply_r)
        self.log, self.id = log, 0
        self.hello = self.answer()

    def answer(self):
        line = self.replies.readline()
        if not line:
            raise EOFError("the runner ended")
        if self.log is not None:
            self.log.append("< " + line.rstrip("\n"))
        reply = json.loads(line)
        if not reply["ok"]:
            raise Fault(reply["error"])
        return reply

    def call(self, op, **members):
        self.id += 1
        line = json.dumps({"id": self.id, "op": op, **members}, separators=(",", ":"))
        if self.log is not None:
            self.log.append("> " + line)
        self.commands.write(line + "\n")
        self.commands.flush()
        return self.answer()

    def close(self):
        try:
            self.call("quit")
        except (EOFError, OSError, Fault):
            pass
        self.commands.close()
        self.process.wait()


def case(kernel, **params):
    return {"kernel": kernel, "params": [{"name": k, "text": str(v), "value": v} for k, v in params.items()]}
