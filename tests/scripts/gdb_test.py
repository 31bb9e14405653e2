# SPDX-License-Identifier: Apache-2.0
"""Tests scripts/gdb/simtlm.py on a GPU stopped in the middle of a kernel.

gdb_test.py GDB TARGET ROOT
"""
import re
import subprocess
import sys
import unittest

GDB, TARGET, ROOT = sys.argv[1:4]
SKIPPED = 77


def session(core, *commands):
    words = [GDB, "-nx", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set auto-load off",
             "-ex", "break in_the_middle", "-ex", "run", "-x", f"{ROOT}/scripts/gdb/simtlm.py"]
    for command in commands:
        words += ["-ex", command]
    target = [TARGET, f"--gtest_filter=Cores/GdbTarget.StopsInTheMiddleOfAKernel/{core}"]
    return subprocess.run(words + ["--args", *target], capture_output=True, text=True, timeout=280,
                          check=False)


class OnACore:
    """Tests the commands on a GPU with one core model."""
    core = ""

    @classmethod
    def setUpClass(cls):
        cls.result = session(cls.core, "simtlm sms", "simtlm warps 0", "simtlm cache 0",
                             "simtlm cache p0.0", "simtlm dram 0", "simtlm dram 1",
                             "simtlm gpu gpu", "simtlm warps 9", "simtlm what")
        cls.out = cls.result.stdout
        if "Breakpoint 1, " not in cls.out:
            print(cls.result.stderr, file=sys.stderr)
            sys.exit(SKIPPED if "ptrace" in cls.result.stderr else 1)

    def test_lists_busy_sms(self):
        self.assertRegex(self.out, r"SM 0 gpu\.cluster0\.sm0: \d+ CTAs, [1-9]\d* warps, [1-9]\d* warp")

    def test_shows_where_warps_are(self):
        warps = re.findall(r"^warp (\d+) CTA slot \d+: behind 0x[0-9a-f]{4}, \d+ in the pipeline",
                           self.out, re.M)
        reported = int(re.search(r"SM 0 .*?, (\d+) warps", self.out).group(1))
        self.assertEqual(reported, len(warps))

    def test_shows_lines_of_caches(self):
        sets = re.findall(r"^(\d+) sets, \d+ ways: (\d+) accesses", self.out, re.M)
        self.assertEqual(2, len(sets), self.out)
        self.assertGreater(int(sets[0][1]), 0)
        self.assertRegex(self.out, r"set \d+ way \d+: 0x[0-9a-f]+, sectors 0x[0-9a-f]")

    def test_shows_channels_and_open_rows(self):
        for channel in (0, 1):
            self.assertRegex(self.out, rf"gpu\.dram{channel}: \d+ requests inside")
        self.assertRegex(self.out, r"bank \d+: row 0x[0-9a-f]+ is open")

    def test_reports_unknown_arguments(self):
        self.assertIn("GPU gpu", self.out)
        self.assertIn("SMs are numbered from 0 to 1", self.result.stderr)
        self.assertIn("Shows a simulated GPU: simtlm sms", self.result.stderr)


class OnTheSimtPipeline(OnACore, unittest.TestCase):
    core = "classic"


class OnTheSubCorePipeline(OnACore, unittest.TestCase):
    core = "modern"


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
