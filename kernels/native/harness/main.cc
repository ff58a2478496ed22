// The harness: one process, an adapter or several, commands in and replies out. See docs/protocol.md. program.cc makes a program of it; an
// interpreter loads it as a library.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <memory>
#include <new>
#include <string>
#include <utility>

#include "confine.h"
#include "guardian.h"
#include "main.h"
#include "protocol.h"
#include "python.h"

using namespace perfgate;

namespace {

struct Options {
  std::string adapter;
  PythonAdapter python;  // in its place
  int in = -1, out = -1;
  unsigned long long memory = 0;
  bool separate = false;
  bool waits = false;  // an interpreter imports installed packages and no adapter: op load comes first

  std::string *text(const std::string &key) {
    const std::pair<const char *, std::string *> all[] = {
        {"--adapter", &adapter}, {"--python-adapter", &python.file}, {"--shown", &python.shown}, {"--tree", &python.tree},
        {"--root", &python.root}, {"--checkouts", &python.checkouts}, {"--pins", &python.pins}, {"--import-first", &python.before},
    };
    for (const auto &option : all)
      if (key == option.first) return option.second;
    return nullptr;
  }
};

bool number(const char *text, unsigned long long *out) {
  char *end = nullptr;
  errno = 0;
  *out = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && *end == 0 && errno == 0;
}

bool read_options(int argc, char **argv, Options *o) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i];
    unsigned long long n = 0;
    if (std::string *value = o->text(key)) {
      *value = argv[i + 1];
      continue;
    }
    if (key == "--confined") {
      stay_confined(argv[i + 1]);
      continue;
    }
    if (key == "--policy") {
      if (confined()) continue;
      fprintf(stderr, "in the sandbox: harness: cannot apply %s before constructors run: this C library does not\n", argv[i + 1]);
      _exit(126);
    }
    if (!number(argv[i + 1], &n)) return false;
    if (key == "--memory-bytes") {
      o->memory = n;
    } else if (n > 1 << 20) {
      return false;
    } else if (key == "--in") {
      o->in = static_cast<int>(n);
    } else if (key == "--out") {
      o->out = static_cast<int>(n);
    } else if (key == "--separate-buffers") {
      o->separate = n != 0;
    } else if (key == "--waits") {
      o->waits = n != 0;
    } else {
      return false;
    }
  }
  return argc % 2 == 1 && (o->adapter.empty() || o->python.file.empty()) && o->in >= 0 && o->out >= 0;
}

// Hides the descriptors from the adapter.
bool hide(Options *o) {
  const int in = hide_descriptor(o->in), out = hide_descriptor(o->out);
  if (in < 0 || out < 0) fprintf(stderr, "harness: descriptors %d and %d: %s\n", o->in, o->out, strerror(errno));
  o->in = in, o->out = out;
  return in >= 0 && out >= 0;
}

// From here on this process ends when the other side of its descriptors is closed.
bool guarded(const Options &o) {
  adopt_orphans();
  close_in_children(o.in, o.out);
  const bool watched = watch_hangup(o.in);
  if (!watched) fprintf(stderr, "harness: cannot start a thread\n");
  return watched;
}

// Adapters are libraries, or one of an interpreter, whatever path op load names.
Loader loader_of(const Options &o) {
  if (o.python.file.empty()) return load_library;
  bool loaded = false;
  return [o, loaded](const std::string &) mutable {
    if (loaded) throw Failure("bad-command", "an interpreter has one adapter, which is loaded");
    loaded = true;
    return load_python(o.python, kDeviceName);
  };
}

// Loads what was named at the start, if anything.
void load(const Options &o, Session *session) {
  if (o.waits) {
    prepare_python(o.python);
  } else if (!o.python.file.empty()) {
    session->load(o.python.shown);
  } else if (!o.adapter.empty()) {
    session->load(o.adapter);
  }
}

// All that a runner does, to its end.
[[noreturn]] void run(const Options &options) {
  Channel channel(options.in, options.out);
  const bool waits = options.waits || (options.adapter.empty() && options.python.file.empty());
  std::unique_ptr<Device> device;
  std::unique_ptr<Session> session;
  try {
    device = make_device();
    if (options.separate && !device->separate_buffers()) throw Failure("bad-command", "this device has no separate buffers");
    session.reset(new Session(device.get(), loader_of(options)));
    if (!waits) device->wake();
    confine_further();
    load(options, session.get());
  } catch (const Failure &f) {
    channel.write_line(failure_reply(0, f));
    kill_descendants();
    _exit(1);
  }
  try {
    if (!channel.write_line(hello(*session)) || !serve(&channel, session.get())) end_everything();
  } catch (const std::bad_alloc &) {  // an adapter has leaked it all: there is none left even for a reply
    fprintf(stderr, "harness: out of memory\n");
    kill_descendants();
    _exit(1);
  }
  kill_descendants();
  // Not exit(): the adapter's static destructors may wait for threads of theirs, and nobody needs them any more.
  fflush(nullptr);
  _exit(0);
}

}  // namespace

int perfgate_main(int argc, char **argv) {
  Options options;
  if (!read_options(argc, argv, &options)) {
    fprintf(stderr, "usage: harness [--adapter LIBRARY | --python-adapter FILE --shown NAME --tree FOLDER] --in FD --out FD [--memory-bytes N] [--separate-buffers 0|1] [--waits 0|1] [--policy FILE]\n");
    return 2;
  }
  if (!hide(&options)) return 2;
  apply_limits(options.memory);
  if (!guarded(options)) return 2;
  run(options);
}
