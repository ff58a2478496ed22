"""What the harness calls, by kernels/native/harness/python.cc: plain numbers and words come in, the adapter's functions run.

``params`` are rows (name, text, value), ``pointers`` the addresses of the tensors in the order of the specification (0 where there is none),
``stream`` that of the cudaStream_t, 0 on a CPU. What is raised here is told by failure().
"""

from __future__ import annotations

import functools
import importlib.util
import inspect
import linecache
import os
import sys
import traceback
import types
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import _ahead, _autotune, _constants, _editable, _entries, _errors, _imports, _own, _patched, _views
from ._case import Case
from ._dtypes import CODES
from ._tensors import Row, Tensors, rows

Params = Tuple[Tuple[str, str, int], ...]
Pointers = Tuple[int, ...]

IN, OUT, INOUT, SCRATCH = 1, 2, 3, 4
F64, U8 = 1, 10
CUSTOM = 5
FUNCTIONS = tuple(_entries.SIGNATURES)  # of an adapter; the first two must be there
SAYING = ("tensors", "fill", "written", "reference", "work")  # those of them that are not under test

TREE = ""  # folder of the side that modules are imported from
ROOT = ""  # folder around it that belongs to the side
SHOWN = ""  # the adapter, as people call it
_device = "cpu"
_adapter: types.ModuleType
_said: Dict[str, Any] = {}  # functions of the adapter that say what is right, and the modules that it knows, as they were when it was loaded
_views_of: Any = None
_host_views_of: Any = None  # for fill and written
_filled_views_of: Any = None  # for a fill in place
_loading = False


def prepare(before: str) -> None:
    """Imports installed packages, with blanks between their names, before there is an adapter."""
    _ahead.prepare(before.split())
    _patched.look_ahead()


def load(adapter: str, shown: str, tree: str, root: str, checkouts: str, pins: str, device: str, before: str) -> Tuple[str, ...]:
    """Imports the adapter at ``adapter`` as if it lay at ``shown`` in ``tree``. The names of what it defines.

    ``root`` is the side's folder around ``tree``, ``checkouts`` others of the same repository, one a line. ``pins`` has a line
    ``softmax_kernel: BLOCK=64, num_warps=4`` for each autotuner that does not choose.
    ``before`` names installed packages to import first, with blanks between them.
    """
    global TREE, ROOT, SHOWN, _device, _adapter, _loading
    TREE, ROOT, SHOWN, _device, _loading = os.path.realpath(tree), os.path.realpath(root or tree), shown, device, True
    _autotune.pins(pins)
    _editable.redirect(ROOT, checkouts.splitlines())
    _constants.take()
    _ahead.prepare(before.split())
    _patched.remember()
    sys.path[1:1] = [p for p in (os.path.join(TREE, os.path.dirname(shown)), TREE, os.path.join(TREE, "src")) if os.path.isdir(p)]
    with open(adapter, "rb") as f:
        content = f.read()
    _adapter = types.ModuleType("perfgate_adapter")
    _adapter.__file__ = os.path.join(TREE, shown)
    sys.modules[_adapter.__name__] = _adapter
    source = text_of(content)
    # Tracebacks and triton.jit read source by the name that the code was compiled with.
    linecache.cache[_adapter.__file__] = (len(content), None, source.splitlines(True), _adapter.__file__)
    exec(compile(source, _adapter.__file__, "exec"), _adapter.__dict__)
    _constants.check()
    for name in ("tensors", "launch"):
        if not callable(getattr(_adapter, name, None)):
            raise _errors.AdapterError(f"{shown} defines no function {name}; an adapter needs tensors(case) and launch(case, t)")
    for name in FUNCTIONS:
        if not runs_when_called(getattr(_adapter, name, None)):
            raise _errors.AdapterError(f"{name} of {shown} is a coroutine or a generator, which does nothing when it is called: make it a plain function")
    _entries.check(vars(_adapter), source, shown)
    _views.check(device, vars(_adapter))
    _said.update({name: value for name, value in vars(_adapter).items() if name in SAYING or isinstance(value, types.ModuleType)})
    _loading = False
    return tuple(name for name in FUNCTIONS[2:] if callable(getattr(_adapter, name, None))) + (("fills_in_place",) if fills_in_place() else ())


