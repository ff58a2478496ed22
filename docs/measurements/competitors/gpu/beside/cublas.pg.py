"""cuBLAS, as torch.mm calls it, for the tensors of kernels/examples/gemm_cuda: float16 into float32 for gemm_tensor, else float32."""

import perfgate as pg
import torch


def on_tensor_cores(case):
    return case.kernel == "gemm_tensor"


def tensors(case):
    dtype = "f16" if on_tensor_cores(case) else "f32"
    return {
        "a": pg.In((case.M, case.K), dtype=dtype, dims="m,k"),
        "b": pg.In((case.K, case.N), dtype=dtype, dims="k,n"),
        "c": pg.Out((case.M, case.N), dtype="f32", dims="m,n"),
    }


def launch(case, t):
    if on_tensor_cores(case):
        torch.mm(t.a, t.b, out_dtype=torch.float32, out=t.c)
    else:
        torch.mm(t.a, t.b, out=t.c)
