#include <algorithm>

#include "commands.h"
#include "failure.h"
#include "oracle.h"

namespace perfgate {

namespace {

const int64_t kHostPiece = 1 << 16;  // elements handled on the host at a time

// Whether `name` is one of the words of `list`, which commas join.
bool listed(const std::string &list, const std::string &name) {
  return ("," + list + ",").find("," + name + ",") != std::string::npos;
}

// Doubles floating elements; exact, unless they overflow or are integers.
void double_elements(Session &s, void *p, const TensorSpec &t) {
  with_dtype(t.raw.dtype, [&](auto kind) {
    using T = decltype(kind);
    using Word = typename T::Word;
    std::vector<Word> piece(static_cast<size_t>(kHostPiece));
    for (int64_t at = 0; at < t.count; at += kHostPiece) {
      const int64_t n = std::min(kHostPiece, t.count - at);
      s.device()->to_host(piece.data(), static_cast<Word *>(p) + at, static_cast<size_t>(n) * sizeof(Word));
      for (int64_t i = 0; i < n; i++) piece[static_cast<size_t>(i)] = T::put(2 * T::get(piece[static_cast<size_t>(i)]));
      s.device()->from_host(static_cast<Word *>(p) + at, piece.data(), static_cast<size_t>(n) * sizeof(Word));
    }
    return F32();
  });
}

// Moves the first slice of dimension 0 behind the last.
void roll(Device *device, void *to, const void *from, const TensorSpec &t, size_t bytes) {
  const size_t slice = bytes / static_cast<size_t>(std::max<int64_t>(t.raw.shape[0], 1));
  device->copy(to, static_cast<const char *>(from) + slice, bytes - slice);
  device->copy(static_cast<char *>(to) + (bytes - slice), from, slice);
}

// What the relation makes of an input, in `to`, out of the same input in `from`.
void relate_input(Session &s, const Relation &r, const TensorSpec &t, const void *from, void *to) {
  if (!t.input() || (r.kind == "scale" ? dtype_is_integer(t.raw.dtype) : t.raw.rank == 0)) {
    throw Failure("bad-command", "relation " + r.kind + " does not fit tensor \"" + t.name + "\"");
  }
  if (r.kind == "scale") return double_elements(s, to, t);
  roll(s.device(), to, from, t, t.bytes);
}

}  // namespace

Relation read_relation(Arguments &args) {
  Relation r;
  r.kind = args.string("relation", "");
  r.tensors = args.string("tensors", "");
  if (!r.kind.empty() && r.kind != "scale" && r.kind != "permute-batch") {
    throw Failure("bad-command", "\"relation\" is neither scale nor permute-batch");
  }
  return r;
}

void relate_inputs(Session &s, const Relation &r, const Set &set, Set *fresh) {
  const Spec &spec = s.spec();
  int64_t found = 0;
  for (size_t i = 0; i < spec.tensors.size(); i++) {
    if (!listed(r.tensors, spec.tensors[i].name)) continue;
    // Of an inout tensor what it held before the launch; what it holds after it is an output.
    relate_input(s, r, spec.tensors[i], set.input(i), const_cast<void *>(fresh->input(i)));
    found++;
  }
  fresh->inputs_changed();
  if (found != 1 + std::count(r.tensors.begin(), r.tensors.end(), ',')) {
    throw Failure("bad-command", "relation " + r.kind + " names a tensor that " + s.current().text() + " does not have");
  }
}

Expected related_outputs(Session &s, const Set &set, const Relation &r) {
  const Spec &spec = s.spec();
  Expected out = widen_outputs(s, set);
  for (size_t i = 0; i < spec.tensors.size(); i++) {
    const TensorSpec &t = spec.tensors[i];
    if (!t.output()) continue;
    if (r.kind == "permute-batch" && t.raw.rank > 0) {
      std::unique_ptr<Doubles> moved(new Doubles(s.device(), t.count));
      roll(s.device(), moved->data(), out[i]->data(), t, static_cast<size_t>(t.count) * sizeof(double));
      out[i] = std::move(moved);
    } else if (r.kind == "scale") {
      TensorSpec wide = t;
      wide.raw.dtype = PG_F64;
      double_elements(s, out[i]->data(), wide);
    }
  }
  return out;
}

}  // namespace perfgate
