import torch


def custom_kernel(data):
    x, mask, weights, config = data
    y = torch.mm(torch.mm(x, config.rotation), weights["proj.weight"])
    bias = weights.get("proj.bias")
    if bias is not None:
        y += bias
    y.mul_(torch.relu(x) if config.gate == "relu" else torch.sigmoid(x))
    y.masked_fill_(~mask, 0)
    return y, torch.linalg.vector_norm(y, dim=-1)
