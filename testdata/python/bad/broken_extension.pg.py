import broken  # noqa: F401
from saxpy import compute, computed, reference, tensors  # noqa: F401
