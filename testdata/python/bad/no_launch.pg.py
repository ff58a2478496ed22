from saxpy import reference, tensors  # noqa: F401
