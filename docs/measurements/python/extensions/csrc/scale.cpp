#include <torch/extension.h>

void scale_launch(const float *x, float *y, long n);

static void scale(torch::Tensor x, torch::Tensor y) { scale_launch(x.data_ptr<float>(), y.data_ptr<float>(), x.numel()); }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("scale", &scale, "y = 2 * x + 1"); }
