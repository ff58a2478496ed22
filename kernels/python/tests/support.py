"""What the tests of the package share: it is found beside this folder, wherever the test runs."""

import ctypes
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))


class Buffer:
    """Host memory of a test, standing for the harness's."""

    def __init__(self, size):
        self.memory = (ctypes.c_ubyte * max(1, size))()
        self.pointer = ctypes.addressof(self.memory)

    def bytes(self):
        return bytes(self.memory)
