"""Stands for triton: the names and signatures that benchmark scripts use (triton 3.6), with bodies of our own."""

from . import testing
from .runtime.autotuner import Autotuner, Config, autotune

__all__ = ["Autotuner", "Config", "autotune", "testing"]
