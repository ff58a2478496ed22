import no_such_framework  # noqa: F401
from saxpy import compute, computed, reference, tensors  # noqa: F401
