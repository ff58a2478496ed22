#include "adapter.h"

#include <dlfcn.h>
#include <fenv.h>
#include <math.h>
#include <string.h>

#include <exception>
#include <new>

#include "failure.h"

namespace perfgate {

namespace {

template <class Function>
void find(void *library, const char *name, Function *out) {
  void *symbol = dlsym(library, name);
  static_assert(sizeof symbol == sizeof *out, "a pointer to a function is a pointer");
  memcpy(out, &symbol, sizeof symbol);
}

}  // namespace

AdapterFunctions load_library(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = dlerror();
    throw Failure("adapter-load", why ? why : "the adapter cannot be loaded");
  }
  int (*abi)() = nullptr;
  find(library, "pg_abi", &abi);
  if (!abi) throw Failure("adapter-abi", "the adapter does not export pg_abi; it must include perfgate.h");
  const int version = abi();
  if (version != PG_ABI_VERSION) {
    throw Failure("adapter-abi", "the adapter was built for ABI version " + std::to_string(version) +
                                     "; this harness speaks version " + std::to_string(PG_ABI_VERSION));
  }
  AdapterFunctions f;
  find(library, "pg_spec", &f.spec);
  find(library, "pg_launch", &f.launch);
  if (!f.spec || !f.launch) {
    const std::string missing = f.spec ? "pg_launch" : f.launch ? "pg_spec" : "pg_spec and pg_launch";
    throw Failure("adapter-incomplete", "the adapter does not define " + missing);
  }
  find(library, "pg_fill", &f.fill);
  find(library, "pg_written", &f.written);
  find(library, "pg_setup", &f.setup);
  find(library, "pg_collect", &f.collect);
  find(library, "pg_record_begin", &f.record_begin);
  find(library, "pg_record_end", &f.record_end);
  find(library, "pg_teardown", &f.teardown);
  find(library, "pg_reference", &f.reference);
  find(library, "pg_reference_f32", &f.narrow_reference);
  find(library, "pg_work", &f.work);
  find(library, "pg_missing_param", &f.missing_param);
  find(library, "pg_last_error", &f.last_error);
  // A lookup from this library sees the libraries that it needs as well.
  f.spins = dlsym(library, "GOMP_parallel") || dlsym(library, "__kmpc_fork_call") || dlsym(library, "omp_get_max_threads");
  return f;
}

void Adapter::before() const {
  if (f_.missing_param) f_.missing_param[0] = 0;
}

void Adapter::caught(const char *function, const char *code) const {
  fesetenv(FE_DFL_ENV);
  const std::string name = function;
  try {
    throw;
  } catch (const Failure &) {
    throw;
  } catch (const std::bad_alloc &) {
    throw Failure("out-of-memory", name + " ran out of memory (std::bad_alloc)");
  } catch (const std::exception &e) {
    throw Failure(code, name + " threw: " + e.what());
  } catch (...) {
    throw Failure(code, name + " threw something that is no std::exception");
  }
}

void Adapter::after(const char *function, const char *code, int result) const {
  // A kernel that leaves another rounding mode or flush-to-zero behind must not change what the checks compute.
  fesetenv(FE_DFL_ENV);
  const std::string name = function;
  Failure told("", "");
  if (f_.take_failure && f_.take_failure(code, &told)) throw told;
  if (f_.missing_param && f_.missing_param[0]) {
    const std::string param(f_.missing_param, strnlen(f_.missing_param, 63));
    throw Failure("missing-parameter", name + " asked for parameter \"" + param + "\", which the case does not have");
  }
  const char *error = f_.last_error ? f_.last_error() : nullptr;
  std::string left = error ? error : "";
  // The runtime's words where a kernel asks for a second GPU: it is shown one.
  if (left == "invalid device ordinal") left += ": a kernel is measured on one GPU and shown no other, so one that spreads over several cannot be";
  if (result != 0) {
    throw Failure(code, name + " returned " + std::to_string(result) + (error ? " (" + left + ")" : ""));
  }
  if (error) throw Failure(code, name + " left an error: " + left);
}

