import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, A, B):
        for _ in range(30):
            torch.addmm(torch.zeros(()), A, B, beta=0, alpha=self.scale)
        return torch.addmm(torch.zeros(()), A, B, beta=0, alpha=self.scale)
