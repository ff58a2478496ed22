"""Operations of PyTorch, on a GPU and on a CPU, against the same in float64. A kernel's name is OPERATION-VARIANT, as in catalogue.py."""

import perfgate as pg
import torch
import torch.nn.functional as F

ON_GPU = torch.cuda.is_available()
if ON_GPU:
    # TF32 is asked for by the kernels that are named so.
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
else:
    torch.set_num_threads(1)  # kernels are checked beside each other


def operation(case):
    return OPERATIONS[case.kernel.partition("-")[0]]


def tensors(case):
    if case.kernel.startswith("cudnn") and case.s == 1:
        return None  # cuDNN's attention has no kernel for one position
    inputs, outputs = operation(case).describe(case)
    made = {}
    for name, what in inputs.items():
        made[name] = what if isinstance(what, pg.In) else pg.In(what, dtype=case.dtype)
    for name, what in outputs.items():
        made[name] = what if isinstance(what, pg.Out) else pg.Out(what, dtype=case.dtype)
    return made


def launch(case, t):
    if ON_GPU:
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = case.kernel.endswith("tf32")
    with torch.no_grad():
        return operation(case).launch(case, t)


def reference(case, t):  # float64
    return operation(case).reference(case, t)


class Operation:
    """describe(case) gives the shapes of inputs and outputs; launch(case, t) calls the library, reference(case, t) gives what is right."""

    def __init__(self, describe, launch, reference=None):
        self.describe, self.launch, self.reference = describe, launch, reference or launch


def rows(case):
    return {"x": (case.rows, case.n)}, {"y": (case.rows, case.n)}


def scaled_rows(*names):
    return lambda case: ({"x": (case.rows, case.n), **{name: (case.n,) for name in names}}, {"y": (case.rows, case.n)})


def rows_to_one(case):
    return {"x": (case.rows, case.n)}, {"y": (case.rows,)}


def product(case):
    return {"a": (case.m, case.k), "b": (case.k, case.n)}, {"c": (case.m, case.n)}


def heads(case):
    shape = (case.b, 2, case.s, case.d)
    return {name: shape for name in "qkv"}, {"o": shape}


def exact_attention(case, t):
    scores = t.q @ t.k.transpose(-1, -2) / case.d**0.5
    if case.causal:
        later = torch.ones(case.s, case.s, dtype=torch.bool, device=t.q.device).triu(1)
        scores = scores.masked_fill(later, -float("inf"))
    return torch.softmax(scores, -1) @ t.v


def attention(backend):
    def launch(case, t):
        from torch.nn.attention import SDPBackend, sdpa_kernel

        with sdpa_kernel(getattr(SDPBackend, backend)):
            return F.scaled_dot_product_attention(t.q, t.k, t.v, is_causal=bool(case.causal))

    return Operation(heads, launch, exact_attention)


def indices(count, below):
    return pg.In(count, dtype="i64", fill=pg.uniform(0, below - 1), fixed=True)


CLASSES = 50


def classified(case):
    return {"x": (case.rows, case.n), "label": indices(case.rows, case.n)}, {"loss": (case.rows,)}


def exact_losses(case, t):
    return torch.logsumexp(t.x, -1) - t.x.gather(1, t.label.long()[:, None])[:, 0]


def embedded(case):
    return {"gradient": (case.rows, case.n), "index": indices(case.rows, CLASSES)}, {"table": (CLASSES, case.n)}


def embedding_backward(case, t):
    return torch.ops.aten.embedding_dense_backward(t.gradient, t.index, CLASSES, -1, False)


def exact_embedding_backward(case, t):
    return torch.zeros(CLASSES, case.n, dtype=torch.float64, device=t.gradient.device).index_add_(0, t.index.long(), t.gradient)


def images(case):
    c, size = case.c, case.size
    return {"x": (2, c, size, size), "w": (8, c, 3, 3), "bias": (8,)}, {"y": (2, 8, size, size)}


def sequences(case):
    return {"x": (2, case.c, case.size), "w": (8, case.c, 5)}, {"y": (2, 8, case.size)}


def batches(case):
    return {"x": (2, case.c, case.size, case.size), "w": (case.c,), "b": (case.c,)}, {"y": (2, case.c, case.size, case.size)}


def groups(case):
    return {"x": (2, 4 * case.c, case.size), "w": (4 * case.c,), "b": (4 * case.c,)}, {"y": (2, 4 * case.c, case.size)}


def gradient_rows(case):
    return {"g": (case.rows, case.n), "x": (case.rows, case.n)}, {"dx": (case.rows, case.n)}


def softmax_backward(case, t):
    return torch.ops.aten._softmax_backward_data(t.g, t.x, -1, t.x.dtype)


def exact_softmax_backward(case, t):  # of x, which a softmax gave
    return t.x * (t.g - (t.g * t.x).sum(-1, keepdim=True))


def through_softmax(case, t):
    return torch.ops.aten._softmax_backward_data(t.g, torch.softmax(t.x, -1), -1, t.x.dtype)


def exact_through_softmax(case, t):
    y = torch.softmax(t.x, -1)
    return y * (t.g - (t.g * y).sum(-1, keepdim=True))


def classified_gradient(case):
    inputs, _ = classified(case)
    return {**inputs, "g": (case.rows,)}, {"dx": (case.rows, case.n)}


