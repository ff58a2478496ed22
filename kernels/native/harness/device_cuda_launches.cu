// What a launch consists of, as the driver records it: which kernels, how large, and how many blocks of them fit. That takes
// no profiler and no counters.
#include <dlfcn.h>

#include "device_cuda.h"
#include "failure.h"
#include "json.h"

namespace perfgate {

namespace {

const size_t kMostLaunches = 100, kLongestName = 1000;

// The driver's own functions, looked up where the runtime has loaded them: the runtime's know only kernels of the program that
// they are linked with, and adapters are libraries. Numbers are those of cuda.h.
enum { kSharedSize = 1, kRegisters = 4 };

// CUDA_KERNEL_NODE_PARAMS_v2; the first version is the same without the last two.
struct KernelNode {
  void *function;
  unsigned grid[3], block[3], shared;
  void **params, **extra;
  void *kernel, *context;
};

struct Driver {
  int (*node_params)(cudaGraphNode_t, KernelNode *) = nullptr;
  int (*function_of)(void **, void *) = nullptr;
  int (*attribute)(int *, int, void *) = nullptr;
  int (*name_of)(const char **, void *) = nullptr;
  int (*fitting)(int *, void *, int, size_t) = nullptr;

  Driver() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!library) return;
    find(library, "cuGraphKernelNodeGetParams_v2", &node_params);
    if (!node_params) find(library, "cuGraphKernelNodeGetParams", &node_params);
    find(library, "cuKernelGetFunction", &function_of);
    find(library, "cuFuncGetAttribute", &attribute);
    find(library, "cuFuncGetName", &name_of);
    find(library, "cuOccupancyMaxActiveBlocksPerMultiprocessor", &fitting);
  }

  template <class F> static void find(void *library, const char *name, F *f) { *f = reinterpret_cast<F>(dlsym(library, name)); }
};

void write_dims(const char *name, const unsigned *dims, JsonWriter *reply) {
  reply->key(name).open_array();
  for (int i = 0; i < 3; i++) reply->value(static_cast<int64_t>(dims[i]));
  reply->close_array();
}

void write_launch(const Driver &driver, const KernelNode &n, JsonWriter *reply) {
  void *function = n.function;
  if (!function && n.kernel && driver.function_of) driver.function_of(&function, n.kernel);
  int registers = 0, shared = 0, fit = 0;
  const char *name = nullptr;
  if (function && driver.attribute) {
    driver.attribute(&registers, kRegisters, function);
    driver.attribute(&shared, kSharedSize, function);
  }
  if (function && driver.name_of) driver.name_of(&name, function);
  const unsigned threads = n.block[0] * n.block[1] * n.block[2];
  if (function && driver.fitting) driver.fitting(&fit, function, static_cast<int>(threads), n.shared);
  reply->open_object().member("kernel", std::string(name ? name : "").substr(0, kLongestName));
  write_dims("grid", n.grid, reply);
  write_dims("block", n.block, reply);
  reply->member("registers", registers).member("sharedBytes", shared).member("dynamicSharedBytes", static_cast<int64_t>(n.shared));
  reply->member("blocksPerSm", fit).close_object();
}

// The kernels of a graph. False where they are not all that it launches: it has graphs inside, or too many nodes.
bool launches_of(cudaGraph_t graph, const Driver &driver, std::vector<KernelNode> *launches) {
  size_t count = 0;
  if (!driver.node_params || cudaGraphGetNodes(graph, nullptr, &count) != cudaSuccess || count > kMostLaunches) return false;
  std::vector<cudaGraphNode_t> nodes(count);
  if (count && cudaGraphGetNodes(graph, nodes.data(), &count) != cudaSuccess) return false;
  for (cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type;
    if (cudaGraphNodeGetType(node, &type) != cudaSuccess) return false;
    KernelNode n = {};
    switch (type) {
      case cudaGraphNodeTypeKernel:
        if (driver.node_params(node, &n) != 0) return false;
        launches->push_back(n);
        break;
      case cudaGraphNodeTypeMemcpy:
      case cudaGraphNodeTypeMemset:
      case cudaGraphNodeTypeEmpty:
      case cudaGraphNodeTypeWaitEvent:
      case cudaGraphNodeTypeEventRecord:
        break;
      default:
        return false;
    }
  }
  return true;
}

}  // namespace

// The member "launches" of `reply`; none where nobody can tell all of them.
void CudaDevice::write_launches(const Work &one, JsonWriter *reply) {
  cudaGraph_t graph = recorded(one);
  if (!graph) return;
  const Driver driver;
  std::vector<KernelNode> launches;
  if (launches_of(graph, driver, &launches)) {
    reply->key("launches").open_array();
    for (const KernelNode &n : launches) write_launch(driver, n, reply);
    reply->close_array();
  }
  cudaGraphDestroy(graph);
  cudaGetLastError();
}

// What `one` enqueues, recorded in place of being run. Null where it cannot be: it waits for the device, or uses another stream.
cudaGraph_t CudaDevice::recorded(const Work &one) {
  synchronize();
  if (cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return nullptr;
  bool whole = true;
  try {
    one();
  } catch (const Failure &) {  // whether it is right is seen elsewhere
    whole = false;
  }
  cudaGraph_t graph = nullptr;
  whole = cudaStreamEndCapture(stream_, &graph) == cudaSuccess && whole;
  cudaGetLastError();
  if (!whole && graph) cudaGraphDestroy(graph);
  synchronize();
  return whole ? graph : nullptr;
}

}  // namespace perfgate
