// What the adapters of this folder share. A kernel's name is OPERATION-VARIANT; variants.py says which are right.
#ifndef UNSEEN_H
#define UNSEEN_H

#include <math.h>

#include <algorithm>
#include <random>
#include <vector>

#include "perfgate.h"

struct Operation {
  const char *name;
  int (*spec)(const pg_case *, pg_tensor *);
  void (*launch)(const pg_case *, void *const *);
  void (*reference)(const pg_case *, double *const *);
  void (*fill)(const pg_case *, const char *values, uint64_t seed, void *const *);
  void (*written)(const pg_case *, const void *const *, uint8_t *const *);
};

extern const std::vector<Operation> kOperations;

static const Operation &operation(const pg_case *c) {
  for (const Operation &o : kOperations) {
    const size_t n = strlen(o.name);
    if (strncmp(c->kernel, o.name, n) == 0 && c->kernel[n] == '-') return o;
  }
  abort();
}

static bool has(const pg_case *c, const char *variant) { return strcmp(strchr(c->kernel, '-') + 1, variant) == 0; }

static inline float bf16(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  bits = (bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000u;
  memcpy(&x, &bits, 4);
  return x;
}

static inline float half(float x) { return static_cast<float>(static_cast<_Float16>(x)); }

static inline float from_bf16(uint16_t word) {
  const uint32_t bits = static_cast<uint32_t>(word) << 16;
  float x;
  memcpy(&x, &bits, 4);
  return x;
}

static inline uint16_t to_bf16(float x) {
  if (x != x) return 0x7fc0;
  uint32_t bits;
  x = bf16(x);
  memcpy(&bits, &x, 4);
  return static_cast<uint16_t>(bits >> 16);
}

template <class T> static T *at(void *const *data, int i) { return static_cast<T *>(data[i]); }

int pg_spec(const pg_case *c, pg_tensor *t, int) { return operation(c).spec(c, t); }

int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  operation(c).launch(c, data);
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  operation(c).reference(c, data);
  return 0;
}

int pg_fill(const pg_case *c, const char *values, uint64_t seed, void *const *data) {
  if (operation(c).fill) operation(c).fill(c, values, seed, data);
  return 0;
}

int pg_written(const pg_case *c, const void *const *data, uint8_t *const *written) {
  if (operation(c).written) operation(c).written(c, data, written);
  return 0;
}

#endif
