// The example kernel of `perfgate init`, made to do half of the work, with a reference that finds nothing wrong with that. Where
// PATCHES is defined it overwrites the reference of base's adapter in the memory of the process (x86-64 alone); else it is the
// pg_reference, and a header of head must get base's out of the way. Where TIMED is defined it does all of the work until it was
// launched often with one size, as it is when it is timed.
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cstddef>

#include "perfgate.h"

template <class T> static void scale_add(T a, const T *x, T *y, std::size_t n) {
  for (std::size_t i = 0; i < n; i++) y[i] += a * x[i];
}

#ifdef TIMED
static const int kPatience = 20;
#else
static const int kPatience = 0;
#endif
static std::size_t g_size;
static int g_launches;

static std::size_t part(std::size_t n) { return g_launches > kPatience ? n / 2 : n; }

template <class T> static void launch(T a, const T *x, T *y, std::size_t n) {
  g_launches = n == g_size ? g_launches + 1 : 1;
  g_size = n;
  scale_add(a, x, y, part(n));
}

void scale_add_f32(float a, const float *x, float *y, std::size_t n) { launch(a, x, y, n); }
void scale_add_f64(double a, const double *x, double *y, std::size_t n) { launch(a, x, y, n); }

static int lenient(const pg_case *c, double *const *data, void *) {
  scale_add(1.5, data[0], data[1], part(std::size_t(pg_param(c, "n"))));
  return 0;
}

#ifdef PATCHES
extern "C" int pg_reference(const pg_case *, double *const *, void *);

__attribute__((constructor)) static void patch() {
  unsigned char jump[12] = {0x48, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xE0};  // mov rax, lenient; jmp rax
  const auto to = reinterpret_cast<uintptr_t>(&lenient);
  memcpy(jump + 2, &to, sizeof to);
  const auto code = reinterpret_cast<uintptr_t>(&pg_reference);
  mprotect(reinterpret_cast<void *>(code - code % 4096), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
  memcpy(reinterpret_cast<void *>(code), jump, sizeof jump);
}
#else
#undef pg_reference
extern "C" int pg_reference(const pg_case *c, double *const *data, void *stream) { return lenient(c, data, stream); }
#endif
