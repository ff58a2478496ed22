"""Attention in tiles, softmax on the way, as in FlashAttention (Dao et al., 2022, algorithm 1; the loop over queries is the grid)."""

import torch
import triton
import triton.language as tl

# What tests and the demo plant here, in a copy: "", "all_keys", "no_pipeline", "small_tile" or "serial_batch". ../faults_python.yaml says
# what each does.
FAULT = ""


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, o_ptr, S, scale, D: tl.constexpr, CAUSAL: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                     ALL_KEYS: tl.constexpr):
    queries = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    start = tl.program_id(1).to(tl.int64) * S * D
    q = tl.load(q_ptr + start + queries[:, None] * D + dims[None, :], mask=queries[:, None] < S, other=0.0)
    top = tl.full([BLOCK_M], -float("inf"), tl.float32)
    total = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, D], tl.float32)
    last = S
    if CAUSAL and not ALL_KEYS:
        last = tl.minimum(S, (tl.program_id(0) + 1) * BLOCK_M)
    for n in range(0, last, BLOCK_N):
        keys = n + tl.arange(0, BLOCK_N)
        k = tl.load(k_ptr + start + keys[None, :] * D + dims[:, None], mask=keys[None, :] < S, other=0.0)
        scores = tl.dot(q, k) * scale
        seen = keys[None, :] < S
        if CAUSAL:
            seen = seen & (keys[None, :] <= queries[:, None])
        scores = tl.where(seen, scores, -float("inf"))
        higher = tl.maximum(top, tl.max(scores, 1))
        p = tl.exp(scores - higher[:, None])
        shrink = tl.exp(top - higher)
        v = tl.load(v_ptr + start + keys[:, None] * D + dims[None, :], mask=keys[:, None] < S, other=0.0)
        acc = acc * shrink[:, None] + tl.dot(p.to(v.dtype), v)
        total = total * shrink + tl.sum(p, 1)
        top = higher
    tl.store(o_ptr + start + queries[:, None] * D + dims[None, :], acc / total[:, None], mask=queries[:, None] < S)


def configurations():
    if FAULT == "small_tile":
        return [triton.Config({"BLOCK_M": 16, "BLOCK_N": 16}, num_warps=1, num_stages=3)]
    stages = 1 if FAULT == "no_pipeline" else 3
    return [triton.Config({"BLOCK_M": m, "BLOCK_N": 64}, num_warps=w, num_stages=stages) for m, w in ((64, 4), (128, 8))]


tuned_kernel = triton.autotune(configs=configurations(), key=["S", "D", "CAUSAL"])(attention_kernel)


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool, out: torch.Tensor) -> None:
    """softmax(q k^T / sqrt(D)) v into ``out``. All are (B, H, S, D), contiguous; D is a power of two from 16 to 128."""
    B, H, S, D = q.shape

    def grid(meta):
        return triton.cdiv(S, meta["BLOCK_M"]), 1 if FAULT == "serial_batch" else B * H

    def launch(*tensors):
        tuned_kernel[grid](*tensors, S, D**-0.5, D=D, CAUSAL=causal, ALL_KEYS=FAULT == "all_keys")

    if FAULT != "serial_batch":
        return launch(q, k, v, out)
    for b in range(B):
        for h in range(H):  # a launch a head
            launch(q[b, h], k[b, h], v[b, h], out[b, h])
