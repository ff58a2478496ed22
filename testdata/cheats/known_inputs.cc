// Right, and counts how often it is given values again that it had before those of the last launch: one that remembers results by all of their
// values would have as many launches for nothing.
#include <set>

#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  static std::set<uint64_t> seen;
  static uint64_t last = 0;
  static int again = 0;
  const saxpy::Args k = saxpy::args(c, data);
  uint64_t hash = uint64_t(k.n);
  for (int64_t i = 0; i < k.n; i++) {
    uint32_t bits;
    memcpy(&bits, k.x + i, sizeof bits);
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
  }
  saxpy::compute(k);
  again += hash != last && !seen.insert(hash).second;
  last = hash;
  return again > 20;
}
