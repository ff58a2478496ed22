import torch


def custom_kernel(data):
    a, b, output = data
    for _ in range(30):
        torch.add(b, a, alpha=2, out=output)
    return output
