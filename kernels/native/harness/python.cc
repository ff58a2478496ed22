#include "python.h"

#include <math.h>
#include <link.h>
#include <string.h>
#include <time.h>

#include <map>
#include <memory>
#include <vector>

#include "commands.h"
#include "python_api.h"

namespace perfgate {

namespace {

const char *const kBridge = "perfgate._bridge";
const char *const kFunctions[] = {"bind", "chosen", "collect", "failure", "fill", "genuine", "imported", "load", "narrow_reference", "prepare",
                                  "record", "reference", "setup", "spec", "stored_reference", "teardown", "unhooked", "watched", "work", "written"};

Object g_bridge, g_describe;

// Functions of the bridge by name, taken before there is an adapter: what that puts in their places is not called.
std::map<std::string, Object> g_functions;
Object g_watched;                            // raises where one of perfgate's functions was replaced
Object g_collecting, g_collect, g_no_collect;  // gc.isenabled, gc.enable, gc.disable
Failure g_failure("", "");
bool g_raised = false;

Object text(const std::string &s) { return Object(g_python.text(s.data(), static_cast<ptrdiff_t>(s.size()), "replace")); }

std::string words(PyObject *o) {
  ptrdiff_t size = 0;
  const char *s = o ? g_python.utf8(o, &size) : nullptr;
  return s ? std::string(s, static_cast<size_t>(size)) : std::string();
}

Object tuple_of(std::vector<Object> items) {
  Object t(g_python.tuple(static_cast<ptrdiff_t>(items.size())));
  for (size_t i = 0; t && i < items.size(); i++) g_python.set_item(t.get(), static_cast<ptrdiff_t>(i), items[i].take());
  return t;
}

template <class... Arguments>
Object arguments(Arguments &&...objects) {
  std::vector<Object> items;
  int each[] = {(items.push_back(std::move(objects)), 0)...};
  (void)each;
  return tuple_of(std::move(items));
}

// Takes the exception that is set, and asks the package to say it: a code, or "", and words.
void describe(std::string *code, std::string *message) {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  g_python.fetch(&type, &value, &trace);
  g_python.normalize(&type, &value, &trace);
  if (value && trace) g_python.set_traceback(value, trace);
  Object t(type), v(value), tb(trace);
  *message = "an exception that cannot be told";
  if (!v || !g_describe) return;
  g_python.keep(v.get());
  Object told(g_python.call(g_describe.get(), arguments(Object(v.get())).get()));
  if (told && g_python.tuple_size(told.get()) == 2) {
    *code = words(g_python.item(told.get(), 0));
    *message = words(g_python.item(told.get(), 1));
  }
  g_python.clear();
}

// Keeps what a call failed with for the harness to take, which knows the code of a failure that has none of its own.
int failed() {
  g_failure = Failure("", "");
  describe(&g_failure.code, &g_failure.message);
  g_raised = true;
  return 1;
}

bool take_failure(const char *code, Failure *out) {
  if (!g_raised) return false;
  g_raised = false;
  *out = std::move(g_failure);
  if (out->code.empty()) out->code = code;
  return true;
}

Object function(const char *name) { return Object(g_python.attribute(g_bridge.get(), name)); }

// Calls a function of the bridge's module; nothing where it raised.
template <class... Arguments>
Object call(const char *name, Arguments &&...objects) {
  Object &f = g_functions[name];
  if (!f) f = function(name);
  Object a = arguments(std::forward<Arguments>(objects)...);
  return f && a ? Object(g_python.call(f.get(), a.get())) : Object();
}

// Whether nothing was replaced, and nothing is installed that runs when it is not called. False where the bridge has raised.
bool is_genuine() { return Object(g_python.call(g_watched.get(), nullptr)) && call("genuine"); }
bool is_unhooked() { return Object(g_python.call(g_watched.get(), nullptr)) && call("unhooked"); }

// While it lives no garbage is collected: what is thrown away in a launch may compute when it is collected, outside of the clock.
class WithoutCollection {
 public:
  WithoutCollection() : was_(g_python.truth(Object(g_python.call(g_collecting.get(), nullptr)).get()) == 1) { Object(g_python.call(g_no_collect.get(), nullptr)); }
  ~WithoutCollection() {
    if (was_) Object(g_python.call(g_collect.get(), nullptr));
  }
  WithoutCollection(const WithoutCollection &) = delete;
  WithoutCollection &operator=(const WithoutCollection &) = delete;

