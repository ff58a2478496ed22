// A case as perfgate names it, and what pg_spec said about it.
#ifndef PERFGATE_HARNESS_SPEC_H
#define PERFGATE_HARNESS_SPEC_H

#include <stdint.h>

#include <string>
#include <vector>

#include "../perfgate.h"

namespace perfgate {

struct Json;

// A kernel and one assignment of its parameters, owning the strings that the adapter's pg_case points into.
class Case {
 public:
  Case() = default;
  explicit Case(const Json &json);  // throws bad-command
  const pg_case *c() const;         // valid until this Case is moved, changed or gone
  const std::string &text() const { return text_; }  // "saxpy/n=1024": names the case, and tells two cases apart

 private:
  std::string kernel_, text_;
  std::vector<std::string> names_, texts_;
  std::vector<int64_t> values_;
  mutable std::vector<pg_param_entry> entries_;
  mutable pg_case raw_;
};

struct TensorSpec {
  pg_tensor raw;
  std::string name, dims;
  int64_t count = 0;
  size_t bytes = 0;
  bool input() const { return raw.role == PG_IN || raw.role == PG_INOUT; }
  bool custom() const { return raw.fill == PG_FILL_CUSTOM; }
  bool output() const { return raw.role == PG_OUT || raw.role == PG_INOUT; }
};

struct Spec {
  std::vector<TensorSpec> tensors;
  size_t bytes = 0;  // of one set, without guards
};

// Takes over what pg_spec wrote; throws bad-spec where it is impossible.
Spec make_spec(const pg_tensor *tensors, int count);

std::vector<int64_t> coordinates(const TensorSpec &t, int64_t index);

}  // namespace perfgate

#endif
