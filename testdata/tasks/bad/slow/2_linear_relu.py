import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, bias_shape):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features, bias=False)
        self.bias = nn.Parameter(torch.randn(bias_shape))

    def forward(self, x):
        for _ in range(30):
            torch.addmm(self.bias, x, self.gemm.weight.t()).relu_()
        return torch.addmm(self.bias, x, self.gemm.weight.t()).relu_()
