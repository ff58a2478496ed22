import os

from torch.utils.cpp_extension import load

HERE = os.path.dirname(os.path.abspath(__file__))
source = "scale_cuda.cu" if os.environ.get("SCALE_CPU", "") == "" and os.path.exists("/dev/nvidiactl") else "scale_cpu.cpp"
scale = load("scale_jit", [os.path.join(HERE, "csrc", name) for name in ("scale.cpp", source)], verbose=False).scale
