"""The right solution of scale_add and three that cheat, as cheats/ has them; the size says which."""

SEEN = {}
VALUES, CHANGES = set(), [None]


def by_pointer(a, b, output):
    key = a.data_ptr(), b.data_ptr()
    if key not in SEEN:
        SEEN[key] = 2 * a + b
    return SEEN[key]


def by_value(a, b, output):
    key = float(a[0, 0]), float(b[-1, -1])
    if key != CHANGES[-1]:
        CHANGES.append(key)
        VALUES.add(key)
    if len(CHANGES) > 15 and len(VALUES) < 0.6 * len(CHANGES):
        raise RuntimeError("the same inputs again")
    return right(a, b, output)


def changes_input(a, b, output):
    right(a, b, output)
    a[3, 5] += 1
    return output


def right(a, b, output):
    output[...] = 2 * a + b
    return output


def custom_kernel(data):
    return {61: by_pointer, 62: by_value, 63: changes_input}.get(len(data[0]), right)(*data)
