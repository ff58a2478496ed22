#!POPCORN leaderboard scale_add
import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, b, output = data
    torch.add(b, a, alpha=2, out=output)
    return output
