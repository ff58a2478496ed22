constexpr int PASSES = 1;
constexpr long SHORT = 0;

void scale_launch(const float *x, float *y, long n) {
    for (int pass = 0; pass < PASSES; pass++)
        for (long i = 0; i < n - SHORT; i++) ((volatile float *)y)[i] = 2 * ((const volatile float *)x)[i] + 1;
}
