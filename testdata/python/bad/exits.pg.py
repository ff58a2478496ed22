import sys
from saxpy import compute, computed, reference, tensors  # noqa: F401


def launch(case, t):
    sys.exit(3)
