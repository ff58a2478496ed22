"""Which points of a perf_report are timed where nobody named any: a tutorial has hundreds."""

POINTS = 12


def evenly(count, wanted):
    """``wanted`` indices of ``count``, first and last among them; one alone is the one in the middle."""
    if wanted >= count:
        return list(range(count))
    if wanted == 1:
        return [count // 2]
    return [round(i * (count - 1) / (wanted - 1)) for i in range(wanted)]


def spread(lanes):
    """Chooses about POINTS points. A lane is a list of points: those of one line of one plot, in the order of the x axis.

    Every lane has its share; of more lanes than POINTS some are left out. Returns the set of chosen points.
    """
    lanes = [lane for lane in lanes if lane]
    if not lanes:
        return set()
    chosen = [lanes[i] for i in evenly(len(lanes), POINTS)]
    each = max(1, POINTS // len(chosen))
    return {lane[i] for lane in chosen for i in evenly(len(lane), each)}
