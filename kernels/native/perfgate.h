/* perfgate.h: the adapter interface of perfgate, C ABI version 1.
 *
 * An adapter tells perfgate how to shape, launch and check one or several kernels. It is one C, C++ or CUDA file
 * that includes this header and defines
 *
 *   pg_spec, pg_launch                      always
 *   pg_setup, pg_teardown                   optional: handles, workspace, autotuning; never timed
 *   pg_fill                                 optional: inputs that no fill describes
 *   pg_written                              optional: which elements of outputs a launch writes
 *   pg_reference                            optional: the float64 oracle that parity checks against
 *   pg_reference_f32                        optional: the same in float32, for what cancels on the way
 *   pg_work                                 optional: counted flops and bytes, for rates
 *   pg_collect                              optional: outputs that a launch allocates itself
 *   pg_record_begin, pg_record_end          optional: memory that launches allocate while a graph is recorded
 *
 * perfgate compiles it together with the kernel's sources into a shared library. The harness, a separate program,
 * loads that library and owns everything else: memory, inputs, guard zones, cache flush, clock and checks.
 *
 * On a CPU every pointer is a host pointer and `stream` is NULL. On CUDA they are device pointers and `stream` is a
 * cudaStream_t. `data` holds one pointer per tensor, in the order of pg_spec.
 *
 * On CUDA all work of a launch belongs on `stream`, or on streams that begin after it and that it waits for (events); the
 * stream may be recording a graph, or be held back until the launch is enqueued, so pg_launch should not wait for the
 * device. pg_reference gets device pointers as well: the float64 oracle is a kernel of its own. nvcc links the CUDA runtime
 * into the adapter; a launch error that pg_launch does not return is found by pg_last_error, which this file defines.
 *
 * This file is written next to every build by perfgate itself; a copy in your tree serves your editor only.
 */
#ifndef PERFGATE_H
#define PERFGATE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PG_ABI_VERSION 1
#define PG_MAX_RANK 8
#define PG_MAX_TENSORS 64

#if defined(__GNUC__)
#define PG_EXPORT __attribute__((visibility("default")))
#define PG_EMIT __attribute__((visibility("default"), weak))
#else
#error "perfgate adapters need GCC, Clang or nvcc"
#endif

