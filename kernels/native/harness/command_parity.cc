// Parity: one launch on chosen inputs against an oracle.
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <functional>

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

// Whether that many sets of buffers fit, with the float64 copies that an oracle takes, and room to spare.
bool fits(Session &s, size_t sets, size_t *need) {
  *need = Set::footprint(s.spec()) * sets;
  for (const auto &t : s.spec().tensors) *need += static_cast<size_t>(t.count) * sizeof(double) * (t.output() ? 2 : 1);
  return *need <= s.device()->available() / 10 * 9;
}

// Refuses a case before anything is allocated: a machine that swaps, or a runner that is killed for its memory, is worse than a
// case that was not run. Says whether a second launch in fresh buffers fits as well.
bool check_memory(Session &s, bool second) {
  size_t need = 0;
  if (second && fits(s, 2, &need)) return true;
  if (!fits(s, 1, &need)) {
    throw Failure("out-of-memory", s.current().text() + " and its oracle take " + std::to_string(need) + " bytes, and " +
                                       std::to_string(s.device()->available()) + " are left");
  }
  return false;
}

// A function of AddressSanitizer, where an adapter has brought it along; null elsewhere. An adapter's libraries are not in the
// global scope, so the one that it is in is looked up by name.
void *sanitizer(const char *function) {
  static void *const library = [] {
    std::string path;
    dl_iterate_phdr(
        [](dl_phdr_info *info, size_t, void *to) -> int {
          const char *name = info->dlpi_name ? info->dlpi_name : "";
          if (!strstr(name, "libasan") && !strstr(name, "libclang_rt.asan")) return 0;
          *static_cast<std::string *>(to) = name;
          return 1;
        },
        &path);
    return path.empty() ? RTLD_DEFAULT : dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  }();
  return dlsym(library, function);
}

// While it lives, AddressSanitizer takes the guard zones of a CPU's buffers for forbidden ground, where it is loaded: a read
// just outside of a tensor, which leaves no trace in the zones, then ends the process with a report.
class ForbiddenZones {
 public:
  ForbiddenZones(const Session &s, const Set &set) {
    if (std::string(s.device()->name()) != "cpu") return;
    mark("__asan_poison_memory_region", s.spec(), set);
    unmark_ = [&s, &set, this] { mark("__asan_unpoison_memory_region", s.spec(), set); };
  }
  ~ForbiddenZones() {
    if (unmark_) unmark_();
  }
  ForbiddenZones(const ForbiddenZones &) = delete;
  ForbiddenZones &operator=(const ForbiddenZones &) = delete;

 private:
  static void mark(const char *function, const Spec &spec, const Set &set) {
    const auto f = reinterpret_cast<void (*)(const volatile void *, size_t)>(sanitizer(function));
    if (!f) return;
    const size_t kZone = 4096;  // at least as long are the zones on both sides, see buffers.cc
    for (size_t i = 0; i < spec.tensors.size(); i++) {
      const char *data = static_cast<const char *>(set.tensor(i));
      f(data - kZone, kZone);
      f(data + spec.tensors[i].bytes, kZone);
    }
  }
  std::function<void()> unmark_;
};

// The last line of a sanitizer's report says it all, and its end, which is what perfgate shows, nothing.
void repeat_summary(const char *report) {
  const char *line = strstr(report, "SUMMARY:");
  if (line) fprintf(stderr, "\n%.*s\n", static_cast<int>(strcspn(line, "\n")), line);
}

void watch_sanitizer() {
  using Callback = void (*)(const char *);
  const auto set = reinterpret_cast<void (*)(Callback)>(sanitizer("__asan_set_error_report_callback"));
  if (set) set(repeat_summary);
}

// Members of a parity command.
struct Question {
  explicit Question(Arguments &args) : rules(args) {}
  Case c;
  uint64_t seed = 0;
  Values values = Values::kSpec;
  Rules rules;
  std::string oracle, to, from;
  bool twice = false;
  Relation relation;
};

