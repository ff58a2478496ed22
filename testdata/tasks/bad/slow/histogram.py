import torch


def custom_kernel(data):
    values, output = data
    for _ in range(30):
        output.copy_(torch.bincount(values, minlength=256))
    return output
