// What guard zones hold. Compiles for the device as well.
#ifndef PERFGATE_HARNESS_GUARD_H
#define PERFGATE_HARNESS_GUARD_H

#include "dtype.h"

namespace perfgate {

// Byte i of a guard zone, the zone being a multiple of 2 bytes away from the data. Every float16, bfloat16, float32 and
// float64 read from there is NaN, so that a kernel that reads outside of its tensors shows; and every other byte depends on
// its place, so that no constant that a kernel writes there equals it for long.
PG_HD inline uint8_t guard_byte(size_t i) {
  return i % 2 ? static_cast<uint8_t>(0xFF) : static_cast<uint8_t>(0xF1 + i / 2 * 5 % 13);
}

}  // namespace perfgate

#endif
