import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, table, rows):
        for _ in range(30):
            values, indices = torch.cdist(x, table.index_select(0, rows)).min(dim=1)
        return indices, values
