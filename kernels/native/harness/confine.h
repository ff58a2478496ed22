#ifndef PERFGATE_HARNESS_CONFINE_H
#define PERFGATE_HARNESS_CONFINE_H

namespace perfgate {

// Whether this process has taken a policy upon itself. A C library that does not do it before constructors has none.
bool confined();

}  // namespace perfgate

#endif
