#ifndef PERFGATE_HARNESS_CONFINE_H
#define PERFGATE_HARNESS_CONFINE_H

namespace perfgate {

// Takes the policy of the arguments, where they name one, upon this process. For the start of a program, before constructors.
void confine_before_constructors(int argc, char **argv, char **environment);

// The program that became this one took the policy upon itself: reads of it what confine_further() needs. Ends the process where
// this is not so.
void stay_confined(const char *file);

// Whether this process has taken a policy upon itself. A C library that does not do it before constructors has none.
bool confined();

// Gives up what the profiler's libraries needed until the device was opened: before anything under test is loaded. Ends the process where
// that fails.
void confine_further();

}  // namespace perfgate

#endif
