from saxpy import reference, tensors  # noqa: F401


async def launch(case, t):
    t.y[:] = t.a * t.x + t.y0
