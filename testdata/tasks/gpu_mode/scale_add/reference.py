import torch
from task import input_t, output_t
from utils import make_match_reference


def ref_kernel(data: input_t) -> output_t:
    a, b, output = data
    output[...] = 2 * a + b
    return output


def generate_input(size: int, seed: int) -> input_t:
    gen = torch.Generator(device="cpu")
    gen.manual_seed(seed)
    a = torch.randn(size, size, dtype=torch.float32, generator=gen).contiguous()
    b = torch.randn(size, size, dtype=torch.float32, generator=gen).contiguous()
    return a, b, torch.empty(size, size, dtype=torch.float32).contiguous()


check_implementation = make_match_reference(ref_kernel)
