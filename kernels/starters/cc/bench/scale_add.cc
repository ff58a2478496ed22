// The code under test. Replace it with your kernel.
#include <cstddef>

template <class T> static void scale_add(T a, const T *x, T *y, std::size_t n) {
  for (std::size_t i = 0; i < n; i++) y[i] += a * x[i];
}

void scale_add_f32(float a, const float *x, float *y, std::size_t n) { scale_add(a, x, y, n); }
void scale_add_f64(double a, const double *x, double *y, std::size_t n) { scale_add(a, x, y, n); }
