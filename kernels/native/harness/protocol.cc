#include "protocol.h"

#include <errno.h>
#include <locale.h>
#include <unistd.h>

#include <exception>
#include <new>

#include "commands.h"
#include "python.h"

namespace perfgate {

namespace {

const size_t kMaxLine = 1 << 20;

}  // namespace

Channel::Got Channel::read_line(std::string *line) {
  bool too_long = false;
  for (;;) {
    const size_t end = pending_.find('\n');
    if (end != std::string::npos) {
      line->assign(pending_, 0, end);
      pending_.erase(0, end + 1);
      return too_long || end > kMaxLine ? kTooLong : kLine;
    }
    if (pending_.size() > kMaxLine) {  // the rest of this line is dropped as it comes
      too_long = true;
      pending_.clear();
    }
    char piece[4096];
    const ssize_t n = read(in_, piece, sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return kEnd;
    pending_.append(piece, static_cast<size_t>(n));
  }
}

bool Channel::write_line(const std::string &line) {
  const std::string whole = line + "\n";
  size_t done = 0;
  while (done < whole.size()) {
    const ssize_t n = write(out_, whole.data() + done, whole.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

void Channel::mark(int64_t id) {
  JsonWriter w;
  std::string go;
  w.open_object().member("id", id).member("mark", true);
  if (!write_line(w.close_object().str()) || read_line(&go) != kLine) throw Failure("bad-command", "nobody looks at a mark");
}

namespace {

void write_functions(const Adapter &adapter, JsonWriter *w) {
  w->key("has").open_array();
  if (adapter.has_setup()) w->value("setup");
  if (adapter.has_teardown()) w->value("teardown");
  if (adapter.has_reference()) w->value("reference");
  if (adapter.has_work()) w->value("work");
  if (adapter.has_fill()) w->value("fill");
  if (adapter.has_written()) w->value("written");
  if (adapter.has_collect()) w->value("collect");
  w->close_array();
}

}  // namespace

std::string hello(const Session &session) {
  JsonWriter w;
  w.open_object().member("id", 0).member("ok", true).member("protocol", 1).member("abi", PG_ABI_VERSION);
  w.member("device", session.device()->name());
  session.device()->describe(&w);
  if (session.adapter()) write_functions(*session.adapter(), &w);
  return w.close_object().str();
}

std::string failure_reply(int64_t id, const Failure &f) {
  JsonWriter w;
  w.open_object().member("id", id).member("ok", false).key("error").open_object();
  w.member("code", f.code).member("message", f.message).raw(f.members).close_object();
  return w.close_object().str();
}

namespace {

// The reply to one command. Sets *quit.
std::string answer(Channel *channel, Session *session, const std::string &line, int64_t *id, bool *quit) {
  Json command;
  std::string why;
  if (!parse_json(line, &command, &why)) throw Failure("bad-command", "not JSON: " + why);
  if (command.kind != Json::kObject) throw Failure("bad-command", "not an object");
  Arguments args(command);
  *id = args.integer("id", 0, 1ll << 53);
  const std::string op = args.string("op");
  const bool ends = op == "reset" || op == "quit", loads = op == "load";
  if (!ends) session->device()->wake();
  if (!ends && !loads && op != "warm" && !session->adapter()) throw Failure("bad-command", "no adapter is loaded yet");
  JsonWriter reply;
  reply.open_object().member("id", *id).member("ok", true);
  if (op == "spec") {
    run_spec(*session, args, &reply);
  } else if (op == "warm") {
    run_warm(*session, args, &reply);
  } else if (op == "probe") {
    run_probe(*session, args, &reply);
  } else if (op == "time") {
    run_time(*session, args, [channel, id] { channel->mark(*id); }, &reply);
  } else if (op == "parity") {
    run_parity(*session, args, &reply);
  } else if (op == "imports") {
    args.finish();
    reply.key("python").raw(session->adapter()->interpreted() ? python_imports() : "null");
  } else if (op == "judge") {
    run_judge(*session, args, &reply);
  } else if (op == "profile") {
    run_profile(*session, args, &reply);
  } else if (loads) {
    const std::string path = args.string("adapter");
    args.finish();
    session->load(path);
    write_functions(*session->adapter(), &reply);
  } else if (ends) {
    args.finish();
    session->reset();
    *quit = op == "quit";
  } else {
    throw Failure("bad-command", "\"" + op + "\" is no operation");
  }
  return reply.close_object().str();
}

// A failure that took the device with it is the last word of this process.
std::string last_word(Session *session, int64_t id, const Failure &f, bool *quit) {
  session->distrust();
  if (session->device()->alive()) return failure_reply(id, f);
  *quit = true;
  return failure_reply(id, Failure("device-fault", f.message + "; the device is lost to this process", f.members));
}

// The reply to one command, whatever happens to it.
std::string guarded(Channel *channel, Session *session, const std::string &line, bool too_long, bool *quit) {
  int64_t id = 0;
  try {
    if (too_long) throw Failure("bad-command", "a line of more than " + std::to_string(kMaxLine) + " bytes");
    return answer(channel, session, line, &id, quit);
  } catch (const Failure &f) {
    return last_word(session, id, f, quit);
  } catch (const std::bad_alloc &) {
    session->distrust();
    return failure_reply(id, Failure("out-of-memory", "the harness itself ran out of memory"));
  } catch (const std::exception &e) {
    session->distrust();
    return failure_reply(id, Failure("internal", e.what()));
  }
}

}  // namespace

bool serve(Channel *channel, Session *session) {
  // Numbers are written and read with a point, whatever locale the adapter sets for the process.
  const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  for (;;) {
    std::string line;
    const Channel::Got got = channel->read_line(&line);
    if (got == Channel::kEnd) return false;
    if (plain) uselocale(plain);
    bool quit = false;
    if (!channel->write_line(guarded(channel, session, line, got == Channel::kTooLong, &quit))) return false;
    if (quit) return true;
  }
}

}  // namespace perfgate
