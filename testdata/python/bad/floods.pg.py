from saxpy import compute, computed, reference, tensors  # noqa: F401


def launch(case, t):
    while True:
        print("x" * 65536, flush=True)
