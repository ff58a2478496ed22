// The adapter: the functions of a shared library, or those that an interpreter serves (python.h). Calls into it come back as results
// or as Failures, never as exceptions of its own.
#ifndef PERFGATE_HARNESS_ADAPTER_H
#define PERFGATE_HARNESS_ADAPTER_H

#include <string>

#include "../perfgate.h"
#include "failure.h"
#include "spec.h"

namespace perfgate {

// What perfgate.h declares, as pointers; null where an adapter leaves it out.
struct AdapterFunctions {
  char *missing_param = nullptr;
  const char *(*last_error)() = nullptr;
  int (*spec)(const pg_case *, pg_tensor *, int) = nullptr;
  int (*fill)(const pg_case *, const char *, uint64_t, void *const *) = nullptr;
  int (*written)(const pg_case *, const void *const *, uint8_t *const *) = nullptr;
  int (*setup)(const pg_case *, void *const *, void *, void **) = nullptr;
  int (*launch)(const pg_case *, void *const *, void *, void *) = nullptr;
  int (*collect)(const pg_case *, void *const *, void *, void *) = nullptr;
  int (*record_begin)(const pg_case *, void *, void *) = nullptr;
  int (*record_end)(const pg_case *, void *, void *) = nullptr;
  void (*teardown)(void *) = nullptr;
  int (*reference)(const pg_case *, double *const *, void *) = nullptr;
  int (*narrow_reference)(const pg_case *, double *const *, void *) = nullptr;  // the same, computed in f32
  // The same in float64, with intermediates moved by so much, relative, at random.
  int (*stored_reference)(const pg_case *, double *const *, void *, double unit) = nullptr;
  void (*work)(const pg_case *, double *, double *) = nullptr;
  // Takes away what a call failed with, where that is more than a number tells; true where there was something.
  bool (*take_failure)(const char *code, Failure *out) = nullptr;
  // The configurations that autotuners chose for the case at hand, in words; "" where they had nothing to choose.
  std::string (*chosen)() = nullptr;
  bool spins = false;        // it uses OpenMP, whose idle threads may keep spinning
  bool fills_in_place = false;  // fill is given memory of the device
  bool interpreted = false;  // a launch costs the host what its language costs, tens of microseconds
};

AdapterFunctions load_library(const std::string &path);  // throws adapter-load, adapter-abi, adapter-incomplete

class Adapter {
 public:
  explicit Adapter(const AdapterFunctions &functions) : f_(functions) {}

  bool has_setup() const { return f_.setup != nullptr; }
  bool has_teardown() const { return f_.teardown != nullptr; }
  bool has_reference() const { return f_.reference != nullptr; }
  bool has_work() const { return f_.work != nullptr; }
  bool has_fill() const { return f_.fill != nullptr; }
  bool fills_in_place() const { return f_.fills_in_place; }
  bool has_written() const { return f_.written != nullptr; }
  bool has_collect() const { return f_.collect != nullptr; }
  bool interpreted() const { return f_.interpreted; }
  bool spins() const { return f_.spins; }
  std::string chosen() const { return f_.chosen ? f_.chosen() : std::string(); }

  Spec spec(const Case &c) const;
  void fill(const Case &c, const char *values, uint64_t seed, void *const *data) const;  // memory of the host, or of the device: fills_in_place
  void written(const Case &c, const void *const *data, uint8_t *const *written) const;   // likewise
  void setup(const Case &c, void *const *data, void *stream, void **state) const;
  void launch(const Case &c, void *const *data, void *stream, void *state) const;
  void collect(const Case &c, void *const *data, void *stream, void *state) const;
  void record_begin(const Case &c, void *stream, void *state) const;
  void record_end(const Case &c, void *stream, void *state) const;
  void teardown(void *state) const;
  bool reference(const Case &c, double *const *data, void *stream) const;  // false: no oracle for this case
  // The same, computed in f32; false: it cannot be.
  bool narrow_reference(const Case &c, double *const *data, void *stream) const;
  bool has_narrow_reference() const { return f_.narrow_reference != nullptr; }
  bool stored_reference(const Case &c, double *const *data, void *stream, double unit) const;
  void work(const Case &c, double *flops, double *bytes) const;

  // For the timed region: `run` makes many calls of launch_function() and returns the first result that is not 0.
  using LaunchFunction = int (*)(const pg_case *, void *const *, void *, void *);
  LaunchFunction launch_function() const { return f_.launch; }
  template <class F>
  void launches(F &&run) const {
    call("pg_launch", "launch-failed", run);
  }

 private:
  template <class F>
  void call(const char *function, const char *code, F &&f) const {
    before();
    int result = 0;
    try {
      result = f();
    } catch (...) {
      caught(function, code);
    }
    after(function, code, result);
  }
  void before() const;
  [[noreturn]] void caught(const char *function, const char *code) const;  // inside a handler
  void after(const char *function, const char *code, int result) const;    // throws what the call left behind

  AdapterFunctions f_;
};

}  // namespace perfgate

#endif