def runs_when_called(function: Any) -> bool:
    return not (inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function))


def text_of(content: bytes) -> str:
    """The adapter's source, in the encoding that it names (PEP 263), else UTF-8."""
    try:
        source = importlib.util.decode_source(content)
    except UnicodeDecodeError as wrong:
        raise _errors.AdapterError(f"{SHOWN} is not in UTF-8, and names no other encoding: {wrong}") from wrong
    if "\0" in source:
        raise _errors.AdapterError(f"{SHOWN} is no text: it holds a null byte")
    return source


def views() -> Any:
    global _views_of
    if _views_of is None:
        _views_of = _views.choose(_device, vars(_adapter))
        _views_of.start()
    return _views_of


def host_views() -> Any:
    global _host_views_of
    if _host_views_of is None:
        _host_views_of = _views.of_host(views())
    return _host_views_of


def filled_views() -> Any:
    """Views of their own: those of launches stay known to be in use."""
    global _filled_views_of
    if not fills_in_place():
        return host_views()
    if _filled_views_of is None:
        views()
        _filled_views_of = _views.choose(_device, vars(_adapter))
    return _filled_views_of


def fills_in_place() -> bool:
    """Whether fill is given the tensors where they lie, rather than copies on the host. On a GPU it could be, and has not been tried."""
    return _device == "cpu" and getattr(_adapter, "fills_in_place", None) is True


def watched() -> Callable[[], None]:
    """What raises where a function of ours was replaced: for the harness, which asks it before anything that is looked up here."""
    return _own.watched()


def genuine() -> None:
    """Raises where the adapter has put functions of its own in the place of a library's, or in its own place."""
    place = _patched.replaced(SHOWN)
    if place:
        raise _errors.AdapterError(place)
    for name, value in _said.items():
        if vars(_adapter).get(name) is not value:
            raise _errors.AdapterError(f"{name} of {SHOWN} was replaced after the adapter was loaded: what says what is right has to stay as it was")


def unhooked() -> None:
    """Raises where code of the adapter would run between a launch and its check, when nothing of it is called."""
    hook = _patched.hooks(SHOWN)
    if hook:
        raise _errors.AdapterError(hook)


def _defined(name: str) -> Optional[Callable[..., Any]]:
    found = _said.get(name) if name in SAYING else getattr(_adapter, name, None)
    return found if callable(found) else None


# What tensors() said of each case. It is asked once: buffers were made by its first answer.
_described: Dict[str, Optional[List[Row]]] = {}


def _rows(case: Case) -> Optional[List[Row]]:
    name = str(case)
    if name not in _described:
        described = _adapter.tensors(case)
        _described[name] = None if described is None else rows(described)
        for row in _described[name] or []:
            if row.fill == CUSTOM and _defined("fill") is None:
                raise _errors.AdapterError(f"{row.name} has fill=pg.custom, and {SHOWN} defines no function fill(case, values, seed, t)")
    return _described[name]


def _case(kernel: str, params: Params, stream: int = 0) -> Case:
    return Case(kernel, params, _device, stream)


def spec(kernel: str, params: Params) -> Optional[Tuple[Row, ...]]:
    """The tensors of a case; None: it is not supported."""
    found = _rows(_case(kernel, params))
    return None if found is None else tuple(found)


def _viewed(views_of: Any, described: List[Row], pointers: Pointers) -> Tensors:
    """Tensors, None where there is none."""
    return Tensors({r.name: views_of.view(p, r.shape, r.dtype, r.name) if p else None for r, p in zip(described, pointers)}, None)


def _released(views_of: Any) -> None:
    held = views_of.release()
    if held:
        raise _errors.AdapterError(held)


