#!/usr/bin/env python3
"""The kernels of libraries that run.sh checks, as a perfgate.yaml, and the table that it makes of the results.

    catalogue.py config cpu|cuda|imprecise > perfgate.yaml
    catalogue.py table TITLE RESULT.json... > table.md
"""

import json
import os
import sys

# Ranges of sizes by name. Small: a case is compared with a reference that runs several times.
SIZES = {
    "product": "m: {fuzz: {min: 1, max: 200, near: 32}}, n: {fuzz: {min: 1, max: 200, near: 32}}, k: {fuzz: {min: 1, max: 2000, near: 64}}",
    "aligned": "m: {fuzz: {min: 16, max: 256, multiple-of: 16}}, n: {fuzz: {min: 16, max: 256, multiple-of: 16}}, "
    "k: {fuzz: {min: 16, max: 2048, multiple-of: 16}}",
    "rows": "rows: {fuzz: {min: 1, max: 60}}, n: {fuzz: {min: 1, max: 4000, near: 128}}",
    "layers": "m: {fuzz: {min: 1, max: 64, near: 16}}, n: {fuzz: {min: 1, max: 200, near: 32}}, k: {fuzz: {min: 1, max: 600, near: 64}}",
    "deep": "m: {fuzz: {min: 1, max: 64, near: 16}}, n: {fuzz: {min: 1, max: 64, near: 16}}, k: {fuzz: {min: 1000, max: 20000, near: 64}}",
    "long": "rows: {fuzz: {min: 1, max: 8}}, n: {fuzz: {min: 1, max: 100000, near: 1024}}",
    "labels": "rows: {fuzz: {min: 1, max: 300}}, n: {fuzz: {min: 2, max: 1000}}",
    "heads": "b: {fuzz: {min: 1, max: 3}}, s: {fuzz: {min: 1, max: 600, near: 64}}, d: {values: [32, 64, 128]}, causal: {values: [0, 1]}",
    "image": "c: {fuzz: {min: 1, max: 24}}, size: {fuzz: {min: 3, max: 40}}",
    "vector": "m: {fuzz: {min: 1, max: 60000, near: 32}}",
    "matrix-vector": "m: {fuzz: {min: 1, max: 300}}, k: {fuzz: {min: 1, max: 3000, near: 32}}",
    "matrix": "m: {fuzz: {min: 1, max: 150, near: 16}}, n: {fuzz: {min: 1, max: 150, near: 16}}",
    "update": "m: {fuzz: {min: 1, max: 150, near: 16}}, k: {fuzz: {min: 1, max: 1000}}",
}
# Of a CPU: fewer, and sums as long.
SIZES_ON_CPU = {
    "product": "m: {fuzz: {min: 1, max: 48, near: 16}}, n: {fuzz: {min: 1, max: 48, near: 16}}, k: {fuzz: {min: 1, max: 1500, near: 64}}",
    "rows": "rows: {fuzz: {min: 1, max: 24}}, n: {fuzz: {min: 1, max: 3000, near: 128}}",
    "layers": "m: {fuzz: {min: 1, max: 24}}, n: {fuzz: {min: 1, max: 64, near: 16}}, k: {fuzz: {min: 1, max: 300, near: 64}}",
    "deep": "m: {fuzz: {min: 1, max: 12}}, n: {fuzz: {min: 1, max: 12}}, k: {fuzz: {min: 1000, max: 12000, near: 64}}",
    "long": "rows: {fuzz: {min: 1, max: 3}}, n: {fuzz: {min: 1, max: 50000, near: 1024}}",
    "labels": "rows: {fuzz: {min: 1, max: 60}}, n: {fuzz: {min: 2, max: 500}}",
    "heads": "b: {fuzz: {min: 1, max: 2}}, s: {fuzz: {min: 1, max: 200, near: 64}}, d: {values: [32, 64]}, causal: {values: [0, 1]}",
    "image": "c: {fuzz: {min: 1, max: 12}}, size: {fuzz: {min: 3, max: 24}}",
    "vector": "m: {fuzz: {min: 1, max: 30000, near: 32}}",
    "matrix-vector": "m: {fuzz: {min: 1, max: 100}}, k: {fuzz: {min: 1, max: 2000, near: 32}}",
    "matrix": "m: {fuzz: {min: 1, max: 64, near: 16}}, n: {fuzz: {min: 1, max: 64, near: 16}}",
    "update": "m: {fuzz: {min: 1, max: 64, near: 16}}, k: {fuzz: {min: 1, max: 1000}}",
}
MEASURED = {
    "product": "m: 32, n: 32, k: 512", "aligned": "m: 64, n: 64, k: 512", "rows": "rows: 16, n: 1024", "long": "rows: 2, n: 50000", "layers": "m: 32, n: 64, k: 128", "deep": "m: 16, n: 16, k: 8000",
    "labels": "rows: 64, n: 500", "heads": "b: 1, s: 256, d: 64, causal: 0", "image": "c: 8, size: 16", "vector": "m: 4096",
    "matrix-vector": "m: 64, k: 512", "matrix": "m: 64, n: 64", "update": "m: 64, k: 64",
}

