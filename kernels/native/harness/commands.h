// The commands of the protocol that do something, one file each. They append members to the reply or throw a Failure.
#ifndef PERFGATE_HARNESS_COMMANDS_H
#define PERFGATE_HARNESS_COMMANDS_H

#include <stdint.h>

#include <functional>
#include <string>
#include <vector>

#include "json.h"
#include "session.h"

namespace perfgate {

// Reads the members of a command. Every member is required unless a default is given, and finish() refuses those that
// nobody asked for: a misspelt one must not silently mean its default.
class Arguments {
 public:
  explicit Arguments(const Json &object) : object_(object) {}
  Case test_case();
  uint64_t seed();
  double number(const char *key, double low, double high);
  double number(const char *key, double low, double high, double otherwise);
  int64_t integer(const char *key, int64_t low, int64_t high);
  bool boolean(const char *key);
  bool boolean(const char *key, bool otherwise);
  std::string string(const char *key);
  std::string string(const char *key, const char *otherwise);
  const Json &object(const char *key);
  const Json *object_if_given(const char *key);  // null where it is not
  void finish() const;

 private:
  const Json *get(const char *key, Json::Kind kind, bool required);
  const Json &object_;
  std::vector<std::string> known_;
};

void run_spec(Session &s, Arguments &args, JsonWriter *reply);
void run_warm(Session &s, Arguments &args, JsonWriter *reply);
void run_probe(Session &s, Arguments &args, JsonWriter *reply);
// `mark` is called where the command wants an external timing check: before and after samples.
void run_time(Session &s, Arguments &args, const std::function<void()> &mark, JsonWriter *reply);
void run_parity(Session &s, Arguments &args, JsonWriter *reply);
void run_judge(Session &s, Arguments &args, JsonWriter *reply);
void run_profile(Session &s, Arguments &args, JsonWriter *reply);

double median(std::vector<double> values);  // 0 of none
void write_canaries(const Canaries &c, JsonWriter *reply);
Canaries settle(Device *device, int count);  // canaries once the clock is again what it was after warming up
double now_ns();      // the wall clock, for limits
double process_ns();  // CPU time of all threads of this process

// The outputs of a set as they were at one time, to see whether somebody writes to them later.
class KeptOutputs {
 public:
  KeptOutputs(Session *session, const Set *set) : session_(session), set_(set) {}
  void keep();
  bool changed() const;  // since keep()

 private:
  Session *session_;
  const Set *set_;
  std::vector<Buffer> copies_;  // in the order of the outputs
};

// Throws outside-work when the case works where the clock does not see it. `launch_ns` is about what a launch takes;
// `recorded`: what is timed is a graph of them.
void check_outside(Session &s, Clock clock, size_t set, double launch_ns, bool recorded);

}  // namespace perfgate

#endif
