#!/usr/bin/env python3
"""Prints the perfgate.yaml of right or wrong kernels on a CPU: configure.py right|wrong."""

import re
import sys

SIZES = {
    "rows": ("rows: {fuzz: {min: 1, max: 13}}, n: {fuzz: {min: 1, max: 4099, near: 97}}", "rows: 7, n: 523"),
    "product": (
        "m: {fuzz: {min: 1, max: 37, near: 7}}, n: {fuzz: {min: 1, max: 53, near: 13}}, k: {fuzz: {min: 1, max: 1733, near: 31}}", "m: 19, n: 23, k: 317"),
    "image": ("c: {fuzz: {min: 1, max: 11}}, size: {fuzz: {min: 3, max: 29}}", "c: 5, size: 13"),
}
PRODUCTS = {"covariance", "gru", "stepwise_attention", "distances", "lower_product", "sparse_product", "cityblock", "kronecker"}
IMAGES = {"groupnorm_gradient", "conv3d", "dilated", "fold", "lp_pool", "local_response"}
EIGEN = "product lazy_product gram row_norms log_sums column_means sparse_product relu_layer logistic_layer cholesky"
CPP = {
    "dot8": "saturated last_block unsigned", "dequantise": "half_scale next_scale", "argmax": "half ties lanes", "conv": "next_row repeats_edge clipped bf16_weights",
    "groupnorm": "epsilon first_gain unbiased mean", "ragged": "one_more one_less padded", "scan": "half_carry reset last_scaled", "sort": "swapped repeated half",
    "softmax": "most_from_zero short_constant dropped scaled",
}


def kernel(name, adapter, sizes, more=""):
    dtype = name.rpartition("-")[2] if adapter.endswith(".py") else ""
    drawn, measured = SIZES[sizes]
    words = (f", dtype: {{values: [{dtype}]}}", f", dtype: {dtype}") if dtype else ("", "")
    print(f"  - {{name: {name}, adapter: {adapter}, params: {{{drawn}{words[0]}}}, measure: [{{{measured}{words[1]}}}]{more}}}")


def named(file, table):
    """The entries of a dict of an adapter, as its source has them."""
    with open(file) as source:
        text = source.read()
    return re.findall(r'^    "(\w+)": \((.*)\),$', text[text.index(f"\n{table} = ") :], re.M)


def right():
    for file, table, dtypes in (("right_torch.pg.py", "OPERATIONS", ("f32", "bf16")), ("right_scipy.pg.py", "FUNCTIONS", ("f32",))):
        for name, _ in named(file, table):
            sizes = "product" if name in PRODUCTS else "image" if name in IMAGES else "rows"
            for dtype in dtypes:
                kernel(f"{name}-{dtype}", file, sizes)
    for name in EIGEN.split():
        kernel(name, "right_eigen.pg.cc", "product", ", flags: [-Ofast, -march=native, -I/usr/include/eigen3]")
    for name in CPP:
        kernel(f"{name}-right", "wrong.pg.cc", "rows", ", flags: [-Ofast, -march=native]" if name != "sort" else "")


def wrong():
    for name, faults in CPP.items():
        for fault in faults.split():
            kernel(f"{name}-{fault}", "wrong.pg.cc", "rows")
    for name, rest in named("wrong_torch.pg.py", "OPERATIONS"):
        for fault in rest.rpartition(', "')[2].rstrip('"').split():
            for dtype in ("f32", "bf16"):
                kernel(f"{name}-{fault}-{dtype}", "wrong_torch.pg.py", "rows")


print(f"version: 1\ndevice: cpu\npython: {sys.executable}\nkernels:")
{"right": right, "wrong": wrong}[sys.argv[1]]()
