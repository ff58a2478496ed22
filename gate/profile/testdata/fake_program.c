/* A program as the driver sees it: fake_program WORD..., each "kernel", "fill", "upload", "copy", "start", "stop" or "vanish". */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  void *tracer = dlopen(getenv("CUDA_INJECTION64_PATH"), RTLD_NOW), *cupti = dlopen(getenv("PERFGATE_CUPTI"), RTLD_NOW);
  if (!tracer || !cupti) return 3;
  ((int (*)(void))dlsym(tracer, "InitializeInjection"))();
  void (*record)(uint32_t, uint32_t, uint64_t, uint64_t) = (void (*)(uint32_t, uint32_t, uint64_t, uint64_t))dlsym(cupti, "fake_record");
  void (*call)(uint32_t, uint32_t) = (void (*)(uint32_t, uint32_t))dlsym(cupti, "fake_call");
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "kernel")) record(10, 0, 0, 1000);
    if (!strcmp(argv[i], "fill")) record(2, 7, 4096, 300);
    if (!strcmp(argv[i], "upload")) record(1, 1, 64, 50);
    if (!strcmp(argv[i], "copy")) record(1, 8, 1 << 20, 500);
    if (!strcmp(argv[i], "start")) call(308, 0), call(308, 1);
    if (!strcmp(argv[i], "vanish")) _exit(0);
    if (!strcmp(argv[i], "stop")) call(309, 0), call(309, 1);
  }
  return 0;
}
