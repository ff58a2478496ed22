// The CUDA examples as one adapter, so that one process measures all of their cases: what docs/measurements/suite runs.
#include "attention_cuda/attention.h"
#include "basics_cuda/basics.h"
#include "gemm_cuda/gemm.h"
#include "perfgate.h"
#include "reduction_cuda/reduction.h"
#include "softmax_cuda/softmax.h"
#include "transpose_cuda/transpose.h"

#define pg_spec example_spec
#define pg_launch example_launch
#define pg_reference example_reference
#define pg_work example_work
namespace attention_example {
#include "attention_cuda/attention.pg.cu"
}
namespace basics_example {
#include "basics_cuda/basics.pg.cu"
}
namespace gemm_example {
#include "gemm_cuda/gemm.pg.cu"
}
namespace reduction_example {
#include "reduction_cuda/reduction.pg.cu"
}
namespace softmax_example {
#include "softmax_cuda/softmax.pg.cu"
}
namespace transpose_example {
#include "transpose_cuda/transpose.pg.cu"
}
#undef pg_spec
#undef pg_launch
#undef pg_reference
#undef pg_work

namespace {

struct Example {
  const char *kernels;  // what the names of its kernels begin with
  int (*spec)(const pg_case *, pg_tensor *, int);
  int (*launch)(const pg_case *, void *const *, void *, void *);
  int (*reference)(const pg_case *, double *const *, void *);
  void (*work)(const pg_case *, double *, double *);
};

#define PG_EXAMPLE(name, in) \
  { name, in::example_spec, in::example_launch, in::example_reference, in::example_work }

const Example kExamples[] = {
    PG_EXAMPLE("attention", attention_example), PG_EXAMPLE("saxpy", basics_example),    PG_EXAMPLE("polynomial", basics_example),
    PG_EXAMPLE("gemm", gemm_example),           PG_EXAMPLE("sum", reduction_example),   PG_EXAMPLE("softmax", softmax_example),
    PG_EXAMPLE("transpose", transpose_example),
};

const Example *example_of(const pg_case *c) {
  for (const Example &e : kExamples) {
    if (strncmp(c->kernel, e.kernels, strlen(e.kernels)) == 0) return &e;
  }
  return nullptr;
}

}  // namespace

int pg_spec(const pg_case *c, pg_tensor *t, int cap) {
  const Example *e = example_of(c);
  return e ? e->spec(c, t, cap) : -1;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *state) { return example_of(c)->launch(c, data, stream, state); }

int pg_reference(const pg_case *c, double *const *data, void *stream) { return example_of(c)->reference(c, data, stream); }

void pg_work(const pg_case *c, double *flops, double *bytes) { example_of(c)->work(c, flops, bytes); }
