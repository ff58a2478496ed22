// Where the wall time of a command goes.
#ifndef PERFGATE_HARNESS_PHASES_H
#define PERFGATE_HARNESS_PHASES_H

#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "json.h"

namespace perfgate {

// Each moment belongs to the phase that began last. Names are those of result.Phase.
class Phases {
 public:
  explicit Phases(const char *first) : name_(first), since_(now_ns()) {}

  void begin(const char *name) {
    const double now = now_ns();
    add(now - since_);
    name_ = name;
    since_ = now;
  }

  void write(JsonWriter *reply) {
    begin(name_);
    reply->key("phases").open_object();
    for (const auto &phase : spent_) reply->member(phase.first.c_str(), phase.second);
    reply->close_object();
  }

 private:
  void add(double ns) {
    for (auto &phase : spent_) {
      if (phase.first == name_) return void(phase.second += ns);
    }
    spent_.emplace_back(name_, ns);
  }

  const char *name_;
  double since_;
  std::vector<std::pair<std::string, double>> spent_;
};

}  // namespace perfgate

#endif
