#include "commands.h"
#include "dtype.h"

namespace perfgate {

void run_spec(Session &s, Arguments &args, JsonWriter *reply) {
  static const char *const kRoles[] = {"", "in", "out", "inout", "scratch"};
  const Case c = args.test_case();
  args.finish();
  const Spec spec = s.adapter()->spec(c);
  double flops = 0, bytes = 0;
  s.adapter()->work(c, &flops, &bytes);
  reply->key("tensors").open_array();
  for (const auto &t : spec.tensors) {
    reply->open_object().member("name", t.name).member("dtype", dtype_name(t.raw.dtype));
    reply->member("role", kRoles[t.raw.role]).key("shape").open_array();
    for (int d = 0; d < t.raw.rank; d++) reply->value(t.raw.shape[d]);
    reply->close_array().member("dims", t.dims).member("bytes", static_cast<int64_t>(t.bytes));
    reply->member("fill", t.raw.fill).member("flags", static_cast<int64_t>(t.raw.flags)).member("a", t.raw.a).member("b", t.raw.b);
    reply->member("atol", t.raw.atol).member("rtol", t.raw.rtol).close_object();
  }
  reply->close_array().member("bytes", static_cast<int64_t>(spec.bytes));
  reply->member("flops", flops).member("workBytes", bytes);
}

}  // namespace perfgate