def fill(kernel: str, params: Params, values: str, seed: int, pointers: Pointers) -> None:
    """Makes the inputs that no fill describes."""
    case = _case(kernel, params)
    _adapter.fill(case, values, seed, _viewed(filled_views(), _rows(case) or [], pointers))
    _released(filled_views())


def written(kernel: str, params: Params, inputs: Pointers, elements: Pointers) -> None:
    """Which elements of the outputs a launch writes: a byte for each, all WRITTEN at first."""
    case = _case(kernel, params)
    described = _rows(case) or []
    said = _adapter.written(case, _viewed(host_views(), described, inputs))
    if not isinstance(said, dict):
        raise _errors.AdapterError(f"written(case, t) returns a dict of masks by the names of outputs, not {type(said).__name__}")
    outputs = {r.name: host_views().view(p, r.shape, U8) for r, p in zip(described, elements) if r.role in (OUT, INOUT)}
    for name, mask in host_views().outputs(list(outputs), said):
        host_views().mark(name, outputs[name], mask)
    outputs.clear()
    _released(host_views())


class Bound:
    """A case that was set up, and its launches into sets of buffers."""

    def __init__(self, kernel: str, params: Params, stream: int) -> None:
        self.case = _case(kernel, params, stream)
        self.rows = _rows(self.case) or []
        self.outputs = [r.name for r in self.rows if r.role in (OUT, INOUT)]
        self.state: Any = None
        self.launches: Dict[Pointers, Launch] = {}

    def tensors(self, pointers: Pointers) -> Tensors:
        view = views().view
        return Tensors({r.name: view(p, r.shape, r.dtype, r.name) for r, p in zip(self.rows, pointers)}, self.state)

    def launch(self, pointers: Pointers) -> Launch:
        found = self.launches.get(pointers)
        if found is None:
            found = self.launches[pointers] = Launch(self, pointers)
        return found


class Launch:
    """One launch into one set of buffers. What it returned is kept until the next one, or the end of the case."""

    __slots__ = ("_launch", "case", "tensors", "returned")

    def __init__(self, bound: Bound, pointers: Pointers) -> None:
        self._launch = _adapter.launch
        self.case = bound.case
        self.tensors = bound.tensors(pointers)
        self.returned: Any = None

    def __call__(self) -> None:
        self.returned = self._launch(self.case, self.tensors)


def setup(kernel: str, params: Params, pointers: Pointers, stream: int) -> Bound:
    views().use_stream(stream)
    bound = Bound(kernel, params, stream)
    _autotune.forget()
    _autotune.apply()
    prepare = _defined("setup")
    if prepare:
        bound.state = prepare(bound.case, bound.tensors(pointers))
    return bound


def bind(bound: Bound, pointers: Pointers, stream: int) -> Launch:
    """A callable that launches into these buffers."""
    views().use_stream(stream)
    bound.case.stream = stream
    _autotune.apply()
    return bound.launch(pointers)


def collect(bound: Bound, pointers: Pointers, stream: int) -> None:
    """Copies what the latest launch into these buffers returned into the outputs."""
    _autotune.all_applied()
    launch = bound.launches.get(pointers)
    if launch is None or launch.returned is None:
        return
    views().use_stream(stream)
    taken = []
    for name, value in views().outputs(bound.outputs, launch.returned):
        view = launch.tensors[name]
        if not views().is_view(view, value):
            views().store(name, view, value)
            taken.append(value)
    for value in taken:
        views().spoil(value)


def record(bound: Bound, stream: int, begin: int) -> None:
    if begin:
        views().begin_recording()
    else:
        views().end_recording()


def reference(kernel: str, params: Params, pointers: Pointers, stream: int) -> bool:
    """The oracle: float64 tensors in, outputs written or returned. False: it has none for this case."""
    oracle = _defined("reference")
    if oracle is None:
        return False
    case, described, wide = _asked(kernel, params, pointers, stream)
    tensors = Tensors(wide)
    returned = oracle(case, tensors)
    if returned is NotImplemented:
        return False
    if returned is not None:
        names = [r.name for r in described if r.role in (OUT, INOUT)]
        for name, value in views().outputs(names, returned):
            if not views().is_view(tensors[name], value):
                views().store(name, tensors[name], value, exact=True)
    return True


