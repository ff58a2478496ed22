#include "commands.h"
#include "failure.h"
#include "json.h"
#include "oracle.h"
#include "sensitivity.h"

namespace perfgate {

namespace {

int floating_dtype(const std::string &name) {
  for (int dtype : {PG_F64, PG_F32, PG_F16, PG_BF16, PG_F8E4M3, PG_F8E5M2}) {
    if (name == dtype_name(dtype)) return dtype;
  }
  throw Failure("bad-command", "\"tolerances\" has \"" + name + "\", which is no floating dtype");
}

Tolerance read_tolerance(Arguments &args) {
  Tolerance t;
  t.atol = args.number("atol", 0, 1e300);
  t.rtol = args.number("rtol", 0, 1e300);
  return t;
}

BoundRule read_bound(Arguments &args) {
  BoundRule b;
  const Json *given = args.object_if_given("bound");
  if (!given) return b;
  Arguments own(*given);
  b.on = true;
  b.accumulate = own.string("accumulate", "");
  b.stage = own.integer("stage", 0, kStages - 1);
  own.finish();
  if (!b.accumulate.empty() && !is_accumulator(b.accumulate)) {
    throw Failure("bad-command", "\"accumulate\" is none of f32, f16, bf16 and tf32");
  }
  return b;
}

}  // namespace

Rules::Rules(Arguments &args) : floats_(read_tolerance(args)), bound_(read_bound(args)) {
  const Json *own = args.object_if_given("tolerances");
  if (!own) return;
  for (const auto &member : own->members) {
    if (member.second.kind != Json::kObject) throw Failure("bad-command", "\"tolerances\" holds what is no object");
    Arguments of_dtype(member.second);
    Rule r;
    r.tolerance = read_tolerance(of_dtype);
    r.matched = of_dtype.number("matched", 0, 1, 1);
    of_dtype.finish();
    by_dtype_[floating_dtype(member.first)] = r;
  }
}

Rule Rules::of(const TensorSpec &t) const {
  Rule r;
  const auto own = by_dtype_.find(t.raw.dtype);
  if (own != by_dtype_.end()) {
    r = own->second;
  } else if (!dtype_is_integer(t.raw.dtype)) {
    r.tolerance = floats_;
  }
  if (t.raw.atol > 0) r.tolerance.atol = t.raw.atol;
  if (t.raw.rtol > 0) r.tolerance.rtol = t.raw.rtol;
  return r;
}

}  // namespace perfgate
