"""The Triton examples with a fault planted: each fault is a module of its own, a copy of the example's file with FAULT set."""

import importlib.util
import tempfile
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[3] / "kernels" / "examples"
FAULTS = {
    "softmax": ("", "strided", "arithmetic", "passes"),
    "layernorm": ("", "one_warp", "reread"),
    "attention": ("", "no_pipeline", "small_tile", "all_keys", "serial_batch"),
}
copies = tempfile.TemporaryDirectory()  # Triton reads the source of a kernel from its file
loaded = {}


def planted(kernel: str, number: int):
    """The function of an example, with its fault of that number; 0 is the example as it is."""
    if (kernel, number) not in loaded:
        text = (EXAMPLES / f"{kernel}_triton" / f"{kernel}.py").read_text()
        path = Path(copies.name) / f"{kernel}_{number}.py"
        path.write_text(text.replace('\nFAULT = ""\n', f'\nFAULT = "{FAULTS[kernel][number]}"\n'))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        loaded[kernel, number] = getattr(module, kernel)
    return loaded[kernel, number]
