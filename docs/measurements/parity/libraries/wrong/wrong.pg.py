"""Wrong ways to compute softmax, layer norm and their gradients in torch, whose references the bound asks in f32: a kernel's name is OPERATION-FAULT.

    cd here && perfgate parity --head . --seed 1        # all but those called right fail
"""

import perfgate as pg
import torch

torch.set_num_threads(1)


def tensors(case):
    shape = case.rows, case.n
    gradient = {"g": pg.In(*shape, dtype="f32")} if "back" in case.kernel or "through" in case.kernel else {}
    return {**gradient, "x": pg.In(*shape, dtype="f32"), "y": pg.Out(*shape, dtype="f32")}



def exact(operation, t):
    if operation == "softmax":
        return torch.softmax(t.x, -1)
    if operation in ("softback", "through"):
        y = torch.softmax(t.x, -1) if operation == "through" else t.x
        return y * (t.g - (t.g * y).sum(-1, keepdim=True))
    by = torch.rsqrt(t.x.var(-1, unbiased=False, keepdim=True) + 1e-5)
    z = (t.x - t.x.mean(-1, keepdim=True)) * by
    if operation == "ln":
        return z
    return by * (t.g - t.g.mean(-1, keepdim=True) - z * (t.g * z).mean(-1, keepdim=True))


def half(x):
    return x.half().float()


def narrowed(x, fault, name):
    return half(x) if fault == name else x


def softmax(x, fault):
    e = torch.exp(x - x.amax(-1, keepdim=True))
    if fault == "short":  # an approximation that is off by 2^-12
        e = e * (1 + 2**-12 * torch.sin(50 * (x - x.amax(-1, keepdim=True))))
    return narrowed(e / narrowed(e.sum(-1, keepdim=True), fault, "halfsum"), fault, "halfy")


def softmax_backward(g, y, fault):
    terms = g * y
    dot = terms[:, :-1] if fault == "lost" else terms
    return y * (g - narrowed(dot.sum(-1, keepdim=True), fault, "halfdot"))


def normal(x, fault):
    mean = narrowed(x.mean(-1, keepdim=True), fault, "halfmean")
    by = narrowed(torch.rsqrt(x.var(-1, unbiased=False, keepdim=True) + (1e-3 if fault == "eps" else 1e-5)), fault, "halfrstd")
    return (x - mean) * by, by


def layernorm_backward(t, fault):
    z, by = normal(t.x, fault)
    terms = t.g * z
    dot = (terms[:, :-1] if fault == "lost" else terms).sum(-1, keepdim=True) / t.x.shape[-1]
    return by * (t.g - narrowed(t.g.mean(-1, keepdim=True), fault, "halfa") - z * narrowed(dot, fault, "halfb"))


def launch(case, t):
    operation, fault = case.kernel.split("-")
    with torch.no_grad():
        if fault in ("right", "scale"):
            return exact(operation, t) * (1.001 if fault == "scale" else 1)
        if operation == "softmax":
            return softmax(t.x, fault)
        if operation in ("softback", "through"):
            return softmax_backward(t.g, softmax(t.x, fault) if operation == "through" else t.x, fault)
        return normal(t.x, fault)[0] if operation == "ln" else layernorm_backward(t, fault)


def reference(case, t):
    return exact(case.kernel.split("-")[0], t)
