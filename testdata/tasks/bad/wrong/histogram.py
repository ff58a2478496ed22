import torch


def custom_kernel(data):
    values, output = data
    return torch.bincount(values[:-1], minlength=256)
