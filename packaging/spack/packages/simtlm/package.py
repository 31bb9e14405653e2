# SPDX-License-Identifier: Apache-2.0
import os

from spack.package import *

# The source tree that this recipe lies in.
_tree = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))


class Simtlm(CMakePackage):
    """Cycle-level GPU simulator that is a SystemC/TLM-2.0 model: replays Accel-Sim's traces, executes
    PTX and unmodified CUDA programs, prints GPGPU-Sim's statistics."""

    git = "file://" + _tree
    version("main", branch="main")

    license("Apache-2.0")

    variant("cuda", default=True, description="Libraries that CUDA programs run with (x86-64)")
    variant("opencl", default=False, description="Driver that OpenCL programs run with (x86-64)")
    variant("tests", default=False, description="Build the tests")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("systemc@2.3.4: cxxstd=17")
    depends_on("boost@1.74: +iostreams +program_options cxxstd=17")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:")
    depends_on("xxhash@0.8:")
    depends_on("zstd")
    depends_on("lz4")
    depends_on("sqlite")
    depends_on("yaml-cpp@0.7:")
    depends_on("protobuf")
    depends_on("opencl-c-headers", when="+opencl")
    conflicts("+opencl", when="~cuda", msg="the driver shares its session with the CUDA libraries")
    depends_on("googletest@1.12: +gmock", when="+tests", type="build")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("SIMTLM_SYSTEMC_ROOT", self.spec["systemc"].prefix),
            self.define("CMAKE_UNITY_BUILD", True),
            self.define("SIMTLM_QUICK_BUILD", True),
            self.define_from_variant("SIMTLM_CUDA", "cuda"),
            self.define_from_variant("SIMTLM_OPENCL", "opencl"),
            self.define_from_variant("SIMTLM_BUILD_TESTS", "tests"),
        ]
