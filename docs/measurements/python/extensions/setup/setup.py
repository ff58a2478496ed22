import os

from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension, CUDAExtension

gpu = os.environ.get("SCALE_CPU", "") == ""
kind, source = (CUDAExtension, "csrc/scale_cuda.cu") if gpu else (CppExtension, "csrc/scale_cpu.cpp")
setup(name="scale_ext", version="1.0", ext_modules=[kind("scale_ext", ["csrc/scale.cpp", source])], cmdclass={"build_ext": BuildExtension.with_options(use_ninja=True)})