#ifdef __cplusplus
#include <initializer_list>
extern "C" {
#endif

/* Element types. A parameter whose value is the word "f16" reads as PG_F16, so a dtype may be a parameter. */
typedef enum pg_dtype {
  PG_F64 = 1,
  PG_F32 = 2,
  PG_F16 = 3,      /* IEEE binary16 */
  PG_BF16 = 4,     /* bfloat16 */
  PG_F8E4M3 = 5,   /* OCP fp8 E4M3FN: no infinity, max 448; fills saturate */
  PG_F8E5M2 = 6,   /* OCP fp8 E5M2: IEEE-like, max 57344; fills saturate */
  PG_I64 = 7,
  PG_I32 = 8,
  PG_I8 = 9,
  PG_U8 = 10
} pg_dtype;

typedef enum pg_role {
  PG_IN = 1,      /* must come back unchanged */
  PG_OUT = 2,     /* poisoned before a launch: every element must be written (pg_written: some); at least one out or inout is needed */
  PG_INOUT = 3,   /* restored outside the timed region before every launch */
  PG_SCRATCH = 4  /* workspace: poisoned, never compared */
} pg_role;

typedef enum pg_fill_kind {
  PG_FILL_DEFAULT = 0,  /* floating: normal(0, 1); integer: uniform(-4, 4), from 0 for unsigned */
  PG_FILL_NORMAL = 1,   /* a = mean, b = standard deviation, 0 meaning 1 */
  PG_FILL_UNIFORM = 2,  /* a <= x < b, then rounded to the dtype; integers: a <= x <= b */
  PG_FILL_CONSTANT = 3, /* a */
  PG_FILL_SEQUENCE = 4, /* a, a + b, a + 2b, ... */
  PG_FILL_CUSTOM = 5    /* what pg_fill makes of it */
} pg_fill_kind;

/* What a launch does to an element of an output, for pg_written. */
typedef enum pg_element {
  PG_KEPT = 0,    /* leaves it alone: it must be after the launch what it was before */
  PG_WRITTEN = 1, /* writes it: it is compared with the oracle */
  PG_FREE = 2     /* may write anything there, or nothing: it is not looked at */
} pg_element;

/* Flags of a tensor. */
enum {
  PG_FILL_FIXED = 1,      /* parity must not vary the fill (indices, lengths, masks) */
  PG_ALLOW_NONFINITE = 2  /* the kernel defines its result for Inf and NaN inputs */
};

/* One tensor of a case. Contiguous, row-major. Zero-initialised fields mean their default. */
typedef struct pg_tensor {
  uint32_t size;                /* sizeof(pg_tensor); set by pg_tensor_make */
  int32_t dtype;                /* pg_dtype */
  int32_t role;                 /* pg_role */
  int32_t rank;                 /* 0 (a scalar) to PG_MAX_RANK */
  int64_t shape[PG_MAX_RANK];   /* in elements, each >= 0 */
  char name[32];                /* shown in messages */
  char dims[64];                /* optional names of the dimensions, "b,h,s,d" */
  int32_t fill;                 /* pg_fill_kind */
  uint32_t flags;               /* PG_FILL_FIXED, PG_ALLOW_NONFINITE */
  double a, b;                  /* parameters of the fill */
  double atol, rtol;            /* outputs: tolerance of this tensor; 0 = the configuration's */
} pg_tensor;

typedef struct pg_param_entry {
  const char *name;
  const char *text;             /* as written in the configuration */
  int64_t value;                /* the integer, or the pg_dtype of a dtype word */
} pg_param_entry;

/* A kernel and one assignment of its parameters. Lives as long as the call. */
typedef struct pg_case {
  uint32_t size;                /* sizeof(pg_case) */
  int32_t param_count;
  const char *kernel;           /* the kernel's name, so that one adapter can hold several */
  const pg_param_entry *params; /* in declared order */
} pg_case;

/* Describes the tensors of this case into out[0..cap) and returns their count; < 0: case not supported. */
PG_EXPORT int pg_spec(const pg_case *c, pg_tensor *out, int cap);
/* Makes inputs that no fill describes: packed blocks with scales and checksums, row offsets, lengths, masks, text. Untimed, and on
 * memory of the host, on CUDA too: the harness copies it. data[i] is tensor i where its fill is PG_FILL_CUSTOM, else NULL; it holds what
 * PG_FILL_DEFAULT would give it, so that as much of it may be changed as needs to be. `values` is the kind of values that parity tries
 * ("spec" where things are timed; docs/protocol.md lists them), for tensors to which it means something. The bytes must follow from
 * the case, `values` and `seed` alone: the same are asked for again. pg_random draws from a seed. 0 = ok. */
PG_EXPORT int pg_fill(const pg_case *c, const char *values, uint64_t seed, void *const *data);
/* Says which elements of the outputs a launch writes, where it is not all of them: triangles, ragged rows, what is accumulated into.
 * Untimed, and on memory of the host. data[i] is tensor i as it was before the launch where its role is in or inout, else NULL;
 * written[i] has a byte for each element of tensor i where that is an output, each PG_WRITTEN at first, else NULL. An element that is
 * PG_KEPT still has its poison (out) or its old value (inout) after a right launch. pg_reference need not write it. 0 = ok. */
PG_EXPORT int pg_written(const pg_case *c, const void *const *data, uint8_t *const *written);
/* Untimed preparation of a case; *state goes to pg_launch. 0 = ok. Called once for a case, with filled buffers to try
 * things out on; the state must serve every later set of buffers of the same case, so it must not remember pointers. */
PG_EXPORT int pg_setup(const pg_case *c, void *const *data, void *stream, void **state);
/* The work under test: one or many kernels, enqueued on `stream`. 0 = ok. On a CPU all of it is done on return. */
PG_EXPORT int pg_launch(const pg_case *c, void *const *data, void *stream, void *state);
/* Untimed, after the device has finished: copies what the latest launch into `data` returned in memory of its own into the outputs of
 * `data`. 0 = ok. An adapter whose launches write their outputs in place has no need of it. */
PG_EXPORT int pg_collect(const pg_case *c, void *const *data, void *stream, void *state);
/* Untimed, around the recording of a graph on `stream`: what launches allocate meanwhile belongs to the graph, and must not be used for
 * anything else until the next recording ends or the case is torn down. 0 = ok. */
PG_EXPORT int pg_record_begin(const pg_case *c, void *stream, void *state);
PG_EXPORT int pg_record_end(const pg_case *c, void *stream, void *state);
/* Called once for every pg_setup that succeeded. */
PG_EXPORT void pg_teardown(void *state);
/* Computes the outputs in float64 from float64 copies of the inputs. data[i] is tensor i: inputs hold their values, inout
 * tensors theirs of before the launch, scratch tensors are NULL. Every output must be written (pg_written: some).
 * On CUDA these are device pointers, and the work goes on `stream`. 0 = ok, < 0 = no oracle for this case, > 0 = failed. */
PG_EXPORT int pg_reference(const pg_case *c, double *const *data, void *stream);
/* Optional: the same formula computed in float32, from float64 copies and to them again. Asked where an element is off by more than its inputs
 * explain: what is lost here is what cancels on the way to a result, and a right kernel in float32 loses as much. 0 = ok. */
PG_EXPORT int pg_reference_f32(const pg_case *c, double *const *data, void *stream);
/* Counts the floating-point operations and the bytes that any implementation must move. */
PG_EXPORT void pg_work(const pg_case *c, double *flops, double *bytes);

/* The integer value of parameter `name`; 0 and *found = 0 when there is none. */
static inline int64_t pg_param_find(const pg_case *c, const char *name, int *found) {
  int i;
  for (i = 0; i < c->param_count; i++) {
    if (strcmp(c->params[i].name, name) == 0) {
      if (found) *found = 1;
      return c->params[i].value;
    }
  }
  if (found) *found = 0;
  return 0;
}

/* What pg_param was asked for and did not find; the harness reads it after each call and reports it. */
PG_EMIT char pg_missing_param[64];

/* The integer value of parameter `name`. A name that the configuration does not declare is reported as an error. */
static inline int64_t pg_param(const pg_case *c, const char *name) {
  int found = 0;
  int64_t value = pg_param_find(c, name, &found);
  if (!found) {
    strncpy(pg_missing_param, name, sizeof pg_missing_param - 1);
  }
  return value;
}

/* 64 random bits for pg_fill: draw number i of a seed, so in any order (splitmix64). */
static inline uint64_t pg_random(uint64_t seed, uint64_t i) {
  uint64_t x = seed + (i + 1) * 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

/* Bytes of one element; 0 for an unknown dtype. */
static inline size_t pg_dtype_size(int dtype) {
  switch (dtype) {
    case PG_F64: case PG_I64: return 8;
    case PG_F32: case PG_I32: return 4;
    case PG_F16: case PG_BF16: return 2;
    case PG_F8E4M3: case PG_F8E5M2: case PG_I8: case PG_U8: return 1;
    default: return 0;
  }
}

static inline pg_tensor pg_tensor_make(const char *name, int dtype, int role, int rank, const int64_t *shape) {
  pg_tensor t;
  int i;
  memset(&t, 0, sizeof t);
  t.size = (uint32_t)sizeof t;
  t.dtype = dtype;
  t.role = role;
  t.rank = rank;
  for (i = 0; i < rank && i < PG_MAX_RANK; i++) t.shape[i] = shape[i];
  strncpy(t.name, name, sizeof t.name - 1);
  return t;
}

/* PG_TENSOR("q", PG_F16, PG_IN, B, H, S, D) is a tensor; its dimensions are int64_t. */
#ifndef __cplusplus
#define PG_TENSOR(name, dtype, role, ...)                                                      \
  pg_tensor_make(name, dtype, role, (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), \
                 (const int64_t[]){__VA_ARGS__})
#endif

static inline pg_tensor pg_fill_with(pg_tensor t, int kind, double a, double b) {
  t.fill = kind;
  t.a = a;
  t.b = b;
  return t;
}

static inline pg_tensor pg_dims_named(pg_tensor t, const char *dims) {
  strncpy(t.dims, dims, sizeof t.dims - 1);
  return t;
}

/* What every adapter carries without defining it: the version it was built for, and its own view of the last error
 * (nvcc links the CUDA runtime statically, so the harness's runtime would not see the adapter's launch errors). */
PG_EMIT int pg_abi(void) { return PG_ABI_VERSION; }

PG_EMIT const char *pg_missing_parameter(void) { return pg_missing_param; }

#if defined(__CUDACC__)
PG_EMIT const char *pg_last_error(void) {
  cudaError_t e = cudaGetLastError();
  return e == cudaSuccess ? NULL : cudaGetErrorString(e);
}
#else
PG_EMIT const char *pg_last_error(void) { return NULL; }
#endif

#ifdef __cplusplus
}

static inline pg_tensor pg_tensor_of(const char *name, int dtype, int role, std::initializer_list<int64_t> shape) {
  return pg_tensor_make(name, dtype, role, (int)shape.size(), shape.begin());
}
#define PG_TENSOR(name, dtype, role, ...) pg_tensor_of(name, dtype, role, {__VA_ARGS__})
#endif

#endif /* PERFGATE_H */
