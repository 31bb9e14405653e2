# SPDX-License-Identifier: Apache-2.0
"""Uses a GPU through the C interface, from a process without SystemC: c_interface_test.py LIBRARY ROOT."""
import ctypes
import os
import re
import subprocess
import sys
import unittest
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_double, c_int, c_uint32, c_uint64, c_ubyte, c_void_p

LIBRARY, ROOT = sys.argv[1:3]
os.environ["SC_COPYRIGHT_MESSAGE"] = "DISABLE"
HEADER = open(f"{ROOT}/platform/simtlm_registers.h").read()
MEMORY = CFUNCTYPE(c_uint64, c_void_p, c_int, c_uint64, POINTER(c_ubyte), c_uint32)
INTERRUPT = CFUNCTYPE(None, c_void_p, c_int)


def register(name):
    """A macro of simtlm_registers.h, of window 0 if it depends on the window."""
    return int(re.search(rf"#define {name}(?:\(w\))? \(?(0x[0-9a-f]+)", HEADER)[1], 0)


class Gpu:
    def __init__(self, *options):
        self.lib = ctypes.CDLL(LIBRARY)
        self.lib.simtlm_create.restype = self.lib.simtlm_message.restype = c_void_p
        self.lib.simtlm_message.restype = c_char_p
        self.lib.simtlm_time.restype = c_uint64
        words = (c_char_p * len(options))(*[o.encode() for o in options])
        self.gpu = c_void_p(self.lib.simtlm_create(words, len(options), f"{ROOT}/configs".encode()))
        if not self.gpu:
            raise RuntimeError(self.lib.simtlm_message(None).decode())

    def __getattr__(self, name):
        def call(*arguments):
            if getattr(self.lib, "simtlm_" + name)(self.gpu, *arguments) != 0:
                raise RuntimeError(self.lib.simtlm_message(self.gpu).decode())
        return call

    def get(self, address):
        value = c_uint32()
        self.read(c_uint64(address), byref(value), 4)
        return value.value

    def put(self, address, value):
        self.write(c_uint64(address), byref(c_uint32(value)), 4)

    def statistic_of(self, name):
        value = c_double()
        self.statistic(name.encode(), byref(value))
        return value.value


class CInterface(unittest.TestCase):
    def test_exports_nothing_but_its_functions(self):
        symbols = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], check=True, capture_output=True, text=True)
        names = [line.split()[-1] for line in symbols.stdout.splitlines()]
        self.assertIn("simtlm_create", names)
        self.assertEqual([name for name in names if not name.startswith("simtlm_")], ["sc_main"])

    def test_runs_a_trace_with_a_memory_and_an_interrupt_of_the_host(self):
        with self.assertRaisesRegex(RuntimeError, r"configure\(\): .*did you mean -gpgpu_n_mem"):
            Gpu("--preset", "TINY", "-gpgpu_n_mme", "4")
        gpu = Gpu("--preset", "TINY")
        self.assertEqual(gpu.lib.simtlm_version(), 1)
        served, levels = [], []

        @MEMORY
        def serve(_user, write, address, _data, _bytes):
            served.append((write, address))
            return 50_000_000  # 50 ns

        @INTERRUPT
        def changed(_user, level):
            levels.append(level)
        gpu.bind_memory(0, serve, None)
        gpu.bind_interrupt(changed, None)
        with self.assertRaisesRegex(RuntimeError, "there is no channel 99"):
            gpu.bind_memory(99, serve, None)
        first, count = c_uint32(), c_uint32()
        gpu.load_traces(f"{ROOT}/traces/vecadd/kernelslist.g".encode(), byref(first), byref(count))
        self.assertEqual(gpu.get(register("SIMTLM_KERNELS")), count.value)

        gpu.put(register("SIMTLM_IRQ_ENABLE"), register("SIMTLM_IRQ_IDLE"))
        gpu.put(register("SIMTLM_COMMAND"), register("SIMTLM_COMMAND_LAUNCH"))
        gpu.put(register("SIMTLM_KERNEL"), first.value)
        gpu.put(register("SIMTLM_DOORBELL"), 1)
        gpu.run_until(c_uint64(10**12))
        self.assertEqual(levels, [1])
        self.assertLess(gpu.lib.simtlm_time(gpu.gpu), 10**12)
        self.assertEqual(gpu.get(register("SIMTLM_STATUS")) & 1, 0)
        self.assertGreater(len(served), 10)
        self.assertGreater(gpu.statistic_of("gpu_tot_sim_insn"), 0)
        with self.assertRaisesRegex(RuntimeError, "did you mean"):
            gpu.statistic_of("gpu_tot_sim_isn")
        with self.assertRaisesRegex(RuntimeError, "TLM_ADDRESS_ERROR"):
            gpu.get(0x500)
        with self.assertRaisesRegex(RuntimeError, "has had its GPU"):
            Gpu("--preset", "TINY")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
