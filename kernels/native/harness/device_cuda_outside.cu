// Work on the device that is not in the stream that pg_launch was given.
#include <time.h>

#include <algorithm>

#include "commands.h"
#include "device_cuda.h"

namespace perfgate {

namespace {

const double kOutsideFactor = 1.5, kOutsideSlack = 50e3;
const double kShortestWait = 1e6, kLongestWait = 50e6;
const double kLookLimit = 150e6;  // the stream is held back this long; more than any wait
// What a host may take to launch one kernel; 2 to 10 us are usual. Where nobody can count them, as if there were many.
const double kHostPerKernel = 20e3;
// The same for an interpreter: 20 to 100 us are usual, and an operation of a framework may enqueue nothing.
const double kInterpreterPerKernel = 200e3, kInterpreterPerLaunch = 500e3;
const size_t kUncounted = 64;

void nap(double ns) {
  timespec t;
  t.tv_sec = static_cast<time_t>(ns / 1e9);
  t.tv_nsec = static_cast<long>(ns - static_cast<double>(t.tv_sec) * 1e9);
  nanosleep(&t, nullptr);
}

}  // namespace

// The host's time around launches and the synchronisation of the whole device, against what events on the stream see.
// Streams of the adapter's own that it joins by an event are in both. The first event is over before the host's time begins: where other
// processes have the GPU, too, the stream waits for its turn before it, and that is nobody's work.
Outside CudaDevice::unseen_time(const Work &work) {
  Outside o;
  o.how = "work went on outside of the stream that pg_launch was given";
  PG_CUDA(cudaEventRecord(start_, stream_));
  synchronize();
  const double start = now_ns();
  work();
  PG_CUDA(cudaEventRecord(stop_, stream_));
  synchronize();
  o.host_ns = now_ns() - start;
  o.clock_ns = elapsed_ns();
  o.found = o.host_ns > kOutsideFactor * o.clock_ns && o.host_ns - o.clock_ns > kOutsideSlack;
  return o;
}

// How many pieces of work a launch enqueues.
size_t CudaDevice::count_nodes(const Work &one) {
  cudaGraph_t graph = recorded(one);
  size_t nodes = kUncounted;
  if (graph) {
    cudaGraphGetNodes(graph, nullptr, &nodes);
    cudaGraphDestroy(graph);
  }
  return nodes;
}

// While the stream is held back, what the host does in pg_launch is in no time. A launch is honest if that is what launching
// takes; the best of several tries counts, since a host may be interrupted.
Outside CudaDevice::host_work(const Work &one, bool interpreted) {
  Outside o;
  if (waits_) return o;  // it waits for the device: then the stream is not held back
  o.how = "pg_launch itself works on the host for longer than it takes to launch";
  o.host_ns = 1e300;
  for (int i = 0; i < 5; i++) {
    double spent = 0;
    auto timed_one = [&] {
      const double start = now_ns();
      one();
      spent = now_ns() - start;
    };
    const double ns = timed(Clock::kEvent, true, timed_one);
    if (!blocked()) return Outside();
    if (spent < o.host_ns) {
      o.host_ns = spent;
      o.clock_ns = ns;
    }
  }
  const double suspicious = kOutsideFactor * o.clock_ns + kOutsideSlack;
  const double per_kernel = interpreted ? kInterpreterPerKernel : kHostPerKernel, per_launch = interpreted ? kInterpreterPerLaunch : 0;
  o.found = o.host_ns > suspicious && o.host_ns > suspicious + per_launch + per_kernel * static_cast<double>(count_nodes(one));
  return o;
}

// Launches while the stream is held back, with a look at the outputs enqueued before: those that have changed by then were
// not written by the stream. That finds kernels that are too short for clocks.
bool CudaDevice::moves_while_blocked(double wait_ns, const Work &work, const Work &snapshot, bool (*changed)(void *),
                                     void *context) {
  snapshot();
  synchronize();
  blocked();
  start_result(0);
  {
    StreamGate gate(this, true, kLookLimit);
    looks_ahead_ = true;
    changed(context);
    looks_ahead_ = false;
    work();
    nap(wait_ns);
  }
  const bool moved = result() != 0;
  synchronize();
  waits_ = waits_ || !blocked();
  return moved;
}

Outside CudaDevice::outside(Clock, bool, const Work &work, const Work &snapshot, bool (*changed)(void *), void *context) {
  Outside o = unseen_time(work);
  if (o.found || waits_) return o;
  const double wait = std::min(std::max(2 * o.host_ns, kShortestWait), kLongestWait);
  if (!moves_while_blocked(wait, work, snapshot, changed, context)) return o;
  o.found = true;
  o.how = "an output was written outside of the stream that pg_launch was given";
  return o;
}

}  // namespace perfgate
