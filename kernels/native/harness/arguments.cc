#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "commands.h"
#include "failure.h"

namespace perfgate {

namespace {

Failure bad(const char *key, const char *what) {
  return Failure("bad-command", std::string("\"") + key + "\" " + what);
}

}  // namespace

const Json *Arguments::get(const char *key, Json::Kind kind, bool required) {
  known_.push_back(key);
  const Json *j = object_.find(key);
  if (!j && required) throw bad(key, "is missing");
  if (j && j->kind != kind) throw bad(key, "has the wrong type");
  return j;
}

Case Arguments::test_case() { return Case(*get("case", Json::kObject, true)); }

uint64_t Arguments::seed() {
  const std::string text = string("seed");
  char *end = nullptr;
  errno = 0;
  const uint64_t v = strtoull(text.c_str(), &end, 10);
  if (text.empty() || text[0] < '0' || text[0] > '9' || *end || errno) throw bad("seed", "is not a decimal number of 64 bits");
  return v;
}

double Arguments::number(const char *key, double low, double high) {
  const double v = get(key, Json::kNumber, true)->number;
  if (!(v >= low && v <= high)) throw bad(key, "is out of range");
  return v;
}

double Arguments::number(const char *key, double low, double high, double otherwise) {
  return get(key, Json::kNumber, false) ? number(key, low, high) : otherwise;
}

int64_t Arguments::integer(const char *key, int64_t low, int64_t high) {
  const double v = number(key, static_cast<double>(low), static_cast<double>(high));
  if (v != floor(v)) throw bad(key, "is not an integer");
  return static_cast<int64_t>(v);
}

bool Arguments::boolean(const char *key) { return get(key, Json::kBool, true)->boolean; }

bool Arguments::boolean(const char *key, bool otherwise) {
  const Json *j = get(key, Json::kBool, false);
  return j ? j->boolean : otherwise;
}

std::string Arguments::string(const char *key) { return get(key, Json::kString, true)->text; }

std::string Arguments::string(const char *key, const char *otherwise) {
  const Json *j = get(key, Json::kString, false);
  return j ? j->text : otherwise;
}

const Json &Arguments::object(const char *key) { return *get(key, Json::kObject, true); }

const Json *Arguments::object_if_given(const char *key) { return get(key, Json::kObject, false); }

void Arguments::finish() const {
  for (const auto &m : object_.members) {
    bool known = false;
    for (const auto &k : known_) known = known || k == m.first;
    if (!known) throw bad(m.first.c_str(), "is not a member of this command");
  }
}

}  // namespace perfgate
