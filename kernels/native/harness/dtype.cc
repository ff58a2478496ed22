#include "dtype.h"

#include <float.h>

namespace perfgate {

const char *dtype_name(int dtype) {
  switch (dtype) {
    case PG_F64: return "f64";
    case PG_F32: return "f32";
    case PG_F16: return "f16";
    case PG_BF16: return "bf16";
    case PG_F8E4M3: return "f8e4m3";
    case PG_F8E5M2: return "f8e5m2";
    case PG_I64: return "i64";
    case PG_I32: return "i32";
    case PG_I8: return "i8";
    case PG_U8: return "u8";
    default: return "?";
  }
}

bool dtype_is_integer(int dtype) { return dtype >= PG_I64; }

double dtype_max(int dtype) {
  switch (dtype) {
    case PG_F64: return DBL_MAX;
    case PG_F32: return static_cast<double>(FLT_MAX);
    case PG_F16: return F16::get(F16::Format::kMax);
    case PG_BF16: return BF16::get(BF16::Format::kMax);
    case PG_F8E4M3: return F8E4M3::get(F8E4M3::Format::kMax);
    case PG_F8E5M2: return F8E5M2::get(F8E5M2::Format::kMax);
    case PG_I64: return static_cast<double>(I64::kHigh);
    case PG_I32: return I32::kHigh;
    case PG_I8: return I8::kHigh;
    default: return U8::kHigh;
  }
}

double dtype_min_normal(int dtype) {
  switch (dtype) {
    case PG_F64: return DBL_MIN;
    case PG_F32: return static_cast<double>(FLT_MIN);
    case PG_F16: return F16::get(1 << 10);
    case PG_BF16: return BF16::get(1 << 7);
    case PG_F8E4M3: return F8E4M3::get(1 << 3);
    case PG_F8E5M2: return F8E5M2::get(1 << 2);
    default: return 1;
  }
}

}  // namespace perfgate
