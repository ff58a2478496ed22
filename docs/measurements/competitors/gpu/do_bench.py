"""triton.testing.do_bench of the pairs of cuda.yaml and triton.yaml, in this one process: microseconds, and how many times as fast as each competitor ours is.

usage: do_bench.py TIMES      in a folder with attention_cuda, attention_triton, gemm_cuda of kernels/examples, and plain.cu
"""
import ctypes
import statistics
import subprocess
import sys

import torch
import torch.nn.functional as F
import triton
from torch.nn.attention import SDPBackend, sdpa_kernel

sys.path.insert(0, "attention_triton")
from attention import attention_kernel  # noqa: E402

B, H, S, D = 4, 8, 1024, 64
M, N, K = 2048, 2048, 3200

subprocess.run(["nvcc", "-O3", "-arch=native", "-shared", "-Xcompiler", "-fPIC", "-o", "plain.so", "plain.cu", "attention_cuda/attention_tensor.cu",
                "gemm_cuda/gemm_tensor.cu"], check=True)
plain = ctypes.CDLL("./plain.so")
q, k, v = (torch.randn(B, H, S, D, device="cuda", dtype=torch.float16) for _ in range(3))
o = torch.empty_like(q)
a, b = torch.randn(M, K, device="cuda", dtype=torch.float16), torch.randn(K, N, device="cuda", dtype=torch.float16)
c = torch.empty(M, N, device="cuda")


def call(function, sizes, tensors):
    stream = torch.cuda.current_stream().cuda_stream
    function(*map(ctypes.c_int64, sizes), *(ctypes.c_void_p(t.data_ptr()) for t in tensors), ctypes.c_void_p(stream))


def in_triton():
    attention_kernel[triton.cdiv(S, 64), B * H](q, k, v, o, S, D**-0.5, D=D, CAUSAL=False, BLOCK_M=64, BLOCK_N=64, ALL_KEYS=False, num_warps=4, num_stages=3)


def sdpa(backend):
    with sdpa_kernel(backend):
        F.scaled_dot_product_attention(q, k, v)


competitors = {name: lambda backend=backend: sdpa(backend) for name, backend in (
    ("flash", SDPBackend.FLASH_ATTENTION), ("efficient", SDPBackend.EFFICIENT_ATTENTION), ("cudnn", SDPBackend.CUDNN_ATTENTION), ("math", SDPBackend.MATH))}
groups = [
    ("attention_tensor", lambda: call(plain.plain_attention, (B, H, S, D), (q, k, v, o)), competitors),
    ("attention (Triton)", in_triton, competitors),
    ("gemm_tensor", lambda: call(plain.plain_gemm, (M, N, K), (a, b, c)), {"cublas": lambda: torch.mm(a, b, out_dtype=torch.float32, out=c)}),
]
for name, ours, others in groups:
    for other, competitor in others.items():
        times = [(triton.testing.do_bench(ours, rep=50), triton.testing.do_bench(competitor, rep=50)) for _ in range(int(sys.argv[1]))]
        ratios = [theirs / mine for mine, theirs in times]
        print(f"{name} against {other}: {1e3 * statistics.median(t[0] for t in times):.2f} us, {1e3 * statistics.median(t[1] for t in times):.2f} us, "
              f"{min(ratios):.4f}x to {max(ratios):.4f}x in {len(ratios)}", flush=True)
