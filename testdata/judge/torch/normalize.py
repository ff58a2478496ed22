"""What a search begins with: right, and in no hurry: a kernel of torch's for every step."""
import torch


def normalize(x, y):
    """Writes rows of x less their mean, over the root of their variance and 1e-5, into y."""
    centred = x - x.mean(dim=1, keepdim=True)
    variance = (centred * centred).mean(dim=1, keepdim=True)
    torch.div(centred, torch.sqrt(variance + 1e-5), out=y)
