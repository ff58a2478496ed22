"""What PyTorch does for a kernel's tensors. perfgate appends WHAT, the function, and SPECS, the tensors of each case as the kernel's own adapter has them."""

import perfgate as pg
import torch
import torch.nn.functional as F


def key(case):
    return ",".join(f"{name}={value}" for name, value in case.items())


def tensors(case):
    rows = SPECS.get(key(case))
    if rows is None or not computes(case, rows):
        return None
    return {row["name"]: tensor(row) for row in rows}


def computes(case, rows):
    """Whether this PyTorch has the function for tensors of these types: on a CPU many lack f16. It is tried with one element in each dimension."""
    if case.device != "cpu":
        return True
    tiny = {row["name"]: torch.zeros([1] * len(row["shape"]), dtype=pg.dtype(row["dtype"]).torch) for row in rows}
    try:
        launch(case, tiny)
    except RuntimeError as problem:
        if "not implemented for" in str(problem):
            return False
        raise
    return True


def tensor(row):
    fill = pg.Fill(row["fill"], row["a"], row["b"])
    fixed, nonfinite = bool(row["flags"] & 1), bool(row["flags"] & 2)
    if row["role"] == "in":
        return pg.In(row["shape"], dtype=row["dtype"], fill=fill, fixed=fixed, nonfinite=nonfinite)
    return pg.Out(row["shape"], dtype=row["dtype"], atol=row["atol"], rtol=row["rtol"])


def launch(case, t):
    rows = SPECS[key(case)]
    inputs = [t[row["name"]] for row in rows if row["role"] == "in"]
    out = t[[row["name"] for row in rows if row["role"] == "out"][0]]
    return FUNCTIONS[WHAT](case, inputs, out)


def sdpa(case, inputs, out):
    if not hasattr(F, "scaled_dot_product_attention"):
        raise NotImplementedError(f"PyTorch {torch.__version__} has no scaled_dot_product_attention: 2.0 and newer have it")
    q, k, v = inputs[:3]
    causal = "causal" in case and bool(case.causal)
    return F.scaled_dot_product_attention(q, k, v, is_causal=causal).to(out.dtype)


def matmul(case, inputs, out):
    a, b = inputs[:2]
    if a.dtype == out.dtype:
        torch.matmul(a, b, out=out)
    elif a.is_cuda and a.dim() == b.dim() == 2:  # products of f16 in an f32, as cuBLAS has it
        torch.mm(a, b, out_dtype=out.dtype, out=out)
    else:
        torch.matmul(a.to(out.dtype), b.to(out.dtype), out=out)


def softmax(case, inputs, out):
    torch.softmax(inputs[0], -1, dtype=out.dtype, out=out)


def layer_norm(case, inputs, out):
    x, *affine = inputs
    weight, bias = (affine + [None, None])[:2]
    return F.layer_norm(x, x.shape[-1:], weight, bias).to(out.dtype)


FUNCTIONS = {"sdpa": sdpa, "matmul": matmul, "softmax": softmax, "layer_norm": layer_norm}
