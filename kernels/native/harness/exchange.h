// Outputs in files: how one process hands them to another.
#ifndef PERFGATE_HARNESS_EXCHANGE_H
#define PERFGATE_HARNESS_EXCHANGE_H

#include <stdio.h>

#include <string>
#include <vector>

#include "oracle.h"

namespace perfgate {

// The outputs of a set as float64, in the order of the spec. Throws internal.
void dump(Session &s, const Set &set, const std::string &path);

// What dump wrote for this case. Throws bad-command.
Expected load_dump(Session &s, const std::string &path);

// Writes outputs as they lie in memory, in the order of the spec, for a process that loads another library and compares them.
class Delivery {
 public:
  Delivery(Session *s, const std::string &path);  // "" delivers nothing; throws internal
  ~Delivery();
  Delivery(const Delivery &) = delete;
  Delivery &operator=(const Delivery &) = delete;
  void add(const Set &set);
  void finish();
  int launches() const { return launches_; }

 private:
  Session *s_;
  std::string path_;
  FILE *file_ = nullptr;
  int launches_ = 0;
};

// Reads a delivery of one set of outputs after the other into `sets`. The process that wrote the file is not trusted: anything but
// a plain file of the very size, with no second name, is bad-delivery.
void receive(Session &s, const std::string &path, const std::vector<Set *> &sets);

}  // namespace perfgate

#endif
