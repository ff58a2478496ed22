// What outputs should be, and whether they are.
#ifndef PERFGATE_HARNESS_ORACLE_H
#define PERFGATE_HARNESS_ORACLE_H

#include <memory>
#include <string>
#include <vector>

#include "session.h"

namespace perfgate {

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
// Launches on the changed inputs in `fresh` and returns what its outputs should be.
Expected related_outputs(Session &s, const Set &set, const Relation &relation, Set *fresh);

// Where the wrong elements of an output lie, a dimension at a time.
void write_pattern(Session &s, const Set &set, const Expected &expected, const Tolerance &tolerance, const TensorSpec *tensor,
                   JsonWriter *out);

// All outputs of a set against what they should be.
struct Verdict {
  Comparison total;          // counts of all outputs, numbers of the worst element of all
  const TensorSpec *tensor = nullptr;  // that the worst element is in; null when there is no element
  double max_ratio = 0;
  bool passed() const { return total.failed == 0; }
  void write_worst(JsonWriter *out) const;  // as an object
  std::string words() const;                // the worst element in words
};
// The tolerance of a tensor: the adapter's word wins.
Tolerance tolerance_of(const TensorSpec &t, Tolerance otherwise);
Verdict judge_outputs(Session &s, const Set &set, const Expected &expected, const Tolerance &tolerance);

}  // namespace perfgate

#endif
