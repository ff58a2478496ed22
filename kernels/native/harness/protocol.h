// JSON lines: a command in, a reply out.
#ifndef PERFGATE_HARNESS_PROTOCOL_H
#define PERFGATE_HARNESS_PROTOCOL_H

#include <stdint.h>

#include <string>

#include "adapter.h"
#include "failure.h"
#include "session.h"

namespace perfgate {

// The two descriptors, and lines on them.
class Channel {
 public:
  Channel(int in, int out) : in_(in), out_(out) {}
  enum Got { kLine, kTooLong, kEnd };
  Got read_line(std::string *line);
  bool write_line(const std::string &line);  // adds the newline; false when nobody listens
  // Says that the work of command `id` stands still at a mark, and waits until whoever reads has looked at it.
  void mark(int64_t id);

 private:
  int in_, out_;
  std::string pending_;
};

std::string hello(const Session &session);
std::string failure_reply(int64_t id, const Failure &f);

// Answers commands until `quit` (true) or the end of the commands (false).
bool serve(Channel *channel, Session *session);

}  // namespace perfgate

#endif
