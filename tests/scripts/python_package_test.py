# SPDX-License-Identifier: Apache-2.0
"""Tests the Python package: python_package_test.py PACKAGE_FOLDER ROOT SIMTLM."""
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

FOLDER, ROOT, SIMTLM = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
sys.path.insert(0, str(FOLDER))
os.chdir(ROOT)
if importlib.util.find_spec("numpy") is None:
    print("this Python has no numpy")
    sys.exit(77)
import simtlm  # noqa: E402

LACKS = [m for m in ("pandas", "matplotlib") if importlib.util.find_spec(m) is None]


def python(code, folder=ROOT):
    """Runs code in an interpreter of its own. @return what it prints"""
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, text=True, capture_output=True,
                          env={**os.environ, "PYTHONPATH": str(FOLDER), "MPLBACKEND": "agg"})
    if done.returncode:
        raise AssertionError(done.stderr[-2000:])
    return done.stdout


class Package(unittest.TestCase):
    def test_results_are_those_of_the_executable(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "s.json"
            subprocess.run([SIMTLM, "--preset", "TINY", "-trace", "traces/sample/kernelslist.g", "--quiet",
                            "--stats-json", file], check=True, stdout=subprocess.DEVNULL)
            expected = json.loads(file.read_text())
        result = simtlm.run("TINY", trace="traces/sample")
        self.assertEqual([k.cycles for k in result.kernels],
                         [k["end_cycle"] - k["start_cycle"] for k in expected["kernels"]])
        for kernel, other in zip(result.kernels, expected["kernels"]):
            for name in ("gpu_sim_cycle", "gpu_sim_insn", "gpu_ipc", "gpu_occupancy", "L2_BW"):
                self.assertEqual(kernel.statistics[name], other[name], name)
        last = {n: v for n, v in expected["total"].items() if n in result.kernels[-1].statistics}
        self.assertGreater(len(last), 100)
        self.assertEqual({n: result.kernels[-1].statistics[n] for n in last}, last)

    def test_steps_callbacks_and_intervals_do_not_change_a_result(self):
        out = python("""
import simtlm
s = simtlm.Simulation("TINY", trace="traces/vecadd")
kernels, samples = [], []
s.on_kernel(kernels.append)
s.on_interval(300, samples.append)
while s.step(100): pass
r = s.result()
assert [k.launch for k in kernels] == [k.launch for k in r.kernels] != []
assert len(samples) > 2 and samples[0].last == samples[1].first
assert sum(i.total("thread_instructions") for i in samples) == r["gpu_tot_sim_insn"]
print(r.cycles, r["gpu_tot_sim_insn"], r["L2_total_cache_accesses"])
try: simtlm.Simulation("TINY", trace="traces/vecadd")
except simtlm.Error as e: print(e)
""").splitlines()
        whole = simtlm.run("TINY", trace="traces/vecadd")
        self.assertEqual(out[0].split(), [str(n) for n in (whole.cycles, whole["gpu_tot_sim_insn"],
                                                           whole["L2_total_cache_accesses"])])
        self.assertIn("SystemC allows one (use simtlm.run()", out[1])

    def test_errors_name_the_option_and_the_remedy(self):
        with self.assertRaisesRegex(simtlm.Error, "options: .*gpgpu_n_mem"):
            simtlm.run("TINY", {"-gpgpu_n_mum": 4}, trace="traces/vecadd")
        runs = simtlm.sweep({"preset": ["TINY", "TINI"]}, trace="traces/vecadd", jobs=2)
        self.assertGreater(runs.array("cycles")[0], 0)
        self.assertRegex(str(runs.results[1]), "did you mean TINY")

    def test_examples_of_the_page_run(self):
        blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/python.md").read_text(), re.S)
        self.assertGreater(len(blocks), 5)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("traces", "programs"):
                (pathlib.Path(folder) / name).symlink_to(ROOT / name)
            for block in blocks:
                needs = {"pandas": ".frame()", "matplotlib": "plot."}
                if not any(needs[m] in block for m in LACKS):
                    python(block, folder)

    def test_cells_of_the_notebook_run(self):
        cells = json.loads((ROOT / "docs/python.ipynb").read_text())["cells"]
        python("\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code"))

    def test_a_wheel_has_the_package_and_the_presets(self):
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([sys.executable, ROOT / "runtimes/python/make_wheel.py", FOLDER / "simtlm",
                                   ROOT / "configs", folder, "1.2.3"], check=True, text=True, capture_output=True)
            sys_path = f"import sys; sys.path[:0] = ['{folder}/w']; import simtlm; "
            subprocess.run([sys.executable, "-m", "zipfile", "-e", made.stdout.strip(), f"{folder}/w"], check=True)
            self.assertIn(f"{folder}/w/simtlm/configs",
                          python(sys_path + "print(simtlm.simulation._preset_folders())", folder))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
