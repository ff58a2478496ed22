import perfgate as pg


def tensors(case):
    return {"y": pg.Out(case.columns)}


def launch(case, t):
    pass
