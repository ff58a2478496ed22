import threading
import time
from saxpy import compute, computed, reference, tensors  # noqa: F401

threading.Thread(target=time.sleep, args=(3600,)).start()


def launch(case, t):
    compute(t)