def losses_backward(case, t):
    logs = torch.log_softmax(t.x, -1)
    by_class = torch.ops.aten.nll_loss_backward(t.g, logs, t.label, None, 0, -100, torch.zeros((), dtype=t.x.dtype, device=t.x.device))
    return torch.ops.aten._log_softmax_backward_data(by_class, logs, -1, t.x.dtype)


def exact_losses_backward(case, t):
    return t.g[:, None] * (torch.softmax(t.x, -1) - F.one_hot(t.label.long(), case.n))


def layernorm_backward(case, t):
    _, mean, rstd = torch.ops.aten.native_layer_norm(t.x, [case.n], None, None, 1e-5)
    return torch.ops.aten.native_layer_norm_backward(t.g, t.x, [case.n], mean, rstd, None, None, [True, False, False])[0]


def exact_layernorm_backward(case, t):
    rstd = torch.rsqrt(t.x.var(-1, unbiased=False, keepdim=True) + 1e-5)
    normal = (t.x - t.x.mean(-1, keepdim=True)) * rstd
    return rstd * (t.g - t.g.mean(-1, keepdim=True) - normal * (t.g * normal).mean(-1, keepdim=True))


def eight_bits(case):
    # Two factors of E5M2 have no kernel.
    inputs = {"a": pg.In(case.m, case.k, dtype=case.dtype), "b": pg.In(case.n, case.k, dtype="f8e4m3")}
    return inputs, {"c": pg.Out(case.m, case.n, dtype="bf16")}


def scaled_product(case, t):
    one = torch.ones((), device=t.a.device)
    return torch._scaled_mm(t.a, t.b.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16)


OPERATIONS = {
    "matmul": Operation(product, lambda c, t: t.a @ t.b),
    "linear": Operation(
        lambda c: ({"x": (c.m, c.k), "w": (c.n, c.k), "bias": (c.n,)}, {"y": (c.m, c.n)}), lambda c, t: F.linear(t.x, t.w, t.bias)),
    "bmm": Operation(
        lambda c: ({"a": (3, c.m, c.k), "b": (3, c.k, c.n)}, {"c": (3, c.m, c.n)}), lambda c, t: torch.bmm(t.a, t.b)),
    "scaled_mm": Operation(eight_bits, scaled_product, lambda c, t: t.a @ t.b.t()),
    "flash": attention("FLASH_ATTENTION"),
    "efficient": attention("EFFICIENT_ATTENTION"),
    "cudnn": attention("CUDNN_ATTENTION"),
    "math": attention("MATH"),
    "attention": Operation(heads, exact_attention),
    "softmax": Operation(rows, lambda c, t: torch.softmax(t.x, -1)),
    "logsumexp": Operation(rows_to_one, lambda c, t: torch.logsumexp(t.x, -1)),
    "log_softmax": Operation(rows, lambda c, t: torch.log_softmax(t.x, -1)),
    "layernorm": Operation(scaled_rows("w", "b"), lambda c, t: F.layer_norm(t.x, (c.n,), t.w, t.b)),
    "rmsnorm": Operation(
        scaled_rows("w"), lambda c, t: F.rms_norm(t.x, (c.n,), t.w, 1e-6),
        lambda c, t: t.x * torch.rsqrt(t.x.square().mean(-1, keepdim=True) + 1e-6) * t.w),
    "groupnorm": Operation(groups, lambda c, t: F.group_norm(t.x, 4, t.w, t.b)),
    "batchnorm": Operation(batches, lambda c, t: F.batch_norm(t.x, None, None, t.w, t.b, training=True)),
    "gelu_tanh": Operation(rows, lambda c, t: F.gelu(t.x, approximate="tanh")),
    "gelu": Operation(rows, lambda c, t: F.gelu(t.x)),
    "silu": Operation(rows, lambda c, t: F.silu(t.x)),
    "cumsum": Operation(rows, lambda c, t: torch.cumsum(t.x, -1)),
    "sum": Operation(rows_to_one, lambda c, t: t.x.sum(-1)),
    "total": Operation(lambda c: ({"x": (c.rows, c.n)}, {"y": (1,)}), lambda c, t: t.x.sum().reshape(1)),
    "mean": Operation(rows_to_one, lambda c, t: t.x.mean(-1)),
    "variance": Operation(rows_to_one, lambda c, t: t.x.var(-1, unbiased=False)),
    "norm": Operation(rows_to_one, lambda c, t: torch.linalg.vector_norm(t.x, dim=-1)),
    "cross_entropy": Operation(classified, lambda c, t: F.cross_entropy(t.x, t.label, reduction="none"), exact_losses),
    "conv2d": Operation(images, lambda c, t: F.conv2d(t.x, t.w, t.bias, padding=1)),
    "conv1d": Operation(sequences, lambda c, t: F.conv1d(t.x, t.w, padding=2)),
    "embedding_backward": Operation(embedded, embedding_backward, exact_embedding_backward),
    "softmax_backward": Operation(gradient_rows, softmax_backward, exact_softmax_backward),
    "through_softmax": Operation(gradient_rows, through_softmax, exact_through_softmax),
    "cross_entropy_backward": Operation(classified_gradient, losses_backward, exact_losses_backward),
    "layernorm_backward": Operation(gradient_rows, layernorm_backward, exact_layernorm_backward),
}
