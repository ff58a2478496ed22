// What the processor says it can do, to a process that asks it as compilers' dispatch does. Under valgrind it says less.
#include "device_cpu.h"
#include "json.h"

namespace perfgate {

void CpuDevice::describe(JsonWriter *hello) const {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init();
  hello->key("features").open_array();
#define PG_FEATURE(name) \
  if (__builtin_cpu_supports(name)) hello->value(name)
  PG_FEATURE("sse4.2");
  PG_FEATURE("avx");
  PG_FEATURE("avx2");
  PG_FEATURE("fma");
  PG_FEATURE("bmi2");
  PG_FEATURE("avx512f");
  PG_FEATURE("avx512bw");
  PG_FEATURE("avx512dq");
  PG_FEATURE("avx512vl");
  PG_FEATURE("avx512vnni");
#undef PG_FEATURE
  hello->close_array();
#endif
}

}  // namespace perfgate
