#include "device_cuda.h"

#include <cuda_profiler_api.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>

#include "failure.h"
#include "json.h"

namespace perfgate {

const char *const kDeviceName = "cuda";

std::unique_ptr<Device> make_device() { return std::unique_ptr<Device>(new CudaDevice); }

std::string cuda_words(cudaError_t e, const char *call) {
  const char *end = strchr(call, '(');
  const std::string function(call, end ? static_cast<size_t>(end - call) : strlen(call));
  return function + ": " + cudaGetErrorString(e) + " (" + cudaGetErrorName(e) + ")";
}

void check_cuda(cudaError_t e, const char *call) {
  if (e == cudaSuccess) return;
  cudaGetLastError();  // it is told here, and must not be told again
  throw Failure("launch-failed", cuda_words(e, call));
}

namespace {

const size_t kAlignment = 4096;
const size_t kPageSize = 2 << 20;      // of the device
const size_t kPiece64M = 64 << 20;
const int kCompareBlocks = 256;

int attribute(cudaDeviceAttr which) {
  int value = 0;
  PG_CUDA(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

// The first call that touches the GPU: what is wrong with driver or device shows here.
void first_touch() {
  int count = 0;
  cudaError_t e = cudaGetDeviceCount(&count);
  if (e == cudaSuccess && count == 0) e = cudaErrorNoDevice;
  if (e != cudaSuccess) throw Failure("no-device", "no CUDA device can be used: " + cuda_words(e, "cudaGetDeviceCount"));
  e = cudaSetDevice(0);
  if (e == cudaSuccess) e = cudaFree(nullptr);
  if (e != cudaSuccess) throw Failure("no-device", "the CUDA device cannot be used: " + cuda_words(e, "cudaSetDevice"));
}

}  // namespace

CudaDevice::CudaDevice() {
  first_touch();
  sms_ = attribute(cudaDevAttrMultiProcessorCount);
  tensor_ = attribute(cudaDevAttrComputeCapabilityMajor) >= 8;
  const size_t l2 = static_cast<size_t>(std::max(attribute(cudaDevAttrL2CacheSize), 1 << 20));
  flush_bytes_ = 2 * l2;
  canary_bytes_ = 4 * l2;
  PG_CUDA(cudaDeviceGetLimit(&stack_bytes_, cudaLimitStackSize));
}

void CudaDevice::wake() {
  if (awake_) return;
  PG_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamDefault));
  PG_CUDA(cudaEventCreate(&start_));
  PG_CUDA(cudaEventCreate(&stop_));
  PG_CUDA(cudaHostAlloc(reinterpret_cast<void **>(&signal_), sizeof *signal_, cudaHostAllocMapped));
  signal_->go = signal_->expired = 0;
  PG_CUDA(cudaMallocHost(reinterpret_cast<void **>(&result_host_), sizeof *result_host_));
  result_ = static_cast<unsigned long long *>(allocate(sizeof *result_));
  partial_ = static_cast<Comparison *>(allocate(kCompareBlocks * sizeof *partial_));
  readings_ = static_cast<ClockReading *>(allocate(kCanaryBlocksPerSm * static_cast<size_t>(sms_) * sizeof *readings_));
  const size_t table_bytes = normal_table_size() * sizeof(NormalSegment);
  table_ = static_cast<NormalSegment *>(allocate(table_bytes));
  from_host(table_, normal_table(), table_bytes);
  // Kernels are loaded when they are first launched, which may wait for all that runs: not while the stream is held back.
  same(table_, table_, sizeof(NormalSegment));
  flush_buffer_ = static_cast<char *>(allocate(flush_bytes_));
  canary_buffer_ = static_cast<char *>(allocate(2 * canary_bytes_));
  set_bytes(canary_buffer_, 1, 2 * canary_bytes_);
  arena_.close();  // what cases need comes from pieces of its own, and all of it goes back when the case is over
  awake_ = true;
}

// Other limits and settings that an adapter may make for the process (printf's buffer, the heap of kernels) take no time of a launch.
void CudaDevice::forget_adapter() {
  PG_CUDA(cudaDeviceSetLimit(cudaLimitStackSize, stack_bytes_));
  cudaCtxResetPersistingL2Cache();
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
  cudaGetLastError();  // before sm_80 there is no persisting L2
  waits_ = false;
}

void CudaDevice::describe(JsonWriter *hello) const {
  cudaDeviceProp p;
  int driver = 0, runtime = 0;
  PG_CUDA(cudaGetDeviceProperties(&p, 0));
  PG_CUDA(cudaDriverGetVersion(&driver));
  PG_CUDA(cudaRuntimeGetVersion(&runtime));
  char uuid[41];
  const unsigned char *b = reinterpret_cast<const unsigned char *>(p.uuid.bytes);
  snprintf(uuid, sizeof uuid, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2],
           b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
  hello->key("gpu").open_object().member("name", std::string(p.name)).member("uuid", std::string(uuid));
  hello->member("arch", "sm_" + std::to_string(p.major) + std::to_string(p.minor)).member("sms", sms_);
  hello->member("l2Bytes", static_cast<int64_t>(p.l2CacheSize));
  hello->member("memoryBytes", static_cast<int64_t>(p.totalGlobalMem));
  hello->member("driver", driver).member("runtime", runtime).close_object();
}

// Asked after a failure. An error that stays has taken the context with it, and the only cure is another process.
bool CudaDevice::alive() {
  if (signal_) signal_->go = ticket_;
  looks_ahead_ = false;
  cudaGetLastError();
  return cudaDeviceSynchronize() == cudaSuccess;
}

// A piece that holds `bytes` more: the last one, or a new one.
Arena::Piece *Arena::piece_for(size_t bytes) {
  for (Piece &p : pieces_) {
    if (p.start && p.size - p.used >= bytes) return &p;
  }
  const size_t size = (std::max(bytes, kPiece64M) + kPageSize - 1) / kPageSize * kPageSize;
  void *raw = nullptr;
  if (cudaMalloc(&raw, size + kPageSize) != cudaSuccess) return nullptr;
  const uintptr_t start = (reinterpret_cast<uintptr_t>(raw) + kPageSize - 1) / kPageSize * kPageSize;
  pieces_.push_back({static_cast<char *>(raw), reinterpret_cast<char *>(start), size, 0, 0});
  return &pieces_.back();
}

void *Arena::allocate(size_t bytes) {
  bytes = std::max((bytes + kAlignment - 1) / kAlignment * kAlignment, kAlignment);
  Piece *piece = piece_for(bytes);
  if (!piece) return nullptr;
  void *p = piece->start + piece->used;
  piece->used += bytes;
  piece->live++;
  owner_[p] = static_cast<size_t>(piece - pieces_.data());
  return p;
}

void Arena::close() {
  for (Piece &p : pieces_) p.used = p.size;
}

// A piece that nobody uses goes back to the driver: the next case finds the device as the first one did.
bool Arena::release(void *p) {
  const auto at = owner_.find(p);
  if (at == owner_.end()) return false;
  Piece &piece = pieces_[at->second];
  owner_.erase(at);
  if (--piece.live > 0) return true;
  cudaFree(piece.raw);
  piece = {nullptr, nullptr, 0, 0, 0};
  return true;
}

void *CudaDevice::allocate(size_t bytes) {
  void *p = nullptr;
  if (!separate_) p = arena_.allocate(bytes);
  else if (cudaMalloc(&p, std::max<size_t>(bytes, 1)) != cudaSuccess) p = nullptr;
  if (p) return p;
  const cudaError_t e = cudaGetLastError();
  if (e != cudaErrorMemoryAllocation) check_cuda(e, "cudaMalloc");
  throw Failure("out-of-memory", "no device memory for a buffer of " + std::to_string(bytes) + " bytes (" +
                                     std::to_string(available()) + " bytes are free on the GPU)");
}

// Called by destructors, which must not throw: an error here comes back with the next call.
void CudaDevice::release(void *p, size_t) {
  if (!arena_.release(p)) cudaFree(p);
}

size_t CudaDevice::available() const {
  size_t free_bytes = 0, total = 0;
  PG_CUDA(cudaMemGetInfo(&free_bytes, &total));
  return free_bytes;
}

void CudaDevice::copy(void *to, const void *from, size_t bytes) {
  if (bytes) PG_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_));
}

void CudaDevice::from_host(void *to, const void *host, size_t bytes) {
  if (bytes) PG_CUDA(cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice, stream_));
  PG_CUDA(cudaStreamSynchronize(stream_));
}

void CudaDevice::to_host(void *host, const void *from, size_t bytes) {
  if (bytes) PG_CUDA(cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost, stream_));
  PG_CUDA(cudaStreamSynchronize(stream_));
}

void CudaDevice::set_bytes(void *p, uint8_t byte, size_t bytes) {
  if (bytes) PG_CUDA(cudaMemsetAsync(p, byte, bytes, stream_));
}

// Of all streams, the adapter's own as well: what it started elsewhere must be over before anybody looks.
void CudaDevice::synchronize() { PG_CUDA(cudaDeviceSynchronize()); }

void CudaDevice::profile(bool on) {
  if (on) {
    PG_CUDA(cudaProfilerStart());
  } else {
    PG_CUDA(cudaProfilerStop());
  }
}

}  // namespace perfgate
