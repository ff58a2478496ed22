// Judging: the outputs that another process computed, with another library loaded, against what this one says they should be.
#include "commands.h"
#include "exchange.h"
#include "failure.h"
#include "oracle.h"

namespace perfgate {

namespace {

// Members of a judge command.
struct Charge {
  explicit Charge(Arguments &args) : rules(args) {}
  Case c;
  uint64_t seed = 0;
  Values values = Values::kSpec;
  Rules rules;
  std::string oracle, outputs, expect;
  size_t launches = 0;
  Relation relation;
};

Charge read_charge(Arguments &args) {
  Charge q(args);
  q.c = args.test_case();
  q.seed = args.seed();
  if (!values_from_name(args.string("values"), &q.values)) throw Failure("bad-command", "\"values\" names no kind of values");
  q.oracle = args.string("oracle");
  q.outputs = args.string("outputs", "");
  q.launches = static_cast<size_t>(args.integer("launches", 0, 2));
  q.expect = args.string("expect", "");
  q.relation = read_relation(args);
  args.finish();
  if (q.oracle != "reference" && q.oracle != "launch" && q.oracle != "file" && q.oracle != "relation") {
    throw Failure("bad-command", "\"oracle\" is none of reference, launch, file and relation");
  }
  const bool nothing = q.launches == 0;
  if (nothing != q.outputs.empty() || (nothing && q.oracle != "reference")) {
    throw Failure("bad-command", "without \"outputs\" only the reference can be asked");
  }
  if ((q.oracle == "file") == q.expect.empty()) throw Failure("bad-command", "oracle \"file\" and \"expect\" go together");
  if ((q.oracle == "relation") == q.relation.kind.empty() || (q.oracle == "relation" && q.launches != 2)) {
    throw Failure("bad-command", "oracle \"relation\", a \"relation\" and two launches go together");
  }
  return q;
}

// What this library computes from the inputs of `set`, in a set of its own.
Expected own_outputs(Session &s, const Set &inputs) {
  Set &own = s.set(0);
  own.copy_inputs(inputs);
  own.prepare();
  s.setup();
  own.prepare();  // pg_setup may have tried things out
  s.launch(own);
  own.check_guards();
  own.check_inputs();
  return widen_outputs(s, own);
}

Expected ask(Session &s, const Charge &q, const Set &first) {
  if (q.oracle == "file") return load_dump(s, q.expect);
  if (q.oracle == "relation") return related_outputs(s, first, q.relation);
  if (q.oracle == "launch") return own_outputs(s, first);
  Expected expected;
  if (!reference_outputs(s, first, &expected)) {
    throw Failure("no-reference", "oracle \"reference\" was asked for, and pg_reference has none for this case");
  }
  return expected;
}

void judge(Session &s, const Charge &q, JsonWriter *reply) {
  const size_t own = q.oracle == "launch" ? 1 : 0, sets = own + (q.launches > 1 ? 2 : 1);
  s.use(q.c, 0);
  if (!check_memory(s, sets)) throw Failure("out-of-memory", s.current().text() + ": the buffers to judge it in do not fit into memory");
  s.use(q.c, own);
  std::vector<std::unique_ptr<Set>> delivered;
  std::vector<Set *> filled;
  for (size_t i = own; i < sets; i++) {
    // Of the same kinds as those that the other process launched in: what a launch leaves alone holds what such a set does.
    delivered.push_back(s.fresh_set(i == own ? Guard::kSignalling : Guard::kLarge));
    if (filled.size() < q.launches) filled.push_back(delivered.back().get());
  }
  Set &first = *delivered.front();
  first.fill(q.seed, q.values);
  if (delivered.size() > 1) {
    delivered.back()->copy_inputs(first);
    if (!q.relation.kind.empty()) relate_inputs(s, q.relation, first, delivered.back().get());
  }
  // All of it is read before the oracle is asked: what comes later can be no answer to what the oracle says.
  if (q.launches) receive(s, q.outputs, filled);
  const bool compared = q.launches == 2 && q.oracle != "relation";
  const bool same = !compared || same_outputs(s, first, *delivered.back());
  const Expected expected = ask(s, q, first);
  reply->member("oracle", q.oracle).member("inputDigest", std::to_string(first.digest()));
  if (compared) reply->member("same", same);
  Launched l{&first, q.oracle == "relation" ? delivered.back().get() : &first};
  if (compared) l.second = delivered.back().get();
  l.same = same;
  l.values = q.values;
  l.seed = q.seed;
  l.bounded = q.oracle == "reference" && q.launches > 0;  // without launches only the digest is wanted
  judge_outputs(s, l, expected, q.rules, reply);
}

}  // namespace

void run_judge(Session &s, Arguments &args, JsonWriter *reply) {
  const Charge q = read_charge(args);
  judge(s, q, reply);
  s.reset();  // the memory is for the process that is judged
}

}  // namespace perfgate
