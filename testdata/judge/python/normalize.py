"""What a search begins with: right, and in no hurry."""
import numpy as np


def normalize(x, y):
    """Writes rows of x less their mean, over the root of their variance and 1e-5, into y."""
    wide = x.astype(np.float64)
    y[...] = (wide - wide.mean(axis=1, keepdims=True)) / np.sqrt(wide.var(axis=1, keepdims=True) + 1e-5)
