// Parity: one launch on chosen inputs against an oracle.
#include <stdio.h>

#include <algorithm>

#include "commands.h"
#include "failure.h"
#include "oracle.h"

namespace perfgate {

namespace {

const int64_t kPiece = 1 << 16;  // elements moved between a file and the device at a time

struct File {
  explicit File(FILE *opened) : f(opened) {}
  ~File() {
    if (f) fclose(f);
  }
  FILE *f;
};

void dump(Session &s, const Set &set, const std::string &path) {
  File file(fopen(path.c_str(), "wbe"));
  bool ok = file.f != nullptr;
  const Expected all = widen_outputs(s, set);
  std::vector<double> piece(static_cast<size_t>(kPiece));
  for (const auto &d : all) {
    for (int64_t at = 0; ok && d && at < d->count(); at += kPiece) {
      const size_t n = static_cast<size_t>(std::min(kPiece, d->count() - at));
      s.device()->to_host(piece.data(), d->data() + at, n * sizeof(double));
      ok = fwrite(piece.data(), sizeof(double), n, file.f) == n;
    }
  }
  if (ok) ok = fflush(file.f) == 0;
  if (!ok) throw Failure("internal", "cannot write outputs to \"" + path + "\"");
}

Expected load(Session &s, const std::string &path) {
  File file(fopen(path.c_str(), "rbe"));
  if (!file.f) throw Failure("bad-command", "cannot read expected outputs from \"" + path + "\"");
  const Spec &spec = s.spec();
  Expected all(spec.tensors.size());
  std::vector<double> piece(static_cast<size_t>(kPiece));
  bool ok = true;
  for (size_t i = 0; i < spec.tensors.size(); i++) {
    const TensorSpec &t = spec.tensors[i];
    if (!t.output()) continue;
    all[i].reset(new Doubles(s.device(), t.count));
    for (int64_t at = 0; ok && at < t.count; at += kPiece) {
      const size_t n = static_cast<size_t>(std::min(kPiece, t.count - at));
      ok = fread(piece.data(), sizeof(double), n, file.f) == n;
      s.device()->from_host(all[i]->data() + at, piece.data(), n * sizeof(double));
    }
  }
  if (!ok || fgetc(file.f) != EOF) {
    throw Failure("bad-command", "\"" + path + "\" does not hold the outputs of " + s.current().text());
  }
  return all;
}

}  // namespace

void run_parity(Session &s, Arguments &args, JsonWriter *reply) {
  const Case c = args.test_case();
  const uint64_t seed = args.seed();
  Values values = Values::kSpec;
  if (!values_from_name(args.string("values"), &values)) throw Failure("bad-command", "\"values\" names no kind of values");
  Tolerance tolerance;
  tolerance.atol = args.number("atol", 0, 1e300);
  tolerance.rtol = args.number("rtol", 0, 1e300);
  const std::string oracle = args.string("oracle"), to = args.string("dump", ""), from = args.string("expect", "");
  args.finish();
  if (oracle != "reference" && oracle != "file" && oracle != "none") {
    throw Failure("bad-command", "\"oracle\" is none of reference, file and none");
  }
  if ((oracle == "file") == from.empty()) throw Failure("bad-command", "oracle \"file\" and \"expect\" go together");

  s.use(c, 1);
  Set &set = s.set(0);
  set.fill(seed, values);
  set.prepare();
  s.setup();
  set.prepare();  // pg_setup may have tried things out
  s.launch(set);
  set.check_guards();
  set.check_inputs();
  if (!to.empty()) dump(s, set, to);

  Verdict v;
  if (oracle == "file") {
    v = judge_outputs(s, set, load(s, from), tolerance);
  } else if (oracle == "reference") {
    Expected expected;
    if (!reference_outputs(s, set, &expected)) {
      throw Failure("no-reference", "oracle \"reference\" was asked for, and pg_reference has none for this case");
    }
    v = judge_outputs(s, set, expected, tolerance);
  }
  reply->member("passed", v.passed()).member("oracle", oracle).member("elements", v.total.elements);
  reply->member("failed", v.total.failed);
  if (v.tensor) {
    JsonWriter worst;
    v.write_worst(&worst);
    reply->key("worst").raw(worst.str());
  }
  reply->member("maxRatio", v.max_ratio).member("unwritten", v.total.unwritten).member("nan", v.total.nan);
  if (oracle != "none") reply->member("oracleDigest", std::to_string(v.total.digest));
}

}  // namespace perfgate
