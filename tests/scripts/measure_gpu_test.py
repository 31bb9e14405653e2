# SPDX-License-Identifier: Apache-2.0
"""Tests scripts/measure-gpu and scripts/simtlm-calibrate with the simulator as the GPU.

measure_gpu_test.py SIMTLM ROOT NVCC WORK [TEST...]

WORK keeps the compiled benchmarks.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SIMTLM, ROOT, NVCC, WORK = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], pathlib.Path(sys.argv[4])

# Like TINY, with the sub-core pipeline and larger caches, and of a compute capability that nvcc compiles for.
SMALL = f"""-config {ROOT}/configs/TINY/gpgpusim.config
-config {ROOT}/configs/TINY/trace.config
--core modern
-gpgpu_compute_capability_minor 5
-gpgpu_cache:dl1 S:4:128:128,L:T:m:L:L,A:256:48,16:0,32
-gpgpu_cache:dl2 S:64:128:32,L:B:m:L:P,A:192:4,32:0,32
"""


class Test(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.config = self.configured("small")

    def configured(self, name, *options):
        file = self.path / f"{name}.config"
        file.write_text(SMALL + "\n".join(options) + "\n")
        return file

    def run_script(self, name, *arguments, path=None):
        environment = dict(os.environ, PATH=f"{path}:{os.environ['PATH']}") if path else None
        return subprocess.run([sys.executable, str(ROOT / "scripts" / name), *map(str, arguments)],
                              capture_output=True, text=True, cwd=self.path, env=environment, check=False)

    def measured(self, config, only, *more):
        """Results of benchmarks on a simulated GPU, and the whole file."""
        out = self.path / f"{config.stem}.json"
        result = self.run_script("measure-gpu", "--simulator", config, "--simtlm", SIMTLM, "--nvcc", NVCC, "--work",
                                 WORK, "--out", out, "--only", only, "--jobs", 2, "--quiet", *more)
        self.assertEqual(0, result.returncode, result.stderr)
        document = json.loads(out.read_text())
        return {name: r["median"] for name, r in document["benchmarks"].items() if "median" in r}, document

    def near(self, expected, value, tolerance, what):
        self.assertLessEqual(abs(value / expected - 1), tolerance, f"{what}: {value}, expected {expected}")

    @staticmethod
    def program():
        return max(WORK.glob("measure-75-*"), key=lambda file: file.stat().st_mtime)


class Measurements(Test):
    def test_give_back_the_parameters_of_the_preset(self):
        got, document = self.measured(self.config, "^(clock_sm|latency_(fma_f32|alu|ex2|load_shared|load_l1|load_l2|"
                                      "load_dram|barrier|fence|fma_f64)|rate_(alu|mad_u32|fma_f16|fma_f64|ex2)|"
                                      "bandwidth_(shared_128|l2|dram)|shared_stride_(1|8)|capacity_l[12]|l2_slice_bytes|"
                                      "atomic_address)$")
        self.assertEqual(2, document["gpu"]["sms"])
        for name, expected, tolerance in (
                ("clock_sm", 1000, 0.002), ("latency_fma_f32", 4, 0.02), ("latency_alu", 4, 0.02),
                ("latency_ex2", 18, 0.02), ("latency_fma_f64", 40, 0.02), ("latency_load_shared", 24, 0.02),
                ("latency_load_l1", 32, 0.02), ("latency_barrier", 10, 0.05), ("latency_fence", 186 + 50, 0.02),
                ("rate_alu", 64, 0.05), ("rate_mad_u32", 64, 0.05), ("rate_fma_f16", 128, 0.05),
                ("rate_fma_f64", 4, 0.05), ("rate_ex2", 16, 0.05), ("bandwidth_shared_128", 128, 0.05),
                ("shared_stride_1", 2, 0.05), ("shared_stride_8", 8, 0.05),
                ("capacity_l1", 64, 0.0), ("capacity_l2", 512, 0.0), ("l2_slice_bytes", 256, 0.0)):
            self.near(expected, got[name], tolerance, name)
        # Peaks in bytes per cycle, of which row changes and conflicts in the network cost up to 40 %.
        for name, peak in ("bandwidth_dram", 54.4), ("bandwidth_l2", 64):
            self.assertTrue(0.6 * peak < got[name] < peak, f"{name}: {got[name]}")
        # Latencies of the path to the L2 and to DRAM, and the rate of atomics, by their differences.
        other = self.configured("other", "-gpgpu_l2_rop_latency 140", "-dram_latency 80",
                                "-gpgpu_l2_atomic_interval 3", "-gpgpu_n_clusters 3")
        changed, document = self.measured(other, "^(latency_load_(l2|dram)|atomic_address)$")
        self.assertEqual(3, document["gpu"]["sms"])
        self.near(100, changed["latency_load_l2"] - got["latency_load_l2"], 0.03, "L2")
        self.near(160, changed["latency_load_dram"] - got["latency_load_dram"], 0.05, "DRAM")
        self.near(32 * 3, changed["atomic_address"] - got["atomic_address"], 0.1, "atomics of 32 lanes")


class Runs(Test):
    """A process with several benchmarks, as on a real GPU: here the simulator behind --run-prefix."""

    def gpu(self, *arguments, path=None):
        prefix = f"{SIMTLM} run -config {self.config} --"
        return self.run_script("measure-gpu", "--run-prefix", prefix, "--program", self.program(), "--out", "gpu.json",
                               *arguments, path=path)

    def results(self):
        return json.loads((self.path / "gpu.json").read_text())

    def test_repeat_resume_and_read_ncu(self):
        (self.path / "bin").mkdir()
        ncu = self.path / "bin/ncu"
        ncu.write_text('#!/bin/sh\necho "==PROF== Connected"\n'
                       'echo \'"ID","Kernel Name","Grid Size","gpc__cycles_elapsed.max"\'\n'
                       'echo \'"","","","cycle"\'\necho \'"0","vector_add","(64, 1, 1)","4,321"\'\n')
        ncu.chmod(0o755)
        result = self.gpu("--only", "^latency_(fma_f32|alu)$", "--repeat", 3)
        self.assertEqual(0, result.returncode, result.stderr)
        first = self.results()
        self.assertEqual(3, len(first["benchmarks"]["latency_alu"]["values"]))
        self.assertEqual("cycles", first["benchmarks"]["latency_alu"]["unit"])
        self.assertEqual("ncu was not found", first["ncu"]["none"]["error"])
        result = self.gpu("--only", "^latency_(fma_f32|alu|ex2)$", "--resume", "--repeat", 1, path=ncu.parent)
        self.assertEqual(0, result.returncode, result.stderr)
        second = self.results()
        self.assertEqual(first["benchmarks"]["latency_alu"], second["benchmarks"]["latency_alu"])
        self.assertEqual(1, len(second["benchmarks"]["latency_ex2"]["values"]))
        self.assertEqual("4,321", second["ncu"]["base"]["kernels"][0]["gpc__cycles_elapsed.max"])

    def test_record_benchmarks_that_take_too_long(self):
        result = self.gpu("--only", "^(latency_alu|program_syrk_128|latency_ex2)$", "--limit", 2, "--repeat", 1)
        self.assertEqual(0, result.returncode, result.stderr)
        benchmarks = self.results()["benchmarks"]
        self.assertEqual("longer than 2 s", benchmarks["program_syrk_128"]["error"])
        self.assertIn("median", benchmarks["latency_ex2"])
        result = self.gpu("--only", "^latency_mad_u32$", "--seconds", 0.001)
        self.assertEqual("no time was left", self.results()["benchmarks"]["latency_mad_u32"]["error"])

    def test_continue_after_a_process_that_ended(self):
        program = self.path / "broken"
        program.write_text("""#!/bin/sh
