#include "spec.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dtype.h"
#include "failure.h"
#include "json.h"

namespace perfgate {

namespace {

const Json &need(const Json &object, const char *key, Json::Kind kind) {
  const Json *j = object.find(key);
  if (!j || j->kind != kind) throw Failure("bad-command", std::string("\"case\" lacks a valid \"") + key + "\"");
  return *j;
}

}  // namespace

Case::Case(const Json &json) {
  if (json.kind != Json::kObject) throw Failure("bad-command", "\"case\" is not an object");
  kernel_ = need(json, "kernel", Json::kString).text;
  text_ = kernel_;
  for (const Json &p : need(json, "params", Json::kArray).items) {
    names_.push_back(need(p, "name", Json::kString).text);
    texts_.push_back(need(p, "text", Json::kString).text);
    const std::string &number = need(p, "value", Json::kNumber).text;
    char *end = nullptr;
    errno = 0;
    values_.push_back(strtoll(number.c_str(), &end, 10));
    if (*end || errno) throw Failure("bad-command", "parameter \"" + names_.back() + "\" is not an integer");
    text_ += (names_.size() == 1 ? "/" : ",") + names_.back() + "=" + texts_.back();
  }
}

const pg_case *Case::c() const {
  entries_.clear();
  for (size_t i = 0; i < names_.size(); i++) entries_.push_back({names_[i].c_str(), texts_[i].c_str(), values_[i]});
  memset(&raw_, 0, sizeof raw_);
  raw_.size = sizeof raw_;
  raw_.param_count = static_cast<int32_t>(entries_.size());
  raw_.kernel = kernel_.c_str();
  raw_.params = entries_.data();
  return &raw_;
}

namespace {

// A field of fixed size that must hold its own end.
bool terminated(const char *field, size_t size) { return memchr(field, 0, size) != nullptr; }

TensorSpec make_tensor(const pg_tensor &t, int index) {
  TensorSpec s;
  s.raw = t;
  const std::string where = "tensor " + std::to_string(index);
  auto bad = [&](const std::string &why) {
    const std::string name = s.name.empty() ? where : where + " (\"" + s.name + "\")";
    return Failure("bad-spec", name + " " + why);
  };
  if (t.size != sizeof(pg_tensor)) {
    throw bad("has size " + std::to_string(t.size) + " where " + std::to_string(sizeof(pg_tensor)) +
              " was expected: make it with PG_TENSOR");
  }
  if (!terminated(t.name, sizeof t.name) || !terminated(t.dims, sizeof t.dims)) throw bad("has a text without an end");
  s.name = t.name;
  s.dims = t.dims;
  if (s.name.empty()) throw bad("has no name");
  if (pg_dtype_size(t.dtype) == 0) throw bad("has dtype " + std::to_string(t.dtype) + ", which does not exist");
  if (t.role < PG_IN || t.role > PG_SCRATCH) throw bad("has role " + std::to_string(t.role) + ", which does not exist");
  if (t.rank < 0 || t.rank > PG_MAX_RANK) throw bad("has rank " + std::to_string(t.rank) + ", not 0 to 8");
  if (t.fill < PG_FILL_DEFAULT || t.fill > PG_FILL_CUSTOM) {
    throw bad("has fill " + std::to_string(t.fill) + ", which does not exist");
  }
  if (s.custom() && !s.input()) throw bad("has PG_FILL_CUSTOM and is no input");
  if (t.flags & ~static_cast<uint32_t>(PG_FILL_FIXED | PG_ALLOW_NONFINITE)) throw bad("has flags that do not exist");
  if (!isfinite(t.a) || !isfinite(t.b)) throw bad("has a fill whose parameters are not finite");
  if (!(t.atol >= 0) || !(t.rtol >= 0) || isinf(t.atol) || isinf(t.rtol)) throw bad("has a tolerance that is none");
  if (t.fill == PG_FILL_UNIFORM && t.b < t.a) throw bad("has a uniform fill with b below a");
  if (t.fill == PG_FILL_UNIFORM && dtype_is_integer(t.dtype)) {
    if (floor(t.b) < ceil(t.a)) throw bad("has a uniform fill without an integer in it");
    if (fabs(t.a) > 9e18 || fabs(t.b) > 9e18) throw bad("has a uniform fill beyond 64 bits");
  }
  s.count = 1;
  const int64_t most = static_cast<int64_t>(1) << 46;  // elements; far over any memory, far under any overflow
  bool empty = false;
  for (int d = 0; d < t.rank; d++) {
    if (t.shape[d] < 0) throw bad("has dimension " + std::to_string(d) + " of size " + std::to_string(t.shape[d]));
    if (t.shape[d] == 0) empty = true;
    if (t.shape[d] > 0 && s.count > most / t.shape[d]) {  // a case that was drawn too large, and no mistake of the adapter
      throw Failure("out-of-memory", where + " (\"" + s.name + "\") has more than 2^46 elements, which no memory holds");
    }
    if (t.shape[d] > 0) s.count *= t.shape[d];
  }
  if (empty) s.count = 0;
  s.bytes = static_cast<size_t>(s.count) * pg_dtype_size(t.dtype);
  return s;
}

}  // namespace

Spec make_spec(const pg_tensor *tensors, int count) {
  if (count == 0) throw Failure("bad-spec", "pg_spec described no tensor");
  if (count > PG_MAX_TENSORS) {
    throw Failure("bad-spec", "pg_spec described " + std::to_string(count) + " tensors; at most 64 are possible");
  }
  Spec spec;
  bool output = false;
  for (int i = 0; i < count; i++) {
    spec.tensors.push_back(make_tensor(tensors[i], i));
    const TensorSpec &t = spec.tensors.back();
    for (int k = 0; k < i; k++) {
      if (spec.tensors[static_cast<size_t>(k)].name == t.name) {
        throw Failure("bad-spec", "two tensors are named \"" + t.name + "\"");
      }
    }
    output = output || t.output();
    spec.bytes += t.bytes;
  }
  if (!output) throw Failure("bad-spec", "no tensor has role out or inout, so nothing could be checked");
  return spec;
}

std::vector<int64_t> coordinates(const TensorSpec &t, int64_t index) {
  std::vector<int64_t> coords(static_cast<size_t>(t.raw.rank));
  for (int d = t.raw.rank - 1; d >= 0; d--) {
    if (t.raw.shape[d] <= 0) continue;
    coords[static_cast<size_t>(d)] = index % t.raw.shape[d];
    index /= t.raw.shape[d];
  }
  return coords;
}

}  // namespace perfgate
