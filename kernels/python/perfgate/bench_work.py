"""What a script wants timed, as something that can be launched any number of times."""

import itertools


class Calls:
    """A function, called again and again. Gradients of ``grads`` (tensors, or None) are dropped before each call, as do_bench does."""

    def __init__(self, fn, grads=None):
        self._fn, self._grads = fn, grads

    def prepare(self):
        """Untimed, before a sample."""
        for x in self._grads or ():
            x.grad = None

    def run(self, launches):
        fn = self._fn
        if self._grads is None:
            for _ in range(launches):
                fn()
            return
        for _ in range(launches):
            self.prepare()
            fn()

    def timed(self, launches, clock):
        """What ``launches`` calls take by a clock."""
        start = clock()
        self.run(launches)
        return clock() - start


class Statement:
    """The statement of a torch.utils.benchmark.Timer."""

    def __init__(self, timer):
        self._timer, self._spec, self._globals = timer._timer, timer._task_spec, timer._globals
        self._scope, self._code = None, None

    def prepare(self):
        pass

    def run(self, launches):
        """Runs the statement. What its setup made is kept as long as this object: a recorded graph refers to it."""
        if self._scope is None:
            self._scope = dict(self._globals)
            exec(compile(self._spec.setup, "<setup>", "exec"), self._scope)
            self._code = compile(self._spec.stmt, "<stmt>", "exec")
        code, scope = self._code, self._scope
        for _ in range(launches):
            exec(code, scope)

    def timed(self, launches, clock):
        """By the loop that timeit compiled, in which the statement's names are local. Its setup runs before the clock starts."""
        return self._timer.inner(itertools.repeat(None, launches), clock)
