import dataclasses

import torch
from utils import verbose_allclose


@dataclasses.dataclass
class Config:
    gate: str
    features: int
    rotation: torch.Tensor  # transposed in memory


def ref_kernel(data):
    x, mask, weights, config = data
    y = x @ config.rotation @ weights["proj.weight"]
    if "proj.bias" in weights:
        y = y + weights["proj.bias"]
    gate = torch.relu(x) if config.gate == "relu" else torch.sigmoid(x)
    y = torch.where(mask, y * gate, torch.zeros_like(y))
    return y, y.norm(dim=-1)


def generate_input(rows: int, features: int, gate: str, seed: int, bias: bool = True):
    gen = torch.Generator()
    gen.manual_seed(seed)
    x = torch.randn(rows, features, generator=gen)
    mask = torch.rand(rows, features, generator=gen) < 0.75
    weights = {"proj.weight": torch.randn(features, features, generator=gen)}
    if bias:
        weights["proj.bias"] = torch.randn(features, generator=gen)
    return x, mask, weights, Config(gate, features, torch.randn(features, features, generator=gen).T)


def check_implementation(data, output):
    expected, scale = ref_kernel(data), 1e-6 * data[0].shape[1]
    reasons = verbose_allclose(output[0], expected[0], rtol=1e-4, atol=scale) + verbose_allclose(output[1], expected[1], rtol=2e-4, atol=2 * scale)
    return not reasons, " ".join(reasons)
