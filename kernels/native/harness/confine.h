#ifndef PERFGATE_HARNESS_CONFINE_H
#define PERFGATE_HARNESS_CONFINE_H

namespace perfgate {

// Whether this process has taken a policy upon itself. A C library that does not do it before constructors has none.
bool confined();

// Gives up what the profiler's libraries needed until the device was opened: before anything under test is loaded. Ends the process where
// that fails.
void confine_further();

}  // namespace perfgate

#endif
