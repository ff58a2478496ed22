import torch


def custom_kernel(data):
    x, quantised, scales = data
    groups = x.view(x.shape[0], scales.shape[1], -1)
    torch.mul(groups.abs().amax(-1).clamp_(min=1e-10), 1 / 440.0, out=scales)
    quantised.copy_((groups / scales.unsqueeze(-1)).clamp_(-448.0, 448.0).view_as(x))
    return quantised, scales
