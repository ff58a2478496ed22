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
        torch.backends.cuda.matmul.allow_fp16_accumulation = case.kernel.endswith("halfsums")
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


def by_element(function):
    return Operation(rows, lambda c, t: function(t.x))


def two_rows(function):
    return Operation(lambda c: ({"x": (c.rows, c.n), "z": (c.rows, c.n)}, {"y": (c.rows, c.n)}), lambda c, t: function(t.x, t.z))


def two_rows_to_one(function):
    return Operation(lambda c: ({"x": (c.rows, c.n), "z": (c.rows, c.n)}, {"y": (c.rows,)}), lambda c, t: function(t.x, t.z))


def likely(case):
    return {"x": (case.rows, case.n), "p": pg.In(case.rows, case.n, dtype=case.dtype, fill=pg.uniform(0, 1), fixed=True)}, {"y": (case.rows, case.n)}


def quantised(case):
    return {"x": (case.rows, case.n)}, {"y": pg.Out(case.rows, case.n, dtype="i8")}


def quantise(case, t):  # by the largest of each row
    return (t.x / (t.x.abs().amax(-1, keepdim=True) / 127 + 1e-6)).round().clamp(-127, 127).to(torch.int8)


def exact_quantise(case, t):
    return (t.x / (t.x.abs().amax(-1, keepdim=True) / 127 + 1e-6)).round().clamp(-127, 127)


def eighth(case):
    return {"x": (case.rows, case.n)}, {"y": pg.Out(case.rows, case.n, dtype="f8e4m3")}


def ranked(case):
    k = min(case.n, 8)
    return {"x": (case.rows, case.n)}, {"values": (case.rows, k)}


