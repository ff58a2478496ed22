// A parent: a process that has imported an adapter in Python and nothing else, and forks a child for each process that measures. It
// imports once what takes seconds to import.
#ifndef PERFGATE_HARNESS_PARENT_H
#define PERFGATE_HARNESS_PARENT_H

#include <vector>

#include "protocol.h"

namespace perfgate {

// The two descriptors of a runner.
struct Ends {
  int in, out;
};

// Answers "fork" until the commands end, and each time until its child has ended. Returns in each child, with the descriptors of its
// own as *own, all others closed. In the parent it returns false.
bool be_parent(Channel *channel, const std::vector<Ends> &children, Ends *own);

}  // namespace perfgate

#endif
