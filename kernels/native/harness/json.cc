#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace perfgate {

namespace {

const int kMaxDepth = 16;        // the protocol nests five deep
const size_t kMaxValues = 20000; // a command has a few hundred

// Appends a code point as UTF-8.
void append_utf8(std::string *out, uint32_t c) {
  if (c < 0x80) {
    out->push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out->push_back(static_cast<char>(0xC0 | (c >> 6)));
    out->push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else if (c < 0x10000) {
    out->push_back(static_cast<char>(0xE0 | (c >> 12)));
    out->push_back(static_cast<char>(0x80 | ((c >> 6) & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else {
    out->push_back(static_cast<char>(0xF0 | (c >> 18)));
    out->push_back(static_cast<char>(0x80 | ((c >> 12) & 0x3F)));
    out->push_back(static_cast<char>(0x80 | ((c >> 6) & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (c & 0x3F)));
  }
}

// The length of the valid UTF-8 sequence at s, 0 when it is none (overlong forms and surrogates included).
size_t utf8_length(const unsigned char *s, size_t left) {
  auto tail = [&](size_t i) { return i < left && (s[i] & 0xC0) == 0x80; };
  if (s[0] < 0x80) return 1;
  if (s[0] >= 0xC2 && s[0] <= 0xDF) return tail(1) ? 2 : 0;
  if (s[0] >= 0xE0 && s[0] <= 0xEF) {
    if (!tail(1) || !tail(2)) return 0;
    if (s[0] == 0xE0 && s[1] < 0xA0) return 0;
    if (s[0] == 0xED && s[1] > 0x9F) return 0;
    return 3;
  }
  if (s[0] >= 0xF0 && s[0] <= 0xF4) {
    if (!tail(1) || !tail(2) || !tail(3)) return 0;
    if (s[0] == 0xF0 && s[1] < 0x90) return 0;
    if (s[0] == 0xF4 && s[1] > 0x8F) return 0;
    return 4;
  }
  return 0;
}

class Reader {
 public:
  explicit Reader(const std::string &s) : begin_(s.data()), at_(s.data()), end_(s.data() + s.size()) {}

  bool document(Json *out) {
    if (!read(out, 0)) return false;
    skip();
    return at_ == end_ || fail("text after the value");
  }

  std::string why() const { return why_ + " at byte " + std::to_string(at_ - begin_); }

 private:
  bool fail(const char *why) {
    if (why_.empty()) why_ = why;
    return false;
  }

  void skip() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) at_++;
  }

  bool eat(char c) {
    skip();
    if (at_ == end_ || *at_ != c) return false;
    at_++;
    return true;
  }

  bool word(const char *w) {
    size_t n = strlen(w);
    if (static_cast<size_t>(end_ - at_) < n || memcmp(at_, w, n) != 0) return fail("not a value");
    at_ += n;
    return true;
  }

  bool read(Json *out, int depth) {
    if (depth > kMaxDepth) return fail("nested too deep");
    if (++values_ > kMaxValues) return fail("too many values");
    skip();
    if (at_ == end_) return fail("ends too early");
    switch (*at_) {
      case '{': return object(out, depth);
      case '[': return array(out, depth);
      case '"': out->kind = Json::kString; return string(&out->text);
      case 't': out->kind = Json::kBool; out->boolean = true; return word("true");
      case 'f': out->kind = Json::kBool; return word("false");
      case 'n': return word("null");
      default: return number(out);
    }
  }

  bool object(Json *out, int depth) {
    out->kind = Json::kObject;
    at_++;
    if (eat('}')) return true;
    do {
      skip();
      std::string name;
      if (at_ == end_ || *at_ != '"') return fail("a key was expected");
      if (!string(&name)) return false;
      if (out->find(name.c_str())) return fail("a key appears twice");
      if (!eat(':')) return fail("':' was expected");
      out->members.emplace_back(std::move(name), Json());
      if (!read(&out->members.back().second, depth + 1)) return false;
    } while (eat(','));
    return eat('}') || fail("'}' was expected");
  }

  bool array(Json *out, int depth) {
    out->kind = Json::kArray;
    at_++;
    if (eat(']')) return true;
    do {
      out->items.emplace_back();
      if (!read(&out->items.back(), depth + 1)) return false;
    } while (eat(','));
    return eat(']') || fail("']' was expected");
  }

  static bool digit(char c) { return c >= '0' && c <= '9'; }

  bool digits() {
    if (at_ == end_ || !digit(*at_)) return fail("not a number");
    while (at_ < end_ && digit(*at_)) at_++;
    return true;
  }

  bool number(Json *out) {
    const char *start = at_;
    if (*at_ == '-') at_++;
    if (at_ < end_ && *at_ == '0') {
      at_++;
    } else if (!digits()) {
      return false;
    }
    if (at_ < end_ && *at_ == '.') {
      at_++;
      if (!digits()) return false;
    }
    if (at_ < end_ && (*at_ == 'e' || *at_ == 'E')) {
      at_++;
      if (at_ < end_ && (*at_ == '+' || *at_ == '-')) at_++;
      if (!digits()) return false;
    }
    out->kind = Json::kNumber;
    out->text.assign(start, at_);
    out->number = strtod(out->text.c_str(), nullptr);
    return isfinite(out->number) || fail("number out of range");
  }

  bool hex4(uint32_t *v) {
    *v = 0;
    for (int i = 0; i < 4; i++, at_++) {
      if (at_ == end_) return fail("ends too early");
      char c = *at_;
      uint32_t d = digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
      if (d == 16) return fail("bad \\u escape");
      *v = *v * 16 + d;
    }
    return true;
  }

  bool escape(std::string *out) {
    if (at_ == end_) return fail("ends too early");
    char c = *at_++;
    switch (c) {
      case '"': case '\\': case '/': out->push_back(c); return true;
      case 'b': out->push_back('\b'); return true;
      case 'f': out->push_back('\f'); return true;
      case 'n': out->push_back('\n'); return true;
      case 'r': out->push_back('\r'); return true;
      case 't': out->push_back('\t'); return true;
      case 'u': break;
      default: return fail("bad escape");
    }
    uint32_t v = 0, low = 0;
    if (!hex4(&v)) return false;
    if (v >= 0xD800 && v < 0xDC00) {
      if (end_ - at_ < 2 || at_[0] != '\\' || at_[1] != 'u') return fail("half a surrogate pair");
      at_ += 2;
      if (!hex4(&low)) return false;
      if (low < 0xDC00 || low > 0xDFFF) return fail("half a surrogate pair");
      v = 0x10000 + ((v - 0xD800) << 10) + (low - 0xDC00);
    } else if (v >= 0xDC00 && v <= 0xDFFF) {
      return fail("half a surrogate pair");
    }
    if (v == 0) return fail("a NUL in a string");  // strings go to C
    append_utf8(out, v);
    return true;
  }

  bool string(std::string *out) {
    at_++;
    while (at_ < end_) {
      unsigned char c = static_cast<unsigned char>(*at_);
      if (c == '"') {
        at_++;
        return true;
      }
      if (c == '\\') {
        at_++;
        if (!escape(out)) return false;
        continue;
      }
      if (c < 0x20) return fail("a control character in a string");
      size_t n = utf8_length(reinterpret_cast<const unsigned char *>(at_), static_cast<size_t>(end_ - at_));
      if (n == 0) return fail("not UTF-8");
      out->append(at_, n);
      at_ += n;
    }
    return fail("ends too early");
  }

  const char *begin_, *at_, *end_;
  size_t values_ = 0;
  std::string why_;
};

}  // namespace

const Json *Json::find(const char *key) const {
  for (const auto &m : members) {
    if (m.first == key) return &m.second;
  }
  return nullptr;
}

bool parse_json(const std::string &line, Json *out, std::string *why) {
  Reader reader(line);
  if (reader.document(out)) return true;
  *why = reader.why();
  return false;
}

void JsonWriter::separate() {
  if (!fresh_) out_.push_back(',');
  fresh_ = false;
}

JsonWriter &JsonWriter::open_object() {
  separate();
  out_.push_back('{');
  fresh_ = true;
  return *this;
}

JsonWriter &JsonWriter::close_object() {
  out_.push_back('}');
  fresh_ = false;
  return *this;
}

JsonWriter &JsonWriter::open_array() {
  separate();
  out_.push_back('[');
  fresh_ = true;
  return *this;
}

JsonWriter &JsonWriter::close_array() {
  out_.push_back(']');
  fresh_ = false;
  return *this;
}

JsonWriter &JsonWriter::key(const char *name) {
  value(name);
  out_.push_back(':');
  fresh_ = true;
  return *this;
}

JsonWriter &JsonWriter::value(const std::string &v) {
  separate();
  out_.push_back('"');
  const unsigned char *s = reinterpret_cast<const unsigned char *>(v.data());
  for (size_t i = 0; i < v.size();) {
    unsigned char c = s[i];
    if (c == '"' || c == '\\') {
      out_.push_back('\\');
      out_.push_back(static_cast<char>(c));
      i++;
    } else if (c < 0x20 || c == 0x7F) {
      char escaped[8];
      snprintf(escaped, sizeof escaped, "\\u%04x", c);
      out_ += escaped;
      i++;
    } else if (size_t n = utf8_length(s + i, v.size() - i)) {
      out_.append(v, i, n);
      i += n;
    } else {
      append_utf8(&out_, 0xFFFD);
      i++;
    }
  }
  out_.push_back('"');
  return *this;
}

JsonWriter &JsonWriter::value(const char *v) { return value(std::string(v)); }

JsonWriter &JsonWriter::value(double v) {
  if (isnan(v)) return value("nan");
  if (isinf(v)) return value(v > 0 ? "inf" : "-inf");
  separate();
  char text[40];
  snprintf(text, sizeof text, "%.15g", v);
  if (strtod(text, nullptr) != v) snprintf(text, sizeof text, "%.17g", v);
  out_ += text;
  return *this;
}

JsonWriter &JsonWriter::value(int64_t v) {
  separate();
  out_ += std::to_string(v);
  return *this;
}

JsonWriter &JsonWriter::value(bool v) {
  separate();
  out_ += v ? "true" : "false";
  return *this;
}

JsonWriter &JsonWriter::raw(const std::string &json) {
  if (json.empty()) return *this;
  separate();
  out_ += json;
  return *this;
}

}  // namespace perfgate
