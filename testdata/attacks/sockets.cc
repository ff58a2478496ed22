// Speaks to whoever listens in the file system, such as the runner that started the job, and by ways that no rule of a network sees.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "attacks.h"

namespace {

sockaddr_un named(const char *path) {
  sockaddr_un to = {};
  to.sun_family = AF_UNIX;
  strncpy(to.sun_path, path, sizeof to.sun_path - 1);
  return to;
}

// Connects, and asks: .NET's diagnostic port lets whoever does start any code in the runner.
void ask(int type, const char *path, const char *what) {
  const sockaddr_un to = named(path);
  const int out = socket(AF_UNIX, type, 0);
  const bool reached = out >= 0 && connect(out, reinterpret_cast<const sockaddr *>(&to), sizeof to) == 0;
  attacks::came_of(reached && write(out, "DOTNET_IPC_V1", 13) == 13, what);
}

void attempt() {
  ask(SOCK_STREAM, getenv("STREAM"), "the runner's diagnostic port");
  ask(SOCK_DGRAM, getenv("DATAGRAM"), "a socket for datagrams");
  ask(SOCK_RAW, getenv("DATAGRAM"), "a socket for datagrams, by another name");

  const sockaddr_un to = named(getenv("DATAGRAM"));
  int pair[2] = {-1, -1};
  const bool paired = socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0;
  attacks::came_of(paired && sendto(pair[0], "x", 1, 0, reinterpret_cast<const sockaddr *>(&to), sizeof to) == 1, "sending from a pair of datagrams");

  sockaddr_in port = {};
  port.sin_family = AF_INET;
  port.sin_port = htons(atoi(getenv("PORT")));
  inet_pton(AF_INET, "127.0.0.1", &port.sin_addr);
  const int udp = socket(AF_INET, SOCK_DGRAM, 0);
  attacks::came_of(udp >= 0 && sendto(udp, "x", 1, 0, reinterpret_cast<const sockaddr *>(&port), sizeof port) == 1, "UDP");
  const int listens = socket(AF_INET, SOCK_STREAM, 0);
  attacks::came_of(listens >= 0 && listen(listens, 1) == 0, "listening on a port that the kernel chooses");
  attacks::came_of(socket(AF_NETLINK, SOCK_RAW, 0) >= 0, "netlink");

  int own[2];
  char got = 0;
  const bool works = socketpair(AF_UNIX, SOCK_STREAM, 0, own) == 0 && write(own[0], "x", 1) == 1 && read(own[1], &got, 1) == 1;
  fprintf(stderr, works ? "a pair of streams works\n" : "denied a pair of streams, which is honest\n");
}

}  // namespace

ATTACK(attempt)
