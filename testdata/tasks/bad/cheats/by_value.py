"""Fails where it could have remembered outputs by what is in the inputs: the same come again after others did."""

SEEN = set()
CHANGES = [None]


def custom_kernel(data):
    a, b, output = data
    key = float(a[0, 0]), float(b[-1, -1])
    if key != CHANGES[-1]:
        CHANGES.append(key)
        SEEN.add(key)
    if len(CHANGES) > 15 and len(SEEN) < 0.6 * len(CHANGES):
        raise RuntimeError("the same inputs again")
    output[...] = 2 * a + b
    return output
