// Speaks to the world, and to the processes above: TCP, sockets without a name in the file system, signals.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "attacks.h"

namespace {

sockaddr_in local(int port) {
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  return to;
}

void attempt() {
  const sockaddr_in to = local(atoi(getenv("PORT"))), from = local(0);
  const int out = socket(AF_INET, SOCK_STREAM, 0);
  attacks::came_of(connect(out, reinterpret_cast<const sockaddr *>(&to), sizeof to) == 0, "connecting to a port");
  const int in = socket(AF_INET, SOCK_STREAM, 0);
  attacks::came_of(bind(in, reinterpret_cast<const sockaddr *>(&from), sizeof from) == 0, "listening on a port");

  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  strcpy(name.sun_path + 1, getenv("ABSTRACT"));
  const socklen_t length = offsetof(sockaddr_un, sun_path) + 1 + strlen(getenv("ABSTRACT"));
  const int abstract = socket(AF_UNIX, SOCK_STREAM, 0);
  attacks::came_of(connect(abstract, reinterpret_cast<const sockaddr *>(&name), length) == 0, "connecting to an abstract socket");
  attacks::came_of(kill(getppid(), 0) == 0, "signalling the process above");
}

}  // namespace

ATTACK(attempt)
