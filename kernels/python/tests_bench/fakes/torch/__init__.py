"""Stands for torch: a GPU of one multiprocessor whose time is a number. Signatures are those of torch 2.11."""

from . import cuda

uint8, float32 = "torch.uint8", "torch.float32"


class Tensor:
    """On the GPU; an operation in place is a kernel of ``ns``."""

    def __init__(self, ns):
        self.ns = ns

    def fill_(self, value):
        cuda.launch(self.ns, touches=True)
        return self

    def sin_(self):
        cuda.launch(self.ns)
        return self

    def add_(self, value):
        cuda.launch(1000)
        return self

    def __getitem__(self, part):
        return Tensor(1000 + part.stop // 16)  # steps of 32 ns for every 512 elements


def empty(count, dtype=None, device=None):
    return Tensor(40_000)


ones = empty
