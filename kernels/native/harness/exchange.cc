#include "exchange.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "failure.h"

namespace perfgate {

namespace {

const int64_t kPiece = 1 << 16;        // elements moved between a file and the device at a time
const size_t kPieceBytes = 512 << 10;  // likewise, where they are bytes

struct File {
  explicit File(FILE *opened) : f(opened) {}
  ~File() {
    if (f) fclose(f);
  }
  FILE *f;
};

}  // namespace

void dump(Session &s, const Set &set, const std::string &path) {
  File file(fopen(path.c_str(), "wbe"));
  bool ok = file.f != nullptr;
  const Expected all = widen_outputs(s, set);
  std::vector<double> piece(static_cast<size_t>(kPiece));
  for (const auto &d : all) {
    for (int64_t at = 0; ok && d && at < d->count(); at += kPiece) {
      const size_t n = static_cast<size_t>(std::min(kPiece, d->count() - at));
      s.device()->to_host(piece.data(), d->data() + at, n * sizeof(double));
      ok = fwrite(piece.data(), sizeof(double), n, file.f) == n;
    }
  }
  if (ok) ok = fflush(file.f) == 0;
  if (!ok) throw Failure("internal", "cannot write outputs to \"" + path + "\"");
}

Expected load_dump(Session &s, const std::string &path) {
  File file(fopen(path.c_str(), "rbe"));
  if (!file.f) throw Failure("bad-command", "cannot read expected outputs from \"" + path + "\"");
  const Spec &spec = s.spec();
  Expected all(spec.tensors.size());
  std::vector<double> piece(static_cast<size_t>(kPiece));
  bool ok = true;
  for (size_t i = 0; i < spec.tensors.size(); i++) {
    const TensorSpec &t = spec.tensors[i];
    if (!t.output()) continue;
    all[i].reset(new Doubles(s.device(), t.count));
    for (int64_t at = 0; ok && at < t.count; at += kPiece) {
      const size_t n = static_cast<size_t>(std::min(kPiece, t.count - at));
      ok = fread(piece.data(), sizeof(double), n, file.f) == n;
      s.device()->from_host(all[i]->data() + at, piece.data(), n * sizeof(double));
    }
  }
  if (!ok || fgetc(file.f) != EOF) {
    throw Failure("bad-command", "\"" + path + "\" does not hold the outputs of " + s.current().text());
  }
  return all;
}

Delivery::Delivery(Session *s, const std::string &path) : s_(s), path_(path) {
  if (path.empty()) return;
  file_ = fopen(path.c_str(), "wbe");
  if (!file_) throw Failure("internal", "cannot write outputs to \"" + path + "\": " + strerror(errno));
}

Delivery::~Delivery() {
  if (file_) fclose(file_);
}

void Delivery::add(const Set &set) {
  launches_++;
  if (!file_) return;
  std::vector<char> piece(kPieceBytes);
  const Spec &spec = s_->spec();
  for (size_t i = 0; i < spec.tensors.size(); i++) {
    const TensorSpec &t = spec.tensors[i];
    if (!t.output()) continue;
    for (size_t at = 0; at < t.bytes; at += kPieceBytes) {
      const size_t n = std::min(kPieceBytes, t.bytes - at);
      s_->device()->to_host(piece.data(), static_cast<const char *>(set.tensor(i)) + at, n);
      if (fwrite(piece.data(), 1, n, file_) != n) throw Failure("internal", "cannot write outputs to \"" + path_ + "\": " + strerror(errno));
    }
  }
}

void Delivery::finish() {
  if (file_ && fflush(file_) != 0) throw Failure("internal", "cannot write outputs to \"" + path_ + "\": " + strerror(errno));
}

namespace {

struct Descriptor {
  explicit Descriptor(int opened) : fd(opened) {}
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
  int fd;
};

bool read_all(int fd, char *to, size_t bytes) {
  while (bytes > 0) {
    const ssize_t n = read(fd, to, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n;
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

}  // namespace

void receive(Session &s, const std::string &path, const std::vector<Set *> &sets) {
  auto bad = [&](const std::string &what) {
    return Failure("bad-delivery", "the outputs of " + s.current().text() + " were not handed over: " + what);
  };
  const Spec &spec = s.spec();
  size_t expected = 0;
  for (const TensorSpec &t : spec.tensors) expected += t.output() ? t.bytes * sets.size() : 0;
  // A pipe in its place must not block.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info;
  if (file.fd < 0 || fstat(file.fd, &info) != 0) throw bad(strerror(errno));
  if (!S_ISREG(info.st_mode) || info.st_nlink != 1) throw bad("it is no plain file with one name");
  if (static_cast<size_t>(info.st_size) != expected) {
    throw bad(std::to_string(info.st_size) + " bytes in place of " + std::to_string(expected));
  }
  std::vector<char> piece(kPieceBytes);
  for (Set *set : sets) {
    for (size_t i = 0; i < spec.tensors.size(); i++) {
      const TensorSpec &t = spec.tensors[i];
      for (size_t at = 0; t.output() && at < t.bytes; at += kPieceBytes) {
        const size_t n = std::min(kPieceBytes, t.bytes - at);
        if (!read_all(file.fd, piece.data(), n)) throw bad("the file ends early");
        s.device()->from_host(static_cast<char *>(set->tensor(i)) + at, piece.data(), n);
      }
    }
  }
}

}  // namespace perfgate
