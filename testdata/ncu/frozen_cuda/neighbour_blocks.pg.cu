// How many neighbours within a distance the blocks of 256 atoms have, each pair of blocks looked at once. Base: every block looks at half of the
// others. SLOW: at those after it, so that the first has all to do and the last nothing.
#include "common.cuh"

constexpr int kAtoms = 256;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = pg_fill_with(PG_TENSOR("x", PG_F32, PG_IN, pg_param(c, "blocks"), kAtoms, 4), PG_FILL_UNIFORM, 0, 1);
  t[0].flags = PG_FILL_FIXED;
  t[1] = PG_TENSOR("near", PG_I32, PG_INOUT, 1);
  return 2;
}

__device__ int close_to(float4 a, float4 b) {
  const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return x * x + y * y + z * z < 0.01f;
}

__global__ void neighbours(const float4 *x, int *near) {
  __shared__ float4 others[kAtoms];
  const int blocks = gridDim.x, me = blockIdx.x;
  const float4 mine = x[me * kAtoms + threadIdx.x];
  int found = 0;
  const int many = SLOW ? blocks - 1 - me : (blocks - 1) / 2 + (blocks % 2 == 0 && me < blocks / 2);
  for (int k = 1; k <= many; k++) {
    const int other = (me + k) % blocks;
    __syncthreads();
    others[threadIdx.x] = x[other * kAtoms + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < kAtoms; j++) found += close_to(mine, others[j]);
  }
  found = warp_sum(found);
  if (threadIdx.x % kLanes == 0 && found) atomicAdd(near, found);
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  neighbours<<<unsigned(pg_param(c, "blocks")), kAtoms, 0, stream_of(stream)>>>(as<float4>(data[0]), as<int>(data[1]));
  return 0;
}

// In float32 as the kernel has it: a pair at the very distance is one or is none.
int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t atoms = pg_param(c, "blocks") * kAtoms;
  const double *x = data[0];
  double *near = data[1];
  return for_each(atoms, stream, [=] __device__(int64_t i) {
    const float4 mine = make_float4(float(x[i * 4]), float(x[i * 4 + 1]), float(x[i * 4 + 2]), 0);
    int found = 0;
    for (int64_t j = (i / kAtoms + 1) * kAtoms; j < atoms; j++) found += close_to(mine, make_float4(float(x[j * 4]), float(x[j * 4 + 1]), float(x[j * 4 + 2]), 0));
    if (found) atomicAdd(near, double(found));
  });
}
