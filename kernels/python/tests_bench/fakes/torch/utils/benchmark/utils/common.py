import contextlib
import dataclasses


@dataclasses.dataclass
class TaskSpec:
    stmt: str
    setup: str
    label: str = None
    sub_label: str = None
    description: str = None
    num_threads: int = 1


@dataclasses.dataclass
class Measurement:
    number_per_run: int
    raw_times: list
    task_spec: TaskSpec

    @property
    def median(self):
        return sorted(self.raw_times)[len(self.raw_times) // 2] / self.number_per_run


@contextlib.contextmanager
def set_torch_threads(n):
    yield