Question read_question(Arguments &args) {
  Question q(args);
  q.c = args.test_case();
  q.seed = args.seed();
  if (!values_from_name(args.string("values"), &q.values)) throw Failure("bad-command", "\"values\" names no kind of values");
  q.oracle = args.string("oracle");
  q.to = args.string("dump", "");
  q.from = args.string("expect", "");
  q.twice = args.boolean("twice", false);
  q.relation.kind = args.string("relation", "");
  q.relation.tensors = args.string("tensors", "");
  args.finish();
  if (q.oracle != "reference" && q.oracle != "file" && q.oracle != "none" && q.oracle != "relation") {
    throw Failure("bad-command", "\"oracle\" is none of reference, file, relation and none");
  }
  if ((q.oracle == "file") == q.from.empty()) throw Failure("bad-command", "oracle \"file\" and \"expect\" go together");
  const bool known = q.relation.kind == "scale" || q.relation.kind == "permute-batch";
  if (q.oracle == "relation" ? !known : !q.relation.kind.empty()) {
    throw Failure("bad-command", "oracle \"relation\" and a \"relation\" go together: scale or permute-batch");
  }
  return q;
}

// The oracle's outputs. With a relation those of `second`, which is launched here, are judged in place of the first's.
Expected ask_oracle(Session &s, const Question &q, const Set &set, Set *second) {
  if (q.oracle == "file") return load(s, q.from);
  if (q.oracle == "relation") return related_outputs(s, set, q.relation, second);
  Expected expected;
  if (!reference_outputs(s, set, &expected)) {
    throw Failure("no-reference", "oracle \"reference\" was asked for, and pg_reference has none for this case");
  }
  return expected;
}

void write_verdict(Session &s, const Question &q, const Set &judged, const Expected &expected, const Verdict &v,
                   JsonWriter *reply) {
  reply->member("failed", v.total.failed);
  if (v.tensor) {
    JsonWriter worst;
    v.write_worst(&worst);
    reply->key("worst").raw(worst.str());
  }
  reply->member("maxRatio", v.max_ratio).member("unwritten", v.total.unwritten).member("nan", v.total.nan);
  if (q.oracle == "none") return;
  reply->key("ulp").open_array();
  for (int64_t n : v.total.ulp) reply->value(n);
  reply->close_array().member("oracleDigest", std::to_string(v.total.digest));
  if (v.passed() || !v.tensor) return;
  JsonWriter pattern;
  write_pattern(s, judged, expected, q.rules, v.tensor, &pattern);
  reply->key("pattern").raw(pattern.str());
}

}  // namespace

void run_parity(Session &s, Arguments &args, JsonWriter *reply) {
  Question q = read_question(args);
  watch_sanitizer();
  s.use(q.c, 0);
  const bool second_fits = check_memory(s, q.twice || q.oracle == "relation");
  if (q.oracle == "relation" && !second_fits) throw Failure("out-of-memory", "a relation takes two sets of buffers, and one fits");
  q.twice = q.twice && second_fits;  // without it the reply does not say `same`
  s.use(q.c, 1);
  Set &set = s.set(0);
  set.fill(q.seed, q.values);
  set.prepare();
  s.setup();
  set.prepare();  // pg_setup may have tried things out
  {
    ForbiddenZones zones(s, set);
    s.launch(set);
  }
  set.check_guards();
  set.check_inputs();
  if (!q.to.empty()) dump(s, set, q.to);

  std::unique_ptr<Set> second;
  if (q.twice || q.oracle == "relation") second = s.fresh_set();
  bool same = true;
  if (q.twice) {
    second->copy_inputs(set);
    second->prepare();
    s.launch(*second);
    second->check_guards();
    same = same_outputs(s, set, *second);
  }
  Verdict v;
  Expected expected;
  const Set *judged = q.oracle == "relation" ? second.get() : &set;
  if (q.oracle != "none") {
    expected = ask_oracle(s, q, set, second.get());
    v = judge_outputs(s, *judged, expected, q.rules);
    if (!same && v.passed()) {  // the first launch may have been the lucky one
      judged = second.get();
      v = judge_outputs(s, *judged, expected, q.rules);
    }
  }
  reply->member("passed", v.passed()).member("oracle", q.oracle).member("elements", v.total.elements);
  reply->member("inputDigest", std::to_string(set.digest()));
  if (q.twice) reply->member("same", same);
  write_verdict(s, q, *judged, expected, v, reply);
}

}  // namespace perfgate