 private:
  bool was_;
};

PyObject *again(PyObject *o) {
  g_python.keep(o);
  return o;
}

Object kernel_of(const pg_case *c) { return text(c->kernel); }

Object params_of(const pg_case *c) {
  std::vector<Object> all;
  for (int i = 0; i < c->param_count; i++) {
    const pg_param_entry &p = c->params[i];
    all.push_back(arguments(text(p.name), text(p.text), Object(g_python.from_int(p.value))));
  }
  return tuple_of(std::move(all));
}

// How many tensors a case has, by its text: the harness asks for the specification of a case before all else.
std::map<std::string, size_t> g_tensors;

std::string name_of(const pg_case *c) {
  std::string name = c->kernel;
  for (int i = 0; i < c->param_count; i++) name += std::string("\n") + c->params[i].name + "=" + c->params[i].text;
  return name;
}

// Null stays 0.
template <class Pointer>
Object pointers_of(Pointer const *data, size_t count) {
  std::vector<Object> all;
  for (size_t i = 0; i < count; i++) all.push_back(Object(g_python.from_pointer(const_cast<void *>(static_cast<const void *>(data[i])))));
  return tuple_of(std::move(all));
}

Object stream_of(void *stream) { return Object(g_python.from_pointer(stream)); }

// One row of the specification: name, dtype, role, shape, dims, fill, flags, a, b, atol, rtol.
bool read_row(PyObject *row, pg_tensor *t) {
  if (g_python.tuple_size(row) != 11) return false;
  auto at = [&](ptrdiff_t i) { return g_python.item(row, i); };
  auto integer = [&](ptrdiff_t i) { return g_python.to_int(at(i)); };
  PyObject *shape = at(3);
  const ptrdiff_t rank = g_python.tuple_size(shape);
  if (rank < 0) return false;
  int64_t sizes[PG_MAX_RANK] = {};
  for (ptrdiff_t d = 0; d < rank && d < PG_MAX_RANK; d++) sizes[d] = g_python.to_int(g_python.item(shape, d));
  *t = pg_tensor_make(words(at(0)).c_str(), static_cast<int>(integer(1)), static_cast<int>(integer(2)), static_cast<int>(rank), sizes);
  *t = pg_dims_named(*t, words(at(4)).c_str());
  t->fill = static_cast<int32_t>(integer(5));
  t->flags = static_cast<uint32_t>(integer(6));
  t->a = g_python.to_double(at(7));
  t->b = g_python.to_double(at(8));
  t->atol = g_python.to_double(at(9));
  t->rtol = g_python.to_double(at(10));
  return !g_python.error();
}

int spec(const pg_case *c, pg_tensor *out, int cap) {
  Holding gil;
  const Object rows = call("spec", kernel_of(c), params_of(c));
  if (rows && rows.get() == g_python.none) return -1;
  const ptrdiff_t count = rows ? g_python.tuple_size(rows.get()) : -1;
  for (ptrdiff_t i = 0; i < count && i < cap; i++)
    if (!read_row(g_python.item(rows.get(), i), &out[i])) return failed(), 0;
  if (count < 0) return failed(), 0;
  g_tensors[name_of(c)] = static_cast<size_t>(count);
  return static_cast<int>(count);
}

int fill(const pg_case *c, const char *values, uint64_t seed, void *const *data) {
  Holding gil;
  Object draws(g_python.from_unsigned(seed));
  return call("fill", kernel_of(c), params_of(c), text(values), std::move(draws), pointers_of(data, g_tensors[name_of(c)])) ? 0 : failed();
}

int written(const pg_case *c, const void *const *data, uint8_t *const *elements) {
  Holding gil;
  const size_t count = g_tensors[name_of(c)];
  return call("written", kernel_of(c), params_of(c), pointers_of(data, count), pointers_of(elements, count)) ? 0 : failed();
}

// A case that was set up. A launch into a set of buffers is bound to them once, and costs one call from then on.
struct State {
  Object bound;
  size_t tensors = 0;
  struct Launch {
    std::vector<void *> pointers;
    Object call;
  };
  std::vector<Launch> launches;
  size_t next = 0;  // sets are launched in turn

