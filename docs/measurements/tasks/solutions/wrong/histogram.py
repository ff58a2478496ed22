import torch


def custom_kernel(data):
    values, output = data
    output.copy_(torch.bincount(values[:-1], minlength=256))
    return output
