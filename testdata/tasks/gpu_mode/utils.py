"""Helpers in the form that problems of GPU MODE share: written for these tests."""

import random

import numpy
import torch


def set_seed(seed=42):
    random.seed(seed)
    numpy.random.seed(seed)
    torch.manual_seed(seed)


@torch.no_grad()
def verbose_allclose(received, expected, rtol=1e-05, atol=1e-08, max_print=5):
    if received.shape != expected.shape:
        return ["SIZE MISMATCH"]
    off = torch.abs(received - expected) > atol + rtol * torch.abs(expected)
    off |= torch.isnan(received) != torch.isnan(expected)
    return [f"{int(off.sum())} elements differ"] if bool(off.any()) else []


@torch.no_grad()
def verbose_allequal(received, expected, max_print=5):
    return [] if torch.equal(received, expected) else ["elements differ"]


def match_reference(data, output, reference, rtol=1e-05, atol=1e-08):
    reasons = verbose_allclose(output, reference(data), rtol=rtol, atol=atol)
    return (False, " ".join(reasons)) if reasons else (True, "")


def make_match_reference(reference, **kwargs):
    def wrapped(data, output):
        return match_reference(data, output, reference=reference, **kwargs)

    return wrapped
