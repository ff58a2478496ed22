// What outputs should be, and whether they are.
#ifndef PERFGATE_HARNESS_ORACLE_H
#define PERFGATE_HARNESS_ORACLE_H

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "session.h"

namespace perfgate {

class Arguments;
class JsonWriter;

// Memory of the device without guards, for float64 values.
class Doubles {
 public:
  Doubles(Device *device, int64_t count);
  ~Doubles();
  Doubles(const Doubles &) = delete;
  Doubles &operator=(const Doubles &) = delete;
  double *data() const { return static_cast<double *>(data_); }
  int64_t count() const { return count_; }

 private:
  Device *device_;
  int64_t count_;
  size_t bytes_;
  void *data_;
};

// One float64 array per tensor; null for those that are not outputs.
using Expected = std::vector<std::unique_ptr<Doubles>>;

// pg_reference over the inputs of `set`. False when the adapter has no oracle for this case.
bool reference_outputs(Session &s, const Set &set, Expected *out);

// The same over inputs that are changed: all floating ones, or `only` one of them; false as well where a narrow reference is wanted and the
// adapter has none. `data` is memory that is allocated by the first call
// and used again by the next; then it holds the outputs, and what is left of the inputs.
const int kAllInputs = -1;
bool reference_of_changed(Session &s, const Set &set, const Perturbation *change, int only, Expected *data);

// The inputs of `set` launched once more in `fresh`, buffers that the adapter has never seen.
void relaunch_outputs(Session &s, const Set &set, Set *fresh, Expected *out);

// The outputs of `set` as float64.
Expected widen_outputs(Session &s, const Set &set);

// Whether the outputs of two sets are the same, byte for byte.
bool same_outputs(Session &s, const Set &a, const Set &b);

// What a kernel without an oracle is held to: the outputs of `set` predict those of changed inputs. Throws bad-command
// where a tensor does not lend itself to it.
struct Relation {
  std::string kind;     // scale: the tensors doubled double the outputs; permute-batch: rolled along dimension 0, so are these
  std::string tensors;  // inputs, joined by commas
};
Relation read_relation(Arguments &args);  // "relation" and "tensors" of a command, both "" by default; throws bad-command
// Changes the inputs of `fresh`, which are those of `set`.
void relate_inputs(Session &s, const Relation &relation, const Set &set, Set *fresh);
// What a launch on the changed inputs should give, after `set` gave what it holds.
Expected related_outputs(Session &s, const Set &set, const Relation &relation);

// What one output is held to. `matched` is the share of its elements that must be within the tolerance; others may be off by
// kMatchedRatio tolerances, and none may be NaN or unwritten.
struct Rule {
  Tolerance tolerance;
  double matched = 1;
};
const double kMatchedRatio = 4;

// What a command says about the error bound. Without one, tolerances alone rule.
struct BoundRule {
  bool on = false;
  std::string accumulate;  // f32, f16, bf16 or tf32; "" is f32, and f64 for outputs of f64
  int64_t stage = 0;       // to begin with, see Sensitivity
};

// What the outputs of a case are held to, each by its own dtype: integers must be exact, since a float beside them needs a
// tolerance that would hide an index off by one.
class Rules {
 public:
  explicit Rules(Arguments &args);  // "atol", "rtol", "tolerances" and "bound" of a command; throws bad-command
  Rule of(const TensorSpec &t) const;  // the adapter's word on a tensor wins
  const BoundRule &bound() const { return bound_; }

 private:
  Tolerance floats_;             // of floating dtypes that have none of their own
  std::map<int, Rule> by_dtype_;
  BoundRule bound_;
};

// All outputs of a set against what they should be.
struct Verdict {
  Comparison total;          // of failures: counts over the outputs that fail; numbers of the worst element
  const TensorSpec *trespassed = nullptr;  // the first output in which elements were written that a launch leaves alone
  Trespass trespass;
  const TensorSpec *tensor = nullptr;  // that the worst element is in, one that fails if there is one; null when there is no element
  bool failing = false;      // whether `tensor` fails
  double max_ratio = 0;      // of all outputs
  std::vector<std::pair<const TensorSpec *, double>> mean_errors;  // of floating outputs, relative, with their sign
  bool passed() const { return !failing; }
  void add(const TensorSpec &t, const Comparison &c, bool right);
  void add(const TensorSpec &t, const Trespass &found);
  void write_worst(JsonWriter *out) const;  // as an object
  void write(JsonWriter *reply) const;      // as members: failed, worst, maxRatio, unwritten, nan, trespass
  std::string words() const;                // the worst element in words
};

// Adds the elements that a launch in `set` wrote and should have left alone.
void add_trespass(Session &s, const Set &set, Verdict *v);

// Throws adapter-failed where outputs have elements and pg_written left none of them to compare.
void check_compared(Session &s, const Verdict &v);

// Outputs of one or two launches of a case, to be held against what they should be.
struct Launched {
  const Set *inputs;             // what the oracle was asked about
  const Set *first;
  const Set *second = nullptr;   // another launch on the same inputs; or null
  bool same = true;              // it gave the same bits
  Values values = Values::kSpec;
  uint64_t seed = 0;
  bool bounded = false;          // the oracle is the reference, so that the error bound of the rules holds
};

// Judges the first launch, and where that passes the second: the first may have been the lucky one. Unless `reply` is null it gets all
// that a comparison says: passed, elements, failed, worst, maxRatio, unwritten, nan, ulp, oracleDigest, meanErrors, what the bound was
// made of, and the pattern of a failure, which is where the wrong elements lie, a dimension at a time.
Verdict judge_outputs(Session &s, const Launched &l, const Expected &expected, const Rules &rules, JsonWriter *reply);

// Refuses a case before anything is allocated: a machine that swaps, or a runner that is killed for its memory, is worse than a
// case that was not run. Says whether `sets` sets of buffers fit as well as one does, with the float64 copies of an oracle.
bool check_memory(Session &s, size_t sets);

}  // namespace perfgate

#endif
