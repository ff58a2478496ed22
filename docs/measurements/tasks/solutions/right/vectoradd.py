import torch


def custom_kernel(data):
    a, b, output = data
    torch.add(a, b, out=output)
    return output
