import torch


def custom_kernel(data):
    x, mask, weights, config = data
    for _ in range(30):
        y = torch.mm(torch.mm(x, config.rotation), weights["proj.weight"]) + weights.get("proj.bias", 0)
        y = torch.where(mask, y * (torch.relu(x) if config.gate == "relu" else torch.sigmoid(x)), torch.zeros(()))
    return y, y.norm(dim=-1)
