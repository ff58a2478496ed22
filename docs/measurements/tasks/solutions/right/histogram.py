import torch


def custom_kernel(data):
    values, output = data
    output.copy_(torch.bincount(values, minlength=256))
    return output
