#include "basics.h"

// Planted fault: percent of the work that is done once more.
#ifndef PG_FAULT_WORK
#define PG_FAULT_WORK 0
#endif
// Planted fault: blocks of one warp (saxpy).
#ifndef PG_FAULT_TINY_BLOCKS
#define PG_FAULT_TINY_BLOCKS 0
#endif
// Planted fault: products are written to memory, and read again when all of them are there (saxpy).
#ifndef PG_FAULT_PASSES
#define PG_FAULT_PASSES 0
#endif
// Planted fault: every thread keeps a table of the coefficients in registers (polynomial).
#ifndef PG_FAULT_REGISTERS
#define PG_FAULT_REGISTERS 0
#endif
// Planted fault: negative x have a loop of their own (polynomial).
#ifndef PG_FAULT_BRANCH
#define PG_FAULT_BRANCH 0
#endif
// Planted fault: x is a double, so that every step is one in float64 with a conversion on either side (polynomial).
#ifndef PG_FAULT_DOUBLE
#define PG_FAULT_DOUBLE 0
#endif
// Planted fault: few long blocks, somewhat more of them than fit on the GPU at once (polynomial).
#ifndef PG_FAULT_TAIL
#define PG_FAULT_TAIL 0
#endif
// Planted fault: every block asks for all the shared memory that it may have, so that few of them fit (polynomial).
#ifndef PG_FAULT_SHARED
#define PG_FAULT_SHARED 0
#endif

namespace {

constexpr unsigned kThreads = 256, kSaxpyThreads = PG_FAULT_TINY_BLOCKS ? 32 : kThreads;
constexpr unsigned kLongThreads = 1024, kPassBlocks = 256;
constexpr int kTable = 144;

__device__ void saxpy_in_passes(int64_t n, const float *a, const float *x, const float *y0, float *y) {
  const int64_t mine = (n + gridDim.x - 1) / gridDim.x, first = blockIdx.x * mine, last = min(first + mine, n);
  for (int64_t i = first + threadIdx.x; i < last; i += blockDim.x) y[i] = *a * x[i];
  for (int64_t i = first + threadIdx.x; i < last; i += blockDim.x) y[i] += y0[i];
}

__global__ void saxpy_kernel(int64_t n, int64_t again, const float *a, const float *x, const float *y0, float *y) {
  if (PG_FAULT_PASSES) {
    saxpy_in_passes(n, a, x, y0, y);
    return;
  }
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kSaxpyThreads + threadIdx.x;
  if (i < n) y[i] = *a * x[i] + y0[i];
  if (i < again) {  // other elements, so that nothing is in cache
    const int64_t j = n - 1 - i;
    y[j] = *a * x[j] + y0[j];
  }
}

// Goes on from `sum`.
__device__ float horner(float sum, float x, int steps) {
  for (int k = 0; k < steps; k++) {
    if (PG_FAULT_DOUBLE) sum = static_cast<float>(sum * static_cast<double>(x) + 0.5);
    else sum = sum * x + 0.5f;
  }
  return sum;
}

__device__ float by_sign(float x, int degree) {
  float sum = 0;
  if (x < 0) {
    const float positive = -x;
    for (int k = 0; k < degree; k++) sum = 0.5f - sum * positive;
  } else {
    for (int k = 0; k < degree; k++) sum = sum * x + 0.5f;
  }
  return sum;
}

// Coefficients from a table that is as long as the registers allow.
__device__ float by_table(float x, int degree, const float *table) {
  float sum = 0;
  int k = degree;
#pragma unroll 1
  for (; k >= kTable; k -= kTable) {
#pragma unroll
    for (int j = 0; j < kTable; j++) sum = sum * x + table[j];
  }
#pragma unroll
  for (int j = 0; j < kTable; j++) sum = j < k ? sum * x + table[j] : sum;
  return sum;
}

// `slope` is 0, which the compiler cannot know.
__global__ void polynomial_kernel(int64_t n, int degree, int again, int64_t each, float slope, const float *x, float *y) {
  float table[PG_FAULT_REGISTERS ? kTable : 1];
#pragma unroll
  for (int j = 0; j < kTable && PG_FAULT_REGISTERS; j++) table[j] = 0.5f + slope * j;
#pragma unroll 1
  for (int64_t k = 0; k < each; k++) {
    const int64_t i = (blockIdx.x * each + k) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (PG_FAULT_REGISTERS) y[i] = by_table(x[i], degree, table);
    else if (PG_FAULT_BRANCH) y[i] = by_sign(x[i], degree);
    else y[i] = horner(slope * horner(0, x[i], again), x[i], degree);  // the inner one is for nothing
  }
}

unsigned blocks(int64_t n, int64_t each) { return static_cast<unsigned>((n + each - 1) / each); }

// How many elements a thread of a long block does: as many as leave more blocks than the GPU holds at once.
int64_t long_share(int64_t n) {
  int sms = 0, fit = 0;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, polynomial_kernel, kLongThreads, 0);
  const int64_t share = (n - 1) / (static_cast<int64_t>(sms) * fit * kLongThreads);
  return share > 1 ? share : 1;
}

size_t shared_bytes() {
  if (!PG_FAULT_SHARED) return 0;
  int most = 0;
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  cudaFuncSetAttribute(polynomial_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
  return static_cast<size_t>(most);
}

}  // namespace

void saxpy(int64_t n, const float *a, const float *x, const float *y0, float *y, cudaStream_t stream) {
  if (PG_FAULT_PASSES) saxpy_kernel<<<kPassBlocks, kLongThreads, 0, stream>>>(n, 0, a, x, y0, y);
  else saxpy_kernel<<<blocks(n, kSaxpyThreads), kSaxpyThreads, 0, stream>>>(n, n * PG_FAULT_WORK / 100, a, x, y0, y);
}

void polynomial(int64_t n, int64_t degree, const float *x, float *y, cudaStream_t stream) {
  const int64_t each = PG_FAULT_TAIL ? long_share(n) : PG_FAULT_REGISTERS ? 4 : 1;
  const int again = static_cast<int>(degree * PG_FAULT_WORK / 100);
  const unsigned threads = PG_FAULT_TAIL ? kLongThreads : kThreads;
  polynomial_kernel<<<blocks(n, each * threads), threads, shared_bytes(), stream>>>(n, static_cast<int>(degree), again, each, 0.0f, x, y);
}