def narrow_reference(kernel: str, params: Params, pointers: Pointers, stream: int) -> bool:
    """The same computed in float32: floating tensors are copies of that type. False: it does not take such tensors."""
    return _rounded(kernel, params, pointers, stream, views().single, views().rounding_f32)


def stored_reference(kernel: str, params: Params, pointers: Pointers, stream: int, bits: int) -> bool:
    """The same in float64, with intermediates that are kept in ``bits`` bits of precision. False: nothing is known of them."""
    return _rounded(kernel, params, pointers, stream, lambda value: value, functools.partial(views().rounding_stored, bits=bits))


def _rounded(kernel: str, params: Params, pointers: Pointers, stream: int, copied: Callable[[Any], Any], rounding: Callable[[List[Any], List[Any]], Any]) -> bool:
    """What the oracle says of copies of its floating tensors within ``rounding(floating ones, whole ones)``, which is None where there is no such thing."""
    oracle = _defined("reference")
    if oracle is None:
        return False
    case, described, wide = _asked(kernel, params, pointers, stream)
    outputs = [r.name for r in described if r.role in (OUT, INOUT)]
    try:
        given = [r for r in described if wide[r.name] is not None]
        floats = {r.name: copied(wide[r.name]) for r in given if CODES[r.dtype].floating}
        whole = {r.name: wide[r.name] for r in given if not CODES[r.dtype].floating}
        copies = {**wide, **floats}
        mode = rounding(list(floats.values()), list(whole.values()))
        if mode is None:
            return False
        with mode:
            returned = oracle(case, Tensors(copies))
        if returned is NotImplemented:
            return False
        answers = {name: copies[name] for name in outputs}
        answers.update(views().outputs(outputs, returned))
        for name, value in answers.items():
            if views().shape(value) != views().shape(wide[name]):
                return False
            if not views().is_view(wide[name], value):
                views().copy(wide[name], value)
    except Exception:  # it is written for float64, which is all that is asked of it
        return False
    return True


def _asked(kernel: str, params: Params, pointers: Pointers, stream: int) -> Tuple[Case, List[Row], Dict[str, Any]]:
    """A case, its tensors as they are described, and as the oracle gets them."""
    views().use_stream(stream)
    case = _case(kernel, params, stream)
    described = _rows(case) or []
    view = views().view
    return case, described, {r.name: view(p, r.shape, F64, r.name) if p else None for r, p in zip(described, pointers)}


def work(kernel: str, params: Params) -> Tuple[float, float]:
    """Operations and bytes of a case."""
    flops, moved = _adapter.work(_case(kernel, params))
    return float(flops), float(moved)


def teardown(bound: Bound) -> None:
    state = bound.state
    bound.launches.clear()
    bound.state = None
    end = _defined("teardown")
    if end:
        end(state)
    del state
    held = views().release()
    if held:
        raise _errors.AdapterError(held)


def chosen() -> str:
    """What autotuners chose for the case at hand, "" where they had nothing to choose."""
    return _autotune.chosen()


def imported() -> str:
    return _imports.report(TREE, ROOT, SHOWN)


def failure(raised: BaseException) -> Tuple[str, str]:
    """The code of the harness, "" where that of the called function is right, and what people read."""
    return _errors.code(raised) or _blamed(raised), _errors.describe(raised, SHOWN)


def _blamed(raised: BaseException) -> str:
    """Whose fault it is that the adapter cannot be loaded: "sources-load" where code of the tree beside it raised."""
    if not _loading:
        return ""
    files = [frame.filename for frame in traceback.extract_tb(raised.__traceback__) if _imports.within(frame.filename, ROOT)]
    if isinstance(raised, SyntaxError) and raised.filename:
        files.append(raised.filename)
    own = bool(files) and (files[-1] == _adapter.__file__ or _imports.of_problem(files[-1]))
    return "sources-load" if files and not own else ""
