import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, table, rows):
        values, indices = torch.cdist(x, table[:rows.numel()]).min(dim=1)
        return indices, values