  Launch *find(void *const *data) {
    for (size_t i = 0; i < launches.size(); i++) {
      Launch &l = launches[(next + i) % launches.size()];
      if (memcmp(l.pointers.data(), data, l.pointers.size() * sizeof(void *)) != 0) continue;
      next = (next + i + 1) % launches.size();
      return &l;
    }
    return nullptr;
  }
};

int setup(const pg_case *c, void *const *data, void *stream, void **state) {
  Holding gil;
  const size_t tensors = g_tensors[name_of(c)];
  Object bound = call("setup", kernel_of(c), params_of(c), pointers_of(data, tensors), stream_of(stream));
  if (!bound) return failed();
  State *s = new State;
  s->bound = std::move(bound);
  s->tensors = tensors;
  *state = s;
  return 0;
}

int launch(const pg_case *, void *const *data, void *stream, void *state) {
  Holding gil;
  State *s = static_cast<State *>(state);
  State::Launch *l = s->find(data);
  if (!l) {
    Object bound = call("bind", Object(again(s->bound.get())), pointers_of(data, s->tensors), stream_of(stream));
    if (!bound) return failed();
    s->launches.push_back({std::vector<void *>(data, data + s->tensors), std::move(bound)});
    l = &s->launches.back();
  }
  return Object(g_python.call(l->call.get(), nullptr)) ? 0 : failed();
}

int collect(const pg_case *, void *const *data, void *stream, void *state) {
  Holding gil;
  const WithoutCollection until_collected;
  State *s = static_cast<State *>(state);
  if (!is_unhooked()) return failed();
  return call("collect", Object(again(s->bound.get())), pointers_of(data, s->tensors), stream_of(stream)) ? 0 : failed();
}

int record(void *stream, void *state, bool begin) {
  Holding gil;
  State *s = static_cast<State *>(state);
  return call("record", Object(again(s->bound.get())), stream_of(stream), Object(g_python.from_int(begin))) ? 0 : failed();
}

int record_begin(const pg_case *, void *stream, void *state) { return record(stream, state, true); }

int record_end(const pg_case *, void *stream, void *state) { return record(stream, state, false); }

void teardown(void *state) {
  Holding gil;
  const std::unique_ptr<State> s(static_cast<State *>(state));
  s->launches.clear();
  if (!call("teardown", Object(again(s->bound.get())))) failed();
}

int asked(const char *function, const pg_case *c, double *const *data, void *stream) {
  Holding gil;
  const Object pointers = pointers_of(data, g_tensors[name_of(c)]);
  if (!is_genuine() || !is_unhooked()) return failed();
  const Object done = call(function, kernel_of(c), params_of(c), Object(again(pointers.get())), stream_of(stream));
  if (!done) return failed();
  return g_python.truth(done.get()) == 1 ? 0 : -1;
}

int reference(const pg_case *c, double *const *data, void *stream) { return asked("reference", c, data, stream); }

int narrow_reference(const pg_case *c, double *const *data, void *stream) { return asked("narrow_reference", c, data, stream); }

int stored_reference(const pg_case *c, double *const *data, void *stream, double unit) {
  Holding gil;
  const Object pointers = pointers_of(data, g_tensors[name_of(c)]);
  if (!is_genuine() || !is_unhooked()) return failed();
  const Object done = call("stored_reference", kernel_of(c), params_of(c), Object(again(pointers.get())), stream_of(stream), Object(g_python.from_int(-ilogb(unit))));
  if (!done) return failed();
  return g_python.truth(done.get()) == 1 ? 0 : -1;
}

void work(const pg_case *c, double *flops, double *bytes) {
  Holding gil;
  const Object counts = call("work", kernel_of(c), params_of(c));
  if (!counts || g_python.tuple_size(counts.get()) != 2) return void(failed());
  *flops = g_python.to_double(g_python.item(counts.get(), 0));
  *bytes = g_python.to_double(g_python.item(counts.get(), 1));
  if (g_python.error()) failed();
}

std::string chosen() {
  Holding gil;
  const Object told = call("chosen");
  if (!told) g_python.clear();  // what cannot be told is not told
  return words(told.get());
}

// Whether a library is loaded whose idle threads spin for a while: a runtime of OpenMP, or a BLAS. Extension modules bring their own.
bool pool_loaded() {
  auto look = [](dl_phdr_info *info, size_t, void *) -> int {
    const char *name = info->dlpi_name ? info->dlpi_name : "";
    for (const char *pool : {"libgomp", "libiomp", "libomp", "openblas", "libmkl", "libblis"})
      if (strstr(name, pool)) return 1;
    return 0;
  };
  return dl_iterate_phdr(look, nullptr) != 0;
}

// Threads that an import started, such as those of a BLAS, spin before they sleep. What they burn must not look like work for a launch.
void wait_for_idle_threads() {
  const timespec nap = {0, 10000000};
  const double kIdle = 0.2e6;
  const int kNaps = 100;
  int idle = 0;
  for (int i = 0; i < kNaps && idle < 2; i++) {
    const double before = process_ns();
    nanosleep(&nap, nullptr);
    idle = process_ns() - before < kIdle ? idle + 1 : 0;
  }
}

}  // namespace

namespace {

void find_interpreter(const PythonAdapter &adapter) {
  std::string missing;
  if (g_python.find(&missing)) return;
  throw Failure("adapter-load", adapter.shown + " is written in Python, and no interpreter is around the harness (" + missing + " is missing)");
}

void open_bridge() {
  if (g_describe) return;
  g_bridge = Object(g_python.import(kBridge));
  if (!g_bridge) return;
  for (const char *name : kFunctions) g_functions[name] = function(name);
  const Object gc(g_python.import("gc"));
  g_collecting = Object(g_python.attribute(gc.get(), "isenabled"));
  g_collect = Object(g_python.attribute(gc.get(), "enable"));
  g_no_collect = Object(g_python.attribute(gc.get(), "disable"));
  g_watched = call("watched");
  if (g_watched) g_describe = function("failure");
}

[[noreturn]] void loading_failed() {
  failed();
  Failure f("", "");
  take_failure("adapter-load", &f);
  throw f;
}

}  // namespace

void prepare_python(const PythonAdapter &adapter) {
  find_interpreter(adapter);
  Holding gil;
  open_bridge();
  if (!g_describe || !call("prepare", text(adapter.before))) loading_failed();
}

AdapterFunctions load_python(const PythonAdapter &adapter, const char *device) {
  find_interpreter(adapter);
  Holding gil;
  open_bridge();
  Object has;
  if (g_describe) has = call("load", text(adapter.file), text(adapter.shown), text(adapter.tree), text(adapter.root), text(adapter.checkouts), text(adapter.pins), text(device), text(adapter.before));
  const ptrdiff_t count = has && is_genuine() ? g_python.tuple_size(has.get()) : -1;
  if (count < 0) loading_failed();
  wait_for_idle_threads();
  AdapterFunctions f;
  for (ptrdiff_t i = 0; i < count; i++) {
    const std::string name = words(g_python.item(has.get(), i));
    if (name == "fill") f.fill = fill;
    if (name == "fills_in_place") f.fills_in_place = true;
    if (name == "written") f.written = written;
    if (name == "reference") f.reference = reference, f.narrow_reference = narrow_reference, f.stored_reference = stored_reference;
    if (name == "work") f.work = work;
  }
  f.spec = spec;
  f.setup = setup;
  f.launch = launch;
  f.collect = collect;
  f.record_begin = record_begin;
  f.record_end = record_end;
  f.teardown = teardown;
  f.take_failure = take_failure;
  f.chosen = chosen;
  f.spins = pool_loaded();
  f.interpreted = true;
  return f;
}

std::string python_imports() {
  if (!g_bridge) return "";
  Holding gil;
  const Object told = call("imported");
  if (told) return words(told.get());
  failed();
  g_raised = false;
  throw Failure("adapter-load", g_failure.message);
}

}  // namespace perfgate
