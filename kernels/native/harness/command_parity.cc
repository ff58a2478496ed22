// Parity: one launch on chosen inputs against an oracle.
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include <functional>

#include "commands.h"
#include "exchange.h"
#include "failure.h"
#include "oracle.h"

namespace perfgate {

namespace {

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
  std::string oracle, to, from, deliver;
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
  q.deliver = args.string("deliver", "");
  q.twice = args.boolean("twice", false);
  q.relation = read_relation(args);
  args.finish();
  if (q.oracle != "reference" && q.oracle != "file" && q.oracle != "none" && q.oracle != "relation") {
    throw Failure("bad-command", "\"oracle\" is none of reference, file, relation and none");
  }
  if ((q.oracle == "file") == q.from.empty()) throw Failure("bad-command", "oracle \"file\" and \"expect\" go together");
  if (!q.deliver.empty() && q.oracle != "none") throw Failure("bad-command", "\"deliver\" is for oracle \"none\"");
  const bool related = q.oracle == "relation" || (!q.deliver.empty() && !q.relation.kind.empty());
  if (related == q.relation.kind.empty() || (related && q.twice)) {
    throw Failure("bad-command", "oracle \"relation\" and a \"relation\" go together, and not with \"twice\"");
  }
  return q;
}

// The oracle's outputs. With a relation those of the second launch are judged in place of the first's.
Expected ask_oracle(Session &s, const Question &q, const Set &set) {
  if (q.oracle == "file") return load_dump(s, q.from);
  if (q.oracle == "relation") return related_outputs(s, set, q.relation);
  Expected expected;
  if (!reference_outputs(s, set, &expected)) {
    throw Failure("no-reference", "oracle \"reference\" was asked for, and pg_reference has none for this case");
  }
  return expected;
}

}  // namespace

void run_parity(Session &s, Arguments &args, JsonWriter *reply) {
  Question q = read_question(args);
  const bool related = !q.relation.kind.empty();
  watch_sanitizer();
  s.use(q.c, 0);
  const bool second_fits = check_memory(s, q.twice || related ? 2 : 1);
  if (related && !second_fits) throw Failure("out-of-memory", "a relation takes two sets of buffers, and one fits");
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
  Delivery delivery(&s, q.deliver);
  delivery.add(set);

  std::unique_ptr<Set> second;
  bool same = true;
  if (q.twice || related) {
    second = s.fresh_set();
    second->copy_inputs(set);
    if (related) relate_inputs(s, q.relation, set, second.get());
    second->prepare();
    s.launch(*second);
    second->check_guards();
    same = related || same_outputs(s, set, *second);
    delivery.add(*second);
  }
  delivery.finish();
  reply->member("oracle", q.oracle).member("inputDigest", std::to_string(set.digest())).member("launches", delivery.launches());
  if (q.twice) reply->member("same", same);
  if (q.oracle == "none") {
    reply->member("passed", true);
    return;
  }
  const Expected expected = ask_oracle(s, q, set);
  Launched l{&set, related ? second.get() : &set};
  if (q.twice) l.second = second.get();
  l.same = same;
  l.values = q.values;
  l.seed = q.seed;
  l.bounded = q.oracle == "reference";
  judge_outputs(s, l, expected, q.rules, reply);
}

}  // namespace perfgate
