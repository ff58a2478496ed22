def tensors(case):
    return None


def launch(case, t):
    pass
