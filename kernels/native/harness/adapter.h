// The adapter's shared library. Calls into it come back as results or as Failures, never as exceptions of its own.
#ifndef PERFGATE_HARNESS_ADAPTER_H
#define PERFGATE_HARNESS_ADAPTER_H

#include <string>

#include "../perfgate.h"
#include "spec.h"

namespace perfgate {

class Adapter {
 public:
  explicit Adapter(const std::string &path);  // throws adapter-load, adapter-abi, adapter-incomplete

  bool has_setup() const { return setup_ != nullptr; }
  bool has_teardown() const { return teardown_ != nullptr; }
  bool has_reference() const { return reference_ != nullptr; }
  bool has_work() const { return work_ != nullptr; }
  bool has_fill() const { return fill_ != nullptr; }
  bool has_written() const { return written_ != nullptr; }
  // It uses OpenMP, whose idle threads may keep spinning.
  bool spins() const { return spins_; }

  Spec spec(const Case &c) const;
  void fill(const Case &c, const char *values, uint64_t seed, void *const *data) const;  // memory of the host
  void written(const Case &c, const void *const *data, uint8_t *const *written) const;   // likewise
  void setup(const Case &c, void *const *data, void *stream, void **state) const;
  void launch(const Case &c, void *const *data, void *stream, void *state) const;
  void teardown(void *state) const;
  bool reference(const Case &c, double *const *data, void *stream) const;  // false: no oracle for this case
  void work(const Case &c, double *flops, double *bytes) const;

  // For the timed region: `run` makes many calls of launch_function() and returns the first result that is not 0.
  using LaunchFunction = int (*)(const pg_case *, void *const *, void *, void *);
  LaunchFunction launch_function() const { return launch_; }
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

  bool spins_ = false;
  char *missing_ = nullptr;  // the adapter's pg_missing_param
  const char *(*last_error_)() = nullptr;
  int (*spec_)(const pg_case *, pg_tensor *, int) = nullptr;
  int (*fill_)(const pg_case *, const char *, uint64_t, void *const *) = nullptr;
  int (*written_)(const pg_case *, const void *const *, uint8_t *const *) = nullptr;
  int (*setup_)(const pg_case *, void *const *, void *, void **) = nullptr;
  LaunchFunction launch_ = nullptr;
  void (*teardown_)(void *) = nullptr;
  int (*reference_)(const pg_case *, double *const *, void *) = nullptr;
  void (*work_)(const pg_case *, double *, double *) = nullptr;
};

}  // namespace perfgate

#endif
