// JSON, as little of it as the protocol needs: a strict reader with caps, since the harness trusts nobody, and a
// writer that always produces valid UTF-8, since names and messages come from adapters.
#ifndef PERFGATE_HARNESS_JSON_H
#define PERFGATE_HARNESS_JSON_H

#include <stdint.h>

#include <string>
#include <utility>
#include <vector>

namespace perfgate {

struct Json {
  enum Kind { kNull, kBool, kNumber, kString, kArray, kObject };
  Kind kind = kNull;
  bool boolean = false;
  double number = 0;
  std::string text;  // a string's value; a number as it was written, so that 64-bit integers survive
  std::vector<Json> items;
  std::vector<std::pair<std::string, Json>> members;

  const Json *find(const char *key) const;  // null when absent
};

// Parses one whole document. On failure returns false and says why.
bool parse_json(const std::string &line, Json *out, std::string *why);

// Builds one object or array, member by member; commas are its business.
class JsonWriter {
 public:
  JsonWriter &open_object();
  JsonWriter &close_object();
  JsonWriter &open_array();
  JsonWriter &close_array();
  JsonWriter &key(const char *name);
  JsonWriter &value(const std::string &v);
  JsonWriter &value(const char *v);
  JsonWriter &value(double v);
  JsonWriter &value(int64_t v);
  JsonWriter &value(int v) { return value(static_cast<int64_t>(v)); }
  JsonWriter &value(bool v);
  JsonWriter &raw(const std::string &json);  // members or a value that were written before
  template <class T>
  JsonWriter &member(const char *name, const T &v) {
    return key(name).value(v);
  }
  const std::string &str() const { return out_; }

 private:
  void separate();
  std::string out_;
  bool fresh_ = true;  // nothing yet on this level, or a key was just written: no comma
};

}  // namespace perfgate

#endif
