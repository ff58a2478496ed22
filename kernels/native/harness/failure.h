// What went wrong, in the words of the protocol: a code that perfgate acts on, a message that a person reads, and
// members that go into the error object beside them.
#ifndef PERFGATE_HARNESS_FAILURE_H
#define PERFGATE_HARNESS_FAILURE_H

#include <string>
#include <utility>

namespace perfgate {

struct Failure {
  std::string code;
  std::string message;
  std::string members;  // JSON members without braces, such as "tensor":"o"; may be empty

  Failure(std::string code_, std::string message_, std::string members_ = std::string())
      : code(std::move(code_)), message(std::move(message_)), members(std::move(members_)) {}
};

}  // namespace perfgate

#endif
