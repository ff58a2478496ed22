import timeit

from . import common


class CPPTimer:
    def timeit(self, number):
        return 5.0 * number


class Timer:
    def __init__(self, stmt="pass", setup="pass", global_setup=None, timer=timeit.default_timer, globals=None, label=None, sub_label=None,
                 description=None, env=None, num_threads=1, language="python"):
        self._globals = dict(globals or {})
        self._timer = timeit.Timer(stmt, setup, timer, self._globals) if language == "python" else CPPTimer()
        self._task_spec = common.TaskSpec(stmt, setup, label, sub_label, description, num_threads)

    def timeit(self, number=1000000):
        return common.Measurement(number, [self._timer.timeit(number)], self._task_spec)

    def blocked_autorange(self, callback=None, min_run_time=0.2):
        return common.Measurement(1, [77.0], self._task_spec)

    def adaptive_autorange(self, threshold=0.1, *, min_run_time=0.01, max_run_time=10.0, callback=None):
        return common.Measurement(1, [77.0], self._task_spec)