def pooled(case):
    return {"x": (2, case.c, case.size, case.size)}, {"y": (2, case.c, case.size // 2, case.size // 2)}


def enlarged(case):
    return {"x": (2, case.c, case.size, case.size)}, {"y": (2, case.c, 2 * case.size, 2 * case.size)}


def images_by_channel(case):
    return {"x": (2, case.c, case.size, case.size), "w": (case.c, 1, 3, 3)}, {"y": (2, case.c, case.size, case.size)}


def images_back(case):
    c, size = case.c, case.size
    return {"x": (2, c, size, size), "w": (c, 8, 3, 3)}, {"y": (2, 8, size, size)}


def weights_of_images(case):
    c, size = case.c, case.size
    return {"x": (2, c, size, size), "g": (2, 8, size, size)}, {"dw": (8, c, 3, 3)}


def conv2d_weight_backward(case, t):
    return torch.nn.grad.conv2d_weight(t.x, (8, case.c, 3, 3), t.g, padding=1)


def turned(case):
    return {"x": (case.rows, 2 * case.n), "angle": (case.rows, case.n)}, {"y": (case.rows, 2 * case.n)}


def rotary(case, t):
    left, right = t.x[:, : case.n], t.x[:, case.n :]
    cos, sin = t.angle.cos(), t.angle.sin()
    return torch.cat((left * cos - right * sin, left * sin + right * cos), -1)


def layers(case):
    return {"x": (case.m, case.k), "w": (case.n, case.k), "v": (case.m, case.n)}, {"y": (case.m, case.m)}


def two_layers(case, t):
    return F.linear(F.gelu(F.linear(t.x, t.w)), t.v)


def scattered(case):
    return {"x": (case.rows, case.n), "index": indices(case.rows, CLASSES)}, {"y": (CLASSES, case.n)}


def scatter_add(case, t):
    return torch.zeros(CLASSES, case.n, dtype=t.x.dtype, device=t.x.device).index_add_(0, t.index.long(), t.x)


def attention_backward(backend):
    def launch(case, t):
        from torch.nn.attention import SDPBackend, sdpa_kernel

        q, k, v = (x.detach().requires_grad_() for x in (t.q, t.k, t.v))
        with torch.enable_grad(), sdpa_kernel(getattr(SDPBackend, backend)):
            o = F.scaled_dot_product_attention(q, k, v, is_causal=bool(case.causal))
        return dict(zip(("dq", "dk", "dv"), torch.autograd.grad(o, (q, k, v), t.g)))

    return Operation(heads_backward, launch, exact_attention_backward)


def heads_backward(case):
    shape = (case.b, 2, case.s, case.d)
    return {name: shape for name in ("q", "k", "v", "g")}, {name: shape for name in ("dq", "dk", "dv")}


def exact_attention_backward(case, t):
    scores = t.q @ t.k.transpose(-1, -2) / case.d**0.5
    if case.causal:
        later = torch.ones(case.s, case.s, dtype=torch.bool, device=t.q.device).triu(1)
        scores = scores.masked_fill(later, -float("inf"))
    p = torch.softmax(scores, -1)
    dp = t.g @ t.v.transpose(-1, -2)
    ds = p * (dp - (t.g * (p @ t.v)).sum(-1, keepdim=True)) / case.d**0.5  # of the output, which is kept in its dtype
    return {"dq": ds @ t.k, "dk": ds.transpose(-1, -2) @ t.q, "dv": p.transpose(-1, -2) @ t.g}


def gates(case):
    n = case.n
    return {"x": (case.m, case.k), "h": (case.m, n), "c": (case.m, n), "w": (4 * n, case.k), "u": (4 * n, n)}, {"y": (case.m, n)}


def lstm_cell(case, t):
    return torch.lstm_cell(t.x, (t.h, t.c), t.w, t.u)[0]


def exact_lstm_cell(case, t):
    i, f, g, o = (t.x @ t.w.t() + t.h @ t.u.t()).chunk(4, -1)
    return o.sigmoid() * torch.tanh(f.sigmoid() * t.c + i.sigmoid() * g.tanh())


def spectrum(case):
    return {"x": (case.rows, case.n)}, {"re": (case.rows, case.n // 2 + 1), "im": (case.rows, case.n // 2 + 1)}


def rfft(case, t):
    y = torch.fft.rfft(t.x)
    return {"re": y.real, "im": y.imag}


def distances(case):
    return {"a": (case.m, case.k), "b": (case.n, case.k)}, {"c": (case.m, case.n)}


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
    # Nothing of the bound was chosen by those below.
    "tanh": by_element(torch.tanh),
    "sin": by_element(torch.sin),
    "exp": by_element(torch.exp),
    "log1p": by_element(lambda x: torch.log1p(x.abs())),
    "rsqrt": by_element(lambda x: torch.rsqrt(x.abs() + 1e-3)),
    "erf": by_element(torch.erf),
    "softplus": by_element(F.softplus),
    "mish": by_element(F.mish),
    "hardswish": by_element(F.hardswish),
    "relu": by_element(torch.relu),
    "swiglu": two_rows(lambda x, z: F.silu(x) * z),
    "difference": two_rows(lambda x, z: (x - z).square()),
    "mse": two_rows_to_one(lambda x, z: (x - z).square().mean(-1)),
    "kl": two_rows_to_one(lambda x, z: F.kl_div(torch.log_softmax(x, -1), torch.softmax(z, -1), reduction="none").sum(-1)),
    "binary_loss": Operation(likely, lambda c, t: F.binary_cross_entropy_with_logits(t.x, t.p, reduction="none")),
    "poisson_loss": Operation(likely, lambda c, t: F.poisson_nll_loss(t.x, t.p, reduction="none")),
    "divergence": Operation(likely, lambda c, t: F.kl_div(t.x, t.p, reduction="none")),
    "cosine": two_rows_to_one(lambda x, z: F.cosine_similarity(x, z, dim=-1)),
    "logcumsumexp": by_element(lambda x: torch.logcumsumexp(x, -1)),
    "cumprod": by_element(lambda x: torch.cumprod(1 + x / 64, -1)),
    "masked_softmax": by_element(lambda x: torch.softmax(x.masked_fill(x < 0, -1e4), -1)),
    "gumbel": two_rows(lambda x, z: torch.softmax((x + z) / 0.5, -1)),
    "amax": Operation(rows_to_one, lambda c, t: t.x.amax(-1)),
    "argmax": Operation(
        lambda c: ({"x": (c.rows, c.n)}, {"y": pg.Out(c.rows, dtype="i64")}), lambda c, t: t.x.argmax(-1)),
    "topk": Operation(ranked, lambda c, t: t.x.topk(min(c.n, 8), -1).values),
    "sorted": Operation(rows, lambda c, t: t.x.sort(-1).values),
    "quantise": Operation(quantised, quantise, exact_quantise),
    "eighth": Operation(eighth, lambda c, t: t.x.to(torch.float8_e4m3fn), lambda c, t: t.x),
    "maxpool": Operation(pooled, lambda c, t: F.max_pool2d(t.x, 2)),
    "avgpool": Operation(pooled, lambda c, t: F.avg_pool2d(t.x, 2)),
    "bilinear": Operation(enlarged, lambda c, t: F.interpolate(t.x, scale_factor=2.0, mode="bilinear")),
    "bicubic": Operation(enlarged, lambda c, t: F.interpolate(t.x, scale_factor=2.0, mode="bicubic")),
    "depthwise": Operation(images_by_channel, lambda c, t: F.conv2d(t.x, t.w, padding=1, groups=c.c)),
    "conv_transpose": Operation(images_back, lambda c, t: F.conv_transpose2d(t.x, t.w, padding=1)),
    "conv2d_weight_backward": Operation(weights_of_images, conv2d_weight_backward),
    "instancenorm": Operation(lambda c: ({"x": (2, c.c, c.size)}, {"y": (2, c.c, c.size)}), lambda c, t: F.instance_norm(t.x)),
    "rotary": Operation(turned, rotary),
    "two_layers": Operation(layers, two_layers),
    "addmm": Operation(
        lambda c: ({"z": (c.m, c.n), "a": (c.m, c.k), "b": (c.k, c.n)}, {"c": (c.m, c.n)}), lambda c, t: torch.addmm(t.z, t.a, t.b, beta=0.5, alpha=-2)),
    "deep_matmul": Operation(product, lambda c, t: t.a @ t.b),
    "scatter_add": Operation(scattered, scatter_add),
    "flash_backward": attention_backward("FLASH_ATTENTION"),
    "efficient_backward": attention_backward("EFFICIENT_ATTENTION"),
    "lstm_cell": Operation(gates, lstm_cell, exact_lstm_cell),
    "rfft": Operation(spectrum, rfft),
    "cdist": Operation(distances, lambda c, t: torch.cdist(t.a, t.b)),
}
