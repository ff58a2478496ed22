from .utils.timer import Timer

__all__ = ["Timer"]
