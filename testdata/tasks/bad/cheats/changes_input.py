"""Leaves another input behind than it was given, once it is right."""


def custom_kernel(data):
    a, b, output = data
    output[...] = 2 * a + b
    a[3, 5] += 1
    return output
