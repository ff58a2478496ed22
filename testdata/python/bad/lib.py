import numpy as np


def kernel(x, y):
    np.add(x, y, out=y)  # shapes differ
