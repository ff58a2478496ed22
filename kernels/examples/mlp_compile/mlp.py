"""A small multilayer perceptron, for torch.compile."""

import torch
import torch.nn.functional as F

# What tests and the demo plant here, in a copy: "", "eager" or "breaks". ../faults_python.yaml says what each does.
FAULT = ""


def mlp(x: torch.Tensor, w1: torch.Tensor, b1: torch.Tensor, w2: torch.Tensor, b2: torch.Tensor) -> torch.Tensor:
    """``x`` (batch, width) through two layers: w1 (hidden, width), b1 (hidden), w2 (width, hidden), b2 (width); gelu between them."""
    h = F.linear(x, w1, b1)
    if FAULT == "breaks":
        torch._dynamo.graph_break()
        h = h * 1.0 + 0.0
        torch._dynamo.graph_break()
    return F.linear(F.gelu(h), w2, b2)


def compiled():
    """The function as it is shipped."""
    return mlp if FAULT == "eager" else torch.compile(mlp, dynamic=False)
