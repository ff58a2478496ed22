// What keeps a runner and what it starts from outliving perfgate, and the runner's descriptors from the adapter.
#ifndef PERFGATE_HARNESS_GUARDIAN_H
#define PERFGATE_HARNESS_GUARDIAN_H

#include <stddef.h>

namespace perfgate {

// A copy of the descriptor at a number that an adapter does not stumble upon, closed on exec; the original is closed.
// -1 on failure.
int hide_descriptor(int fd);

// Children of the adapter do not keep these open.
void close_in_children(int in, int out);

// Limits of this process: no core files; at most `memory` bytes of address space unless 0. SIGPIPE is ignored.
void apply_limits(size_t memory);

// Orphans among this process's descendants become its children, so that one with a session of its own is found as well;
// they are killed when this process crashes or exits.
void adopt_orphans();

// Starts the watcher: a thread that ends everything when the other side of `in` is closed, whatever the main thread does.
bool watch_hangup(int in);

// Kills the children of this process, theirs, and those that they left to it.
void kill_descendants();

// Kills descendants and process group, and this process with them. The group is spared where this process does not lead
// it: then it belongs to somebody's shell.
[[noreturn]] void end_everything();

}  // namespace perfgate

#endif
