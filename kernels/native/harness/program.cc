// The harness as a program. With --python it becomes the interpreter, which loads the harness as a library (python/perfgate/_host.py):
// so whoever starts it, a profiler included, starts the same program, and it is confined before anything else of it runs.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "confine.h"
#include "main.h"

namespace {

__attribute__((section(".preinit_array"), used)) void (*const first)(int, char **, char **) = perfgate::confine_before_constructors;

// The value of an option, null where it is not given.
char *value_of(int argc, char **argv, const char *option) {
  for (int i = 1; i + 1 < argc; i += 2)
    if (strcmp(argv[i], option) == 0) return argv[i + 1];
  return nullptr;
}

// Becomes the interpreter: isolated from the user's environment and folders, compiled modules in a folder of this run. What it imports
// on its own account it imports after the sandbox is around it, as before.
int become(int argc, char **argv, char *interpreter) {
  char *host = value_of(argc, argv, "--host"), *library = value_of(argc, argv, "--library"), *cache = value_of(argc, argv, "--pycache");
  if (!host || !library || !cache) {
    fprintf(stderr, "usage: harness --python INTERPRETER --host SCRIPT --library HARNESS --pycache FOLDER ...\n");
    return 2;
  }
  std::string prefix = std::string("pycache_prefix=") + cache, policy = "--policy", confined = "--confined";
  std::string isolated = "-I", no_site = "-S", unbuffered = "-u", option = "-X";
  std::vector<char *> args = {interpreter, &isolated[0], &no_site[0], &unbuffered[0], &option[0], &prefix[0], host, library};
  for (int i = 1; i + 1 < argc; i += 2) {
    bool ours = false;
    for (const char *key : {"--python", "--host", "--library", "--pycache"}) ours = ours || strcmp(argv[i], key) == 0;
    if (ours) continue;
    args.push_back(policy == argv[i] && perfgate::confined() ? &confined[0] : argv[i]);
    args.push_back(argv[i + 1]);
  }
  args.push_back(nullptr);
  // Stays open in the interpreter: the policy allows this folder by its inode, which the kernel may drop without a user.
  if (perfgate::confined()) (void)!open("/proc/self", O_PATH);
  execv(interpreter, args.data());
  fprintf(stderr, "harness: cannot run %s: %s\n", interpreter, strerror(errno));
  return 127;
}

}  // namespace

int main(int argc, char **argv) {
  char *interpreter = value_of(argc, argv, "--python");
  return interpreter ? become(argc, argv, interpreter) : perfgate_main(argc, argv);
}
