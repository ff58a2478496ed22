import torch


def custom_kernel(data):
    values, output = data
    return torch.bincount(values, minlength=256, weights=None).to(output.dtype)
