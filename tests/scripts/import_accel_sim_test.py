# SPDX-License-Identifier: Apache-2.0
"""Tests scripts/import-accel-sim on output of the simulator, which has the format of Accel-Sim.

import_accel_sim_test.py SIMTLM ROOT
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SIMTLM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])


class ImportAccelSim(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        log = subprocess.run(
            [SIMTLM, "--preset", "TINY", "--any-binary-version", "-trace",
             str(ROOT / "traces/streams/kernelslist.g"), "--stats-json", str(self.path / "r.json")],
            capture_output=True, text=True, check=True).stdout
        (self.path / "r.log").write_text(log)
        self.kernels = json.loads((self.path / "r.json").read_text())["kernels"]

    def run_script(self, *arguments):
        return subprocess.run(
            [sys.executable, str(ROOT / "scripts/import-accel-sim"), "-o", str(self.path / "out"),
             "--run", f"r={self.path / 'r.json'}", *arguments], capture_output=True, text=True)

    def rows(self):
        with open(self.path / "out/kernels.csv", newline="") as file:
            return list(csv.DictReader(file))

    def test_finds_no_error_against_its_own_log(self):
        result = self.run_script("--accel-sim", f"r={self.path / 'r.log'}")
        self.assertEqual(0, result.returncode, result.stderr)
        cycles = [row for row in self.rows() if row["statistic"] == "cycles"]
        self.assertEqual(len(self.kernels), len(cycles))
        self.assertEqual({0.0}, {float(row["error"]) for row in cycles})
        self.assertIn("<svg", (self.path / "out/accel-sim-cycles.svg").read_text())

    def test_reads_both_layouts_of_nsight_compute(self):
        wide = ['"ID","Kernel Name","gpc__cycles_elapsed.max","dram__sectors_read.sum"',
                '"","","cycle","sector"']
        long = ['==PROF== Connected', '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"']
        for n, k in enumerate(self.kernels):
            cycles = k["end_cycle"] - k["start_cycle"] + 1
            wide.append(f'"{n}","void {k["name"]}<int>(float *)","{2 * cycles:,}","0"')
            long.append(f'"{n}","{k["name"]}(float *)","gpc__cycles_elapsed.max","Kcycle","{cycles / 500}"')
        for lines in (wide, long):
            (self.path / "h.csv").write_text("\n".join(lines) + "\n")
            result = self.run_script("--ncu", f"r={self.path / 'h.csv'}")
            self.assertEqual(0, result.returncode, result.stderr)
            for row in self.rows():
                if row["statistic"] == "cycles":
                    self.assertAlmostEqual(-0.5, float(row["error"]), places=3)

    def test_rejects_other_kernels(self):
        (self.path / "h.csv").write_text('"ID","Kernel Name","gpc__cycles_elapsed.max"\n' + "".join(
            f'"{n}","other()","5"\n' for n in range(len(self.kernels))))
        result = self.run_script("--ncu", f"r={self.path / 'h.csv'}")
        self.assertEqual(2, result.returncode)
        self.assertIn("and other in hardware", result.stderr)
        self.assertFalse((self.path / "out").exists() and list((self.path / "out").glob("*.md")))

    def test_rejects_other_files(self):
        result = self.run_script("--accel-sim", f"r={self.path / 'r.json'}")
        self.assertEqual(2, result.returncode)
        self.assertIn("holds no kernel", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
