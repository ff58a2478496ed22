// The part of Python's C API that the bridge calls. An interpreter exports it to its extension modules, so it is looked up in the
// process: neither headers nor a shared libpython are needed. All of it is in the stable ABI of Python 3.9 and later.
#ifndef PERFGATE_HARNESS_PYTHON_API_H
#define PERFGATE_HARNESS_PYTHON_API_H

#include <stddef.h>

#include <string>

namespace perfgate {

struct PyObject;  // opaque

struct PythonApi {
  int (*ensure)();
  void (*release)(int);
  PyObject *(*import)(const char *);
  PyObject *(*attribute)(PyObject *, const char *);
  PyObject *(*call)(PyObject *, PyObject *);
  PyObject *(*tuple)(ptrdiff_t);
  int (*set_item)(PyObject *, ptrdiff_t, PyObject *);  // takes over the reference
  ptrdiff_t (*tuple_size)(PyObject *);
  PyObject *(*item)(PyObject *, ptrdiff_t);  // borrowed
  PyObject *(*text)(const char *, ptrdiff_t, const char *);
  const char *(*utf8)(PyObject *, ptrdiff_t *);
  PyObject *(*from_int)(long long);
  PyObject *(*from_unsigned)(unsigned long long);
  PyObject *(*from_pointer)(void *);
  long long (*to_int)(PyObject *);
  double (*to_double)(PyObject *);
  int (*truth)(PyObject *);
  PyObject *(*error)();
  void (*fetch)(PyObject **, PyObject **, PyObject **);
  void (*normalize)(PyObject **, PyObject **, PyObject **);
  int (*set_traceback)(PyObject *, PyObject *);
  void (*clear)();
  void (*keep)(PyObject *);
  void (*drop)(PyObject *);
  PyObject *none;

  bool find(std::string *missing);  // looks all of it up; false names what is not there
};

extern PythonApi g_python;

// A reference that is given up at the end.
class Object {
 public:
  Object() = default;
  explicit Object(PyObject *p) : p_(p) {}
  Object(Object &&other) noexcept : p_(other.take()) {}
  Object &operator=(Object &&other) noexcept {
    PyObject *p = other.take();
    if (p_) g_python.drop(p_);
    p_ = p;
    return *this;
  }
  Object(const Object &) = delete;
  Object &operator=(const Object &) = delete;
  ~Object() {
    if (p_) g_python.drop(p_);
  }
  explicit operator bool() const { return p_ != nullptr; }
  PyObject *get() const { return p_; }
  PyObject *take() {
    PyObject *p = p_;
    p_ = nullptr;
    return p;
  }

 private:
  PyObject *p_ = nullptr;
};

// This thread runs Python for as long as it lives. Elsewhere threads of the adapter may.
class Holding {
 public:
  Holding() : state_(g_python.ensure()) {}
  ~Holding() { g_python.release(state_); }
  Holding(const Holding &) = delete;
  Holding &operator=(const Holding &) = delete;

 private:
  int state_;
};

}  // namespace perfgate

#endif
