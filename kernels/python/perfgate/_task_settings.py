"""Settings of PyTorch that decide how exactly it computes. A solution may change them for itself, and not for the reference: that would be as inexact as it is."""

from __future__ import annotations

import contextlib
from typing import Any, Dict, Iterator, Tuple

import torch

# Modules of torch.backends, and what they have. The newer names come last: setting one of the older ones sets them, too.
OLDER = {
    "cuda.matmul": ("allow_tf32", "allow_fp16_reduced_precision_reduction", "allow_bf16_reduced_precision_reduction", "allow_fp16_accumulation"),
    "cudnn": ("allow_tf32", "deterministic", "benchmark", "enabled"),
}
NEWER = ("", "cuda.matmul", "cudnn", "cudnn.conv", "cudnn.rnn", "mkldnn", "mkldnn.matmul", "mkldnn.conv", "mkldnn.rnn")
NAMES = [("backends." + module, name) for module, names in OLDER.items() for name in names]
NAMES += [("backends." + module if module else "backends", "fp32_precision") for module in NEWER]
FUNCTIONS = (("get_default_dtype", "set_default_dtype"), ("get_float32_matmul_precision", "set_float32_matmul_precision"), ("get_default_device", "set_default_device"))

Setting = Tuple[str, str]


def value_of(setting: Setting) -> Any:
    """None: this PyTorch has no such setting (an AssertionError says so, too), or says that it was set in two ways."""
    module, name = setting
    if not module:
        ask = getattr(torch, name, None)
        return ask and ask()
    found: Any = torch
    for part in module.split("."):
        found = getattr(found, part, None)
    try:
        return getattr(found, name, None)
    except (RuntimeError, AssertionError):
        return None


def put(setting: Setting, value: Any) -> None:
    module, name = setting
    if value is None or value_of(setting) == value:
        return
    if not module:
        getattr(torch, dict(FUNCTIONS)[name])(value)
        return
    found: Any = torch
    for part in module.split("."):
        found = getattr(found, part)
    setattr(found, name, value)


class Settings:
    """Those of the moment when it was made: the problem's own, once its modules are loaded and the solution's is not."""

    def __init__(self) -> None:
        self.own = now()

    @contextlib.contextmanager
    def restored(self, device: str) -> Iterator[None]:
        """Within it they are the problem's, and nothing is cast to narrower types for the solution's sake."""
        found = now()
        try:
            put_all(self.own)
            with torch.autocast(device, enabled=False):
                yield
        finally:
            put_all(found)


def now() -> Dict[Setting, Any]:
    return {setting: value_of(setting) for setting in [("", ask) for ask, _ in FUNCTIONS] + NAMES}


def put_all(values: Dict[Setting, Any]) -> None:
    for setting, value in values.items():
        put(setting, value)
