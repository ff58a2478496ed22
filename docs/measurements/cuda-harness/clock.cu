// How well a kernel can tell the clock of its multiprocessor: clock64 over %globaltimer, for windows of several lengths and two loads.
//   nvcc -O3 -arch=sm_90 clock.cu -o clock && ./clock
// `full`: 4 blocks of 256 threads a multiprocessor, so that the scheduler decides when the counting thread reads.
// `quarter`: one block of 128, a warp for each of the four schedulers. A line for each: median over 40 launches of the median over
// blocks, the scatter of that from launch to launch, the range over the blocks of one launch, and how far the event time of a fixed
// amount of the same work scatters beside it.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <vector>

struct Reading {
  long long cycles;
  unsigned long long ns;
};

__device__ unsigned long long globaltimer() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

// The time at its next step, with the clock read right after it.
__device__ void read_both(long long *cycles, unsigned long long *ns) {
  const unsigned long long before = globaltimer();
  unsigned long long now = before;
  while (now == before) now = globaltimer();
  *cycles = clock64();
  *ns = now;
}

__global__ void count(int steps, float x, float y, Reading *out) {
  long long from_cycles = 0, to_cycles = 0;
  unsigned long long from = 0, to = 0;
  if (threadIdx.x == 0) read_both(&from_cycles, &from);
  float chain[8];
  for (int k = 0; k < 8; k++) chain[k] = static_cast<float>(threadIdx.x + k);
  for (int i = 0; i < steps; i++) {
    for (int k = 0; k < 8; k++) chain[k] = fmaf(chain[k], x, y);
  }
  float sum = 0;
  for (int k = 0; k < 8; k++) sum += chain[k];
  if (threadIdx.x != 0 && sum != INFINITY) return;
  read_both(&to_cycles, &to);
  out[blockIdx.x] = {to_cycles - from_cycles, to - from};
}

__global__ void steps_of_globaltimer(unsigned long long *out, int n) {
  unsigned long long last = globaltimer();
  for (int i = 0; i < n;) {
    const unsigned long long now = globaltimer();
    if (now != last) out[i++] = now - last;
    last = now;
  }
}

static double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

static void measure(const char *name, int blocks, int threads, int steps, Reading *device) {
  std::vector<double> mhz, event, ranges, window;
  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  std::vector<Reading> r(static_cast<size_t>(blocks));
  for (int i = 0; i < 44; i++) {
    cudaEventRecord(a);
    count<<<blocks, threads>>>(steps, 0.999f, 1e-3f, device);
    cudaEventRecord(b);
    cudaDeviceSynchronize();
    cudaMemcpy(r.data(), device, r.size() * sizeof(Reading), cudaMemcpyDeviceToHost);
    if (i < 4) continue;
    std::vector<double> each;
    for (const Reading &one : r) each.push_back(static_cast<double>(one.cycles) * 1e3 / static_cast<double>(one.ns));
    const auto range = std::minmax_element(each.begin(), each.end());
    mhz.push_back(median(each));
    ranges.push_back((*range.second - *range.first) / median(each));
    float ms = 0;
    cudaEventElapsedTime(&ms, a, b);
    event.push_back(ms);
    window.push_back(static_cast<double>(r[0].ns) / 1e6);
  }
  const auto span = [](const std::vector<double> &v) {
    return 100 * (*std::max_element(v.begin(), v.end()) - *std::min_element(v.begin(), v.end())) / median(v);
  };
  printf("%-8s window %7.3f ms: %8.2f MHz, launch to launch %.3f %%, block to block %.3f %%; event time scatters %.3f %%\n", name,
         median(window), median(mhz), span(mhz), 100 * median(ranges), span(event));
}

int main() {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  const int sms = p.multiProcessorCount;
  Reading *device;
  cudaMalloc(&device, sizeof(Reading) * static_cast<size_t>(4 * sms));
  unsigned long long *steps, host[1000];
  cudaMalloc(&steps, sizeof host);
  steps_of_globaltimer<<<1, 1>>>(steps, 1000);
  cudaMemcpy(host, steps, sizeof host, cudaMemcpyDeviceToHost);
  std::sort(host, host + 1000);
  printf("%s, %d SMs; steps of %%globaltimer: least %llu, median %llu, most %llu ns\n", p.name, sms, host[0], host[500], host[999]);
  for (int i = 0; i < 400; i++) count<<<4 * sms, 256>>>(8192, 0.999f, 1e-3f, device);  // warm
  cudaDeviceSynchronize();
  for (int scale : {1, 4, 8, 20, 40}) measure("full", 4 * sms, 256, 8192 * scale, device);
  for (int scale : {1, 4, 8, 20, 40}) measure("quarter", sms, 128, 8192 * 4 * scale, device);
  const cudaError_t e = cudaDeviceSynchronize();
  if (e != cudaSuccess) printf("error: %s\n", cudaGetErrorString(e));
  return e != cudaSuccess;
}
