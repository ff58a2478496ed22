import torch
import torch.nn as nn


class Model(nn.Module):
    """The index of the nearest row of a table, and its distance: integers beside floats, and indices among the inputs."""

    def forward(self, x, table, rows):
        distance = torch.cdist(x, table[rows])
        best = distance.min(dim=1)
        return best.indices, best.values


def get_inputs():
    return [torch.rand(128, 16), torch.rand(64, 16), torch.randperm(64)[:32]]


def get_init_inputs():
    return []
