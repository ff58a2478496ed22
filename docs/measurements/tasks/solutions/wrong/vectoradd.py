import torch


def custom_kernel(data):
    a, b, output = data
    torch.add(a, b, alpha=1.01, out=output)
    return output