Spec Adapter::spec(const Case &c) const {
  // One entry more than the adapter is told of, so that a write past its end is seen and does no harm.
  std::vector<pg_tensor> tensors(PG_MAX_TENSORS + 1);
  memset(tensors.data(), 0, tensors.size() * sizeof(pg_tensor));
  int count = 0;
  before();
  try {
    count = f_.spec(c.c(), tensors.data(), PG_MAX_TENSORS);
  } catch (...) {
    caught("pg_spec", "bad-spec");
  }
  after("pg_spec", "bad-spec", 0);
  if (count < 0) {
    throw Failure("unsupported", "the adapter does not support " + c.text() + " (pg_spec returned " +
                                     std::to_string(count) + ")");
  }
  if (tensors.back().size != 0) throw Failure("bad-spec", "pg_spec wrote more than 64 tensors");
  Spec spec = make_spec(tensors.data(), count);
  for (const TensorSpec &t : spec.tensors) {
    if (t.custom() && !f_.fill) throw Failure("bad-spec", "tensor \"" + t.name + "\" has PG_FILL_CUSTOM, and the adapter does not define pg_fill");
  }
  return spec;
}

void Adapter::fill(const Case &c, const char *values, uint64_t seed, void *const *data) const {
  call("pg_fill", "adapter-failed", [&] { return f_.fill(c.c(), values, seed, data); });
}

void Adapter::written(const Case &c, const void *const *data, uint8_t *const *written) const {
  call("pg_written", "adapter-failed", [&] { return f_.written(c.c(), data, written); });
}

void Adapter::setup(const Case &c, void *const *data, void *stream, void **state) const {
  *state = nullptr;
  if (f_.setup) call("pg_setup", "setup-failed", [&] { return f_.setup(c.c(), data, stream, state); });
}

void Adapter::launch(const Case &c, void *const *data, void *stream, void *state) const {
  const pg_case *raw = c.c();
  launches([&] { return f_.launch(raw, data, stream, state); });
}

void Adapter::collect(const Case &c, void *const *data, void *stream, void *state) const {
  if (f_.collect) call("pg_collect", "launch-failed", [&] { return f_.collect(c.c(), data, stream, state); });
}

void Adapter::record_begin(const Case &c, void *stream, void *state) const {
  if (f_.record_begin) call("pg_record_begin", "launch-failed", [&] { return f_.record_begin(c.c(), stream, state); });
}

void Adapter::record_end(const Case &c, void *stream, void *state) const {
  if (f_.record_end) call("pg_record_end", "launch-failed", [&] { return f_.record_end(c.c(), stream, state); });
}

void Adapter::teardown(void *state) const {
  if (f_.teardown) call("pg_teardown", "setup-failed", [&] { return f_.teardown(state), 0; });
}

bool Adapter::reference(const Case &c, double *const *data, void *stream) const {
  if (!f_.reference) return false;
  int result = 0;
  before();
  try {
    result = f_.reference(c.c(), data, stream);
  } catch (...) {
    caught("pg_reference", "reference-failed");
  }
  after("pg_reference", "reference-failed", result < 0 ? 0 : result);
  return result == 0;
}

bool Adapter::narrow_reference(const Case &c, double *const *data, void *stream) const {
  if (!f_.narrow_reference) return false;
  int result = 0;
  before();
  try {
    result = f_.narrow_reference(c.c(), data, stream);
  } catch (...) {
    caught("pg_reference_f32", "reference-failed");
  }
  after("pg_reference_f32", "reference-failed", 0);
  return result == 0;
}

bool Adapter::stored_reference(const Case &c, double *const *data, void *stream, double unit) const {
  if (!f_.stored_reference) return false;
  int result = 0;
  before();
  try {
    result = f_.stored_reference(c.c(), data, stream, unit);
  } catch (...) {
    caught("reference", "reference-failed");
  }
  after("reference", "reference-failed", 0);
  return result == 0;
}

void Adapter::work(const Case &c, double *flops, double *bytes) const {
  *flops = *bytes = 0;
  if (!f_.work) return;
  before();
  try {
    f_.work(c.c(), flops, bytes);
  } catch (...) {
    caught("pg_work", "bad-spec");
  }
  after("pg_work", "bad-spec", 0);
  if (!(*flops >= 0) || !(*bytes >= 0) || isinf(*flops) || isinf(*bytes)) {
    throw Failure("bad-spec", "pg_work gave a count that is none");
  }
}

}  // namespace perfgate