case "$*" in
  *--list*) echo '[{"name": "a", "what": "", "unit": "x"}, {"name": "b", "what": "", "unit": "x"},'
            echo '{"name": "c", "what": "", "unit": "x"}]';;
  *--device*) echo '{"name": "none"}';;
  *a\ b\ c) echo '{"name": "a", "error": "an illegal address"}'; exit 2;;
  *b\ c) echo broken >&2; exit 2;;
  *c) echo '{"name": "c", "values": [7]}';;
esac
""")
        program.chmod(0o755)
        result = self.run_script("measure-gpu", "--program", program, "--architecture", 75, "--repeat", 1)
        self.assertEqual(0, result.returncode, result.stderr)
        benchmarks = self.results()["benchmarks"]
        self.assertEqual(["an illegal address", "broken", None], [benchmarks[n].get("error") for n in "abc"])

    def test_refuse_mistakes(self):
        for arguments, message in ((["--only", "["], "--only ["), (["--only", "nothing"], "no benchmark has such a name"),
                                   (["--out", "none/x.json"], "there is no folder"),
                                   (["--option", "-x 1"], "--simulator only")):
            result = self.gpu(*arguments)
            self.assertEqual(2, result.returncode, arguments)
            self.assertIn(message, result.stderr)
        (self.path / "gpu.json").write_text("{}")
        for script, arguments, message in (
                ("measure-gpu", ["--nvcc", "no-such-nvcc", "--architecture", 75], "no no-such-nvcc"),
                ("simtlm-calibrate", ["gpu.json", "--base", "A100", "--out", "x", "--simtlm", SIMTLM], "not a file of"),
                ("simtlm-calibrate", ["gpu.json"], "are needed")):
            result = self.run_script(script, *arguments)
            self.assertEqual(2, result.returncode, arguments)
            self.assertIn(message, result.stderr)


class Calibration(Test):
    HIDDEN = {"-gpgpu_n_clusters": "3", "-modern_xu": "27,16", "-modern_load_latency": "41,24,29",
              "-gpgpu_l2_rop_latency": "90", "-dram_latency": "63", "-modern_memory_interval": "1.4",
              "-modern_barrier_latency": "21", "-gpgpu_kernel_launch_latency": "900"}

    def test_recovers_hidden_parameters(self):
        hidden = self.configured("hidden", *[" ".join(pair) for pair in self.HIDDEN.items()])
        self.measured(hidden, "^(latency_(ex2|load_l1|load_l2|load_dram|barrier)|rate_ex2|shared_stride_1|"
                      "launch_interval|program_vector_add_16384)$")
        command = ["hidden.json", "--base", self.config, "--out", "made", "--simtlm", SIMTLM, "--program",
                   self.program(), "--jobs", 2, "--only", "(" + "|".join(self.HIDDEN) + ")"]
        result = self.run_script("simtlm-calibrate", *command)
        self.assertEqual(0, result.returncode, result.stderr)
        lines = (self.path / "made/gpgpusim.config").read_text().splitlines()
        made = dict(line.split(None, 1) for line in lines if line.startswith("-"))
        for option, text in self.HIDDEN.items():
            for expected, value in zip(text.split(","), made[option].split(",")):
                self.near(float(expected), float(value), 0.05, option)
        self.assertIn("# -gpgpu_l2_rop_latency, number 1: latency_load_l2: measured", "\n".join(lines))
        report = (self.path / "made/report.txt").read_text()
        self.assertRegex(report, r"held-out programs: mean absolute error [0-4]\.\d %")
        self.assertRegex(report, r"-modern_load_latency\[2\] +24, not identifiable: no measurement: latency_load_shared")
        page = (self.path / "made/report.html").read_text()
        self.assertIn("program_vector_add_16384", page)
        self.assertNotIn("http", page)
        # A second run takes everything from the journal.
        again = self.run_script("simtlm-calibrate", *command)
        self.assertEqual(0, again.returncode, again.stderr)
        self.assertIn(": 0 simulations", again.stderr)
        self.assertEqual(result.stdout, again.stdout)
        # The written preset gives the measured value.
        values, _ = self.measured(self.path / "made", "^latency_load_l2$")
        hidden_values = json.loads((self.path / "hidden.json").read_text())["benchmarks"]
        self.near(hidden_values["latency_load_l2"]["median"], values["latency_load_l2"], 0.02, "written preset")


class Compilation(Test):
    def test_the_table_names_options_that_exist(self):
        table = self.run_script("simtlm-calibrate", "--table").stdout
        known = subprocess.run([SIMTLM, "--preset", "H100_PCIE", "--dump-config"], capture_output=True, text=True,
                               check=True).stdout
        options = set(re.findall(r"^\| `(-\S+)` \|", table, re.MULTILINE))
        self.assertGreater(len(options), 40)
        for option in options:
            self.assertRegex(known, rf"(?m)^{re.escape(option)} ")

    def test_compiles_the_benchmarks(self):
        relative = os.path.relpath(WORK, os.path.realpath(self.path))
        result = self.run_script("measure-gpu", "--simulator", self.config, "--simtlm", SIMTLM, "--nvcc", NVCC,
                                 "--work", relative, "--list")
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertIn("latency_load_dram", result.stdout)
        names = set(result.stdout.split())
        table = self.run_script("simtlm-calibrate", "--table").stdout
        benchmarks = set(re.findall(r"`([a-z]+_\w+)`", table)) - {"sms"}
        missing = {n for n in benchmarks - names if not re.search("mma|cluster|bulk|_per_|_b[iy]t", n)}
        self.assertFalse(missing, "of the table of parameters")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