# What computes in less than float32: Debian's torch 1.13 on a CPU its products in bf16, torch 2.11 on a GPU its running sums in their own dtype,
# both each step of a loss of logits.
ACCUMULATES = {
    ("cpu", "matmul-bf16"): "bf16", ("cpu", "linear-bf16"): "bf16", ("cpu", "bmm-bf16"): "bf16",
    ("cuda", "cumsum-f16"): "f16", ("cuda", "cumsum-bf16"): "bf16", ("cuda", "logcumsumexp-bf16"): "bf16",
    ("cpu", "binary_loss-bf16"): "bf16", ("cpu", "layernorm-bf16"): "bf16",
    ("cuda", "binary_loss-f16"): "f16", ("cuda", "binary_loss-bf16"): "bf16",
}

HALVES, FLOATS = ["f16", "bf16"], ["f32", "f16", "bf16"]

# Operation of operations.pg.py: sizes, and the dtypes on a GPU and on a CPU.
TORCH = {
    "matmul": ("product", FLOATS + ["f64"], ["f32", "bf16", "f64"]),
    "linear": ("product", FLOATS, ["f32", "bf16"]),
    "bmm": ("product", FLOATS, ["f32", "bf16"]),
    "scaled_mm": ("aligned", ["f8e4m3", "f8e5m2"], []),
    "flash": ("heads", HALVES, []),
    "efficient": ("heads", FLOATS, []),
    "cudnn": ("heads", HALVES, []),
    "math": ("heads", FLOATS, []),
    "attention": ("heads", [], ["f32"]),
    "softmax": ("rows", FLOATS, ["f32", "bf16"]),
    "logsumexp": ("rows", FLOATS, ["f32"]),
    "log_softmax": ("rows", FLOATS, ["f32", "bf16"]),
    "layernorm": ("rows", FLOATS, ["f32", "bf16"]),
    "rmsnorm": ("rows", FLOATS, []),
    "batchnorm": ("image", FLOATS, ["f32"]),
    "groupnorm": ("image", FLOATS, ["f32", "bf16"]),
    "gelu": ("rows", FLOATS, ["f32", "bf16"]),
    "gelu_tanh": ("rows", FLOATS, ["f32"]),
    "silu": ("rows", FLOATS, ["f32"]),
    "cumsum": ("rows", FLOATS, ["f32"]),
    "sum": ("rows", FLOATS, ["f32", "bf16"]),
    "total": ("long", FLOATS, ["f32"]),
    "mean": ("rows", FLOATS, ["f32"]),
    "variance": ("rows", FLOATS, ["f32"]),
    "norm": ("rows", FLOATS, ["f32"]),
    "cross_entropy": ("labels", FLOATS, ["f32", "bf16"]),
    "conv2d": ("image", FLOATS, ["f32", "bf16"]),
    "conv1d": ("image", FLOATS, ["f32"]),
    "embedding_backward": ("labels", FLOATS, ["f32"]),
    "softmax_backward": ("rows", FLOATS, ["f32"]),
    "through_softmax": ("rows", ["f32"], ["f32"]),
    "cross_entropy_backward": ("labels", FLOATS, ["f32"]),
    "layernorm_backward": ("rows", FLOATS, ["f32"]),
}
# The same of operations that no part of the bound was chosen by.
UNSEEN = {
    **{name: ("rows", FLOATS, ["f32", "bf16"]) for name in (
        "tanh", "sin", "exp", "log1p", "rsqrt", "erf", "softplus", "mish", "hardswish", "relu", "swiglu", "difference", "mse", "binary_loss", "poisson_loss", "divergence", "cosine",
        "masked_softmax", "gumbel", "rotary", "amax", "argmax", "topk", "sorted")},
    **{name: ("rows", ["f32"], ["f32"]) for name in ("kl", "cumprod", "rfft", "quantise")},
    "logcumsumexp": ("rows", ["f32", "bf16"], ["f32"]),
    "eighth": ("rows", FLOATS, []),
    **{name: ("image", FLOATS, ["f32"]) for name in (
        "maxpool", "avgpool", "bilinear", "bicubic", "depthwise", "conv_transpose", "conv2d_weight_backward", "instancenorm")},
    "two_layers": ("layers", FLOATS, ["f32"]),
    "addmm": ("product", FLOATS, ["f32"]),
    "deep_matmul": ("deep", FLOATS, ["f32"]),
    "lstm_cell": ("layers", ["f32"], ["f32"]),
    "cdist": ("layers", ["f32"], ["f32"]),
    "scatter_add": ("labels", FLOATS, ["f32"]),
    "flash_backward": ("heads", HALVES, []),
    "efficient_backward": ("heads", FLOATS, []),
}
NUMPY = {
    "np_matmul": ("product", ["f32", "f64"]), "np_einsum": ("product", ["f32"]), "np_sum": ("rows", ["f32", "f16", "f64"]),
    "np_sum_columns": ("rows", ["f32"]), "np_mean": ("rows", ["f32", "f16"]), "np_std": ("rows", ["f32"]), "np_cumsum": ("rows", ["f32"]),
    "np_norm": ("rows", ["f32"]), "np_tanh": ("rows", ["f32"]), "np_exp": ("rows", ["f32"]),
}
BLAS = {
    "sgemm": "product", "dgemm": "product", "sgemm_transposed": "product", "sgemv": "matrix-vector", "dgemv": "matrix-vector",
    "sger": "matrix", "ssyrk": "update", "strmm": "matrix", "strsm": "matrix", "sdot": "vector", "ddot": "vector", "sasum": "vector",
    "snrm2": "vector", "saxpy": "vector",
}


