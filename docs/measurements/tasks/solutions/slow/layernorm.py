import torch


class ModelNew(torch.nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.normalized_shape = tuple(normalized_shape)

    def forward(self, x):
        torch.nn.functional.layer_norm(x, self.normalized_shape)
        return torch.nn.functional.layer_norm(x, self.normalized_shape)
