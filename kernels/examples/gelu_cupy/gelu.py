"""GELU in its tanh form, as CUDA C++ that CuPy compiles."""

import cupy

# What tests plant here, in a copy: "" or "strided". ../faults_python.yaml says what each does.
FAULT = ""

gelu_kernel = cupy.RawKernel(
    r"""
extern "C" __global__ void gelu(const float *x, float *y, long long n, int strided) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (strided) i = (i % (n / 1024 + 1)) * 1024 + i / (n / 1024 + 1);  // neighbours lie 4 KiB apart
  if (i >= n) return;
  const float v = x[i];
  y[i] = 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
}
""",
    "gelu",
)


def gelu(x: cupy.ndarray, out: cupy.ndarray) -> None:
    """Element by element, float32, contiguous."""
    count = (x.size // 1024 + 1) * 1024 if FAULT == "strided" else x.size
    gelu_kernel(((count + 255) // 256,), (256,), (x, out, cupy.int64(x.size), cupy.int32(FAULT == "strided")))