def kernel(device, name, adapter, sizes, dtype="", more=""):
    known = SIZES_ON_CPU if device == "cpu" else SIZES
    if (device, name) in ACCUMULATES:
        more += f", parity: {{accumulate: {ACCUMULATES[device, name]}}}"
    params = known[sizes] + (f", dtype: {{values: [{dtype}]}}" if dtype else "")
    measured = MEASURED[sizes] + (f", dtype: {dtype}" if dtype else "")
    return f"  - {{name: {name}, adapter: {adapter}, params: {{{params}}}, measure: [{{{measured}}}]{more}}}"


# Modes of a library on a GPU that lose precision. Undeclared, as here, they have to fail.
IMPRECISE = {
    "matmul-tf32": "f32", "bmm-tf32": "f32", "conv2d-tf32": "f32", "matmul-halfsums": "f16", "linear-halfsums": "f16", "cumsum-f16": "f16", "cumsum-bf16": "bf16",
}


def imprecise():
    lines = ["version: 1", "device: cuda", f"python: {sys.executable}", "kernels:"]
    for name, dtype in IMPRECISE.items():
        lines.append(kernel("", name, "operations.pg.py", TORCH[name.partition("-")[0]][0], dtype))
    return "\n".join(lines)


def config(device):
    if device == "imprecise":
        return imprecise()
    lines = ["version: 1", f"device: {device}", f"python: {sys.executable}", "kernels:"]
    if device == "cuda":
        for name in ("matmul", "bmm", "conv2d"):
            lines.append(kernel(device, f"{name}-tf32", "operations.pg.py", TORCH[name][0], "f32", ", parity: {accumulate: tf32}"))
    else:
        for name, sizes in BLAS.items():
            lines.append(kernel(device, name, "blas.pg.cc", sizes, more=", flags: [-O2, -lopenblas]"))
        for name, (sizes, dtypes) in NUMPY.items():
            lines += [kernel(device, f"{name}-{dtype}", "arrays.pg.py", sizes, dtype) for dtype in dtypes]
    for name, (sizes, on_gpu, on_cpu) in (TORCH | UNSEEN).items():
        for dtype in on_gpu if device == "cuda" else on_cpu:
            lines.append(kernel(device, f"{name}-{dtype}", "operations.pg.py", sizes, dtype))
    return "\n".join(lines)


def table(title, paths):
    """Prints the table. The number of kernels that did not pass: one that a library refused to run was not judged."""
    kernels = []
    for path in paths:
        with open(path) as file:
            kernels += [(os.path.basename(path)[: -len(".json")], k["parity"]) for k in json.load(file)["kernels"]]
    wrong = [name for name, p in kernels if p["status"] == "failed" and not refused(p)]
    unchecked = [name for name, p in kernels if p["status"] not in ("passed", "failed")]
    ended = [name for name, p in kernels if refused(p)]
    cases = sum(p.get("run", 0) for _, p in kernels)
    print(f"# {title}\n\n{len(kernels)} kernels, {cases} cases, each with inputs of a seed of its own. "
          f"Called wrong: {', '.join(wrong) or 'none'}. Not checked: {', '.join(unchecked) or 'none'}. Not run to the end, since the library raised: {', '.join(ended) or 'none'}.\n")
    print("| kernel | cases | elements | worst error over its bound | |\n|:--|--:|--:|--:|:--|")
    for name, p in kernels:
        print(f"| {name} | {p.get('run', 0)} | {p.get('elements', 0)} | {p.get('maxRatio', 0):.2f} | {remark(p)} |")
    return len(wrong) + len(unchecked)


def refused(p):
    """Whether the library itself raised."""
    return (p.get("failure") or {}).get("code") == "launch-failed"


def remark(p):
    failure = p.get("failure") or {}
    parts = [p["status"] if p["status"] != "passed" else "", p.get("reason", ""), failure.get("case", ""), failure.get("values", ""), failure.get("message", "")]
    if p.get("differing"):
        parts.append(f"two launches differ in {p['differing']}")
    return " ".join(filter(None, parts)).replace("|", "\\|").replace("\n", " ")[:300]


if __name__ == "__main__":
    if sys.argv[1] == "config":
        print(config(sys.argv[2]))
    else:
        sys.exit(1 if table(sys.argv[2], sys.argv[3:]) else 0)
