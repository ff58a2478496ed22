#include "parent.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guardian.h"
#include "json.h"
#include "python.h"

namespace perfgate {

namespace {

void close_both(const Ends &e) {
  close(e.in);
  close(e.out);
}

void say(Channel *channel, const char *what, int64_t number) {
  JsonWriter w;
  w.open_object().member("id", 0).member("ok", true).member(what, number);
  channel->write_line(w.close_object().str());
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

bool be_parent(Channel *channel, const std::vector<Ends> &children, Ends *own) {
  std::string line;
  for (size_t next = 0; next < children.size(); next++) {
    if (channel->read_line(&line) != Channel::kLine) return false;
    const pid_t child = fork_python();
    if (child == 0) {
      // Ours are closed in every child (close_in_children).
      for (size_t i = next + 1; i < children.size(); i++) close_both(children[i]);
      *own = children[next];
      return true;
    }
    close_both(children[next]);  // else nobody would see that the child has gone
    if (child < 0) return false;
    say(channel, "pid", child);
    const int status = wait_for(child);
    kill_descendants();  // what the child started and left to us
    say(channel, "status", status);
  }
  return false;
}

}  // namespace perfgate
