// What the attacking adapters share. Each computes the right result, and tries on the side what a hostile pull request would.
// What came of an attempt goes to stderr: "GAINED what" or "denied what: why". Where the targets lie is compiled in by a flag or said by
// the environment, in lists separated by colons.
#ifndef PERFGATE_TESTDATA_ATTACKS_H
#define PERFGATE_TESTDATA_ATTACKS_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "../saxpy.h"

#ifndef SECRETS
#define SECRETS getenv("SECRETS")
#endif
#ifndef FILES
#define FILES getenv("FILES")
#endif
#ifndef FOLDERS
#define FOLDERS getenv("FOLDERS")
#endif
#ifndef ONE_FILE
#define ONE_FILE getenv("ONE_FILE")
#endif

namespace attacks {

inline void came_of(bool gained, const std::string &what) {
  if (gained) {
    fprintf(stderr, "GAINED %s\n", what.c_str());
  } else {
    fprintf(stderr, "denied %s: %s\n", what.c_str(), strerror(errno));
  }
}

inline std::vector<std::string> list(const char *text) {
  std::vector<std::string> out(1);
  for (; *text; text++) {
    if (*text == ':') {
      out.emplace_back();
    } else {
      out.back() += *text;
    }
  }
  return out;
}

}  // namespace attacks

#define ATTACK(attempt)                                 \
  SAXPY_SPEC                                            \
  SAXPY_REFERENCE                                       \
  SAXPY_LAUNCH {                                        \
    static const bool once = (attempt(), true);         \
    (void)once;                                         \
    saxpy::compute(saxpy::args(c, data));               \
    return 0;                                           \
  }

#endif
