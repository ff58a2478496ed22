"""Numbers in the form that a script expects them in."""

import math

MODES = ("min", "max", "mean", "median", "all")


def quantile(values, q):
    """By linear interpolation, as torch.quantile."""
    values = sorted(values)
    at = q * (len(values) - 1)
    low = math.floor(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (at - low)


def as_do_bench(samples, given):
    """What do_bench returns, in milliseconds, for samples and the arguments that it was called with.

    NaN in that form where nothing was timed (samples is None): no number that anyone could take for a time.
    """
    ms = [ns / 1e6 for ns in samples.ns] if samples is not None else [math.nan]
    if "percentiles" in given:  # of Triton 1 and 2.0: the median, then these
        wanted = given["percentiles"]
        return quantile(ms, 0.5) if not wanted else tuple(quantile(ms, q) for q in (0.5, *wanted))
    if given.get("quantiles") is not None:
        values = [quantile(ms, q) for q in given["quantiles"]]
        return values[0] if len(values) == 1 else values
    return _reduced(ms, given.get("return_mode", "mean"))


def _reduced(ms, mode):
    if mode not in MODES:
        raise ValueError(f"return_mode is none of {', '.join(MODES)}: {mode!r}")
    if mode == "all":
        return ms
    return {"min": min, "max": max, "mean": lambda v: sum(v) / len(v), "median": lambda v: quantile(v, 0.5)}[mode](ms)
