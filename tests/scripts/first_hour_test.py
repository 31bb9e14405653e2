# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of README.md as it shows them, and the simulator in a source tree that was moved.

first_hour_test.py SIMTLM ROOT BUILD

Commands that build or install are not repeated: scripts/test and scripts/check-package run them. For
`scripts/run ARGUMENTS`, which builds first, the simulator is run with the arguments. Commands that need a compiler
which is missing, or libraries that were not built, are left out.
"""
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SIMTLM, ROOT, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
TOOLS = ("simtlm", "simtlm-report", "simtlm-trace", "build/release/sc_main/simtlm", "scripts/run", "gcc", "nvcc", "grep")
BUILDS = re.compile(r"scripts/(run|test)$|cmake |cd build/release && cpack")
# What the reader has, by what a command names.
OF_THE_READER = re.compile(r"their_traces/|FOLDER|DIR\b|FILE\b|NAME\b")
NVCC = shutil.which("nvcc", path=os.environ["PATH"] + ":/usr/local/cuda/bin")
CUDA_PROGRAM = """
#include <cstdio>
__global__ void twice(int* values) { values[threadIdx.x] *= 2; }
int main() {
    int host[64], *device;
    for (int i = 0; i < 64; ++i) host[i] = i;
    cudaMalloc(&device, sizeof host);
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    twice<<<1, 64>>>(device);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; ++i)
        if (host[i] != 2 * i) return 1;
    std::puts("right");
}
"""


def commands_of(page):
    """(command, lines that it prints) of the blocks, of the tables and of the text, in order."""
    found = []
    for block in re.finditer(r"^```(\w*)\n(.*?)^```$", page, re.M | re.S):
        lines = block[2].replace("\\\n", " ").splitlines()
        prompts = block[1] == "console"
        for line in lines:
            if prompts and not line.startswith("$ "):
                found[-1][2].append(line)
            elif prompts or block[1] == "sh":
                found.append((block.start(), re.sub(r"\s+# .*$", "", line.removeprefix("$ ")), []))
    prose = re.sub(r"^```.*?^```$", lambda block: " " * len(block[0]), page, flags=re.M | re.S)
    for quoted in re.finditer(r"`((?:simtlm|cmake|cd|scripts)[\w/-]* [^`\n]+)`", prose):
        found.append((quoted.start(), quoted[1], []))
    return [(command, said) for _, command, said in sorted(found, key=lambda entry: entry[0])]


class Readme(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def run_in_folder(self, command):
        environment = dict(os.environ, PATH=f"{SIMTLM.parent}:{os.environ['PATH']}:/usr/local/cuda/bin")
        return subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=self.folder, env=environment,
                              capture_output=True, text=True, check=False)

    def succeed(self, command):
        result = self.run_in_folder(command)
        self.assertEqual(0, result.returncode, f"{command}\n{result.stdout[-2000:]}{result.stderr}")
        return result.stdout

    def make_tree(self):
        """A source tree with a build, and the files that a reader brings."""
        for name in ("programs", "traces", "configs"):
            (self.folder / name).symlink_to(ROOT / name)
        (self.folder / "build/release").mkdir(parents=True)
        (self.folder / "build/release/sc_main").symlink_to(SIMTLM.parent)
        for name, sample in (("my_traces", "async_copy"), (".", "sample")):
            target = self.folder / name
            target.mkdir(exist_ok=True)
            for file in (ROOT / "traces" / sample).iterdir():
                if file.suffix == ".xz":
                    (target / file.stem).write_bytes(lzma.open(file).read())
                else:
                    (target / file.name).write_text(file.read_text().replace(".xz", ""))
        for name in ("gpgpusim.config", "trace.config"):
            shutil.copy(ROOT / "configs/A100" / name, self.folder)
        self.assertIn("../dram", (self.folder / "gpgpusim.config").read_text())
        for suffix in ("ptx", "launch"):
            shutil.copy(ROOT / f"programs/histogram.{suffix}", self.folder / f"kernels.{suffix}")

    def program_for(self, row):
        """Compiles the program of a row of the table. @return whether that is possible"""
        if not (BUILD / "lib/simtlm/libsimtlm_cuda_static.so").exists():
            return False
        if "OpenCL" in row:
            if not (BUILD / "lib/simtlm/libsimtlm-opencl.so").exists():
                return False
            source = ROOT / "programs/saxpy_opencl.c"
            return self.run_in_folder(f"gcc {source} -lOpenCL -o program").returncode == 0
        (self.folder / "program.cu").write_text(CUDA_PROGRAM)
        if NVCC is None or not (pathlib.Path(NVCC).resolve().parents[1] / "include/cuda_runtime.h").exists():
            return False
        self.succeed("nvcc -o program program.cu")
        return True

    def possible(self, command, page):
        """Whether the tools of a command are installed; prepares what it reads."""
        if command.startswith("nvcc") or "--cubin" in command:
            if NVCC and "kernels.cubin" in command:
                self.succeed("nvcc -cubin -arch=sm_75 -o kernels.cubin programs/histogram.cu")
            return NVCC is not None
        if command.startswith("gcc") or "./saxpy" in command or "simtlm-stats.txt" in command:
            return (BUILD / "lib/simtlm/libsimtlm-opencl.so").exists() and self.run_in_folder(
                "echo 'int main(){}' | gcc -x c - -lOpenCL -o /dev/null").returncode == 0
        if "./program" in command:
            rows = [row for row in page.splitlines() if f"`{command}`" in row and row.startswith("|")]
            row = rows[self.programs % len(rows)]
            self.programs += 1
            return self.program_for(row)
        return True

    def test_its_commands_do_what_it_shows(self):
        self.make_tree()
        page = (ROOT / "README.md").read_text()
        self.programs, done, omitted = 0, [], []
        for command, said in commands_of(page):
            if BUILDS.match(command) or OF_THE_READER.search(command) or len(command.split()) < 3:
                continue
            self.assertIn(command.split()[0], TOOLS, command)
            if not self.possible(command, page):
                omitted.append(command)
                continue
            printed = self.succeed(re.sub("^scripts/run ", "simtlm ", command)).splitlines()
            self.assertEqual([], [line for line in said if line not in printed], command)
            done.append(command)
        print(f"{len(done)} commands of README.md, omitted:", *omitted, sep="\n  ")
        self.assertGreater(len(done), 10)

    def test_the_options_of_its_build_commands_exist(self):
        page = (ROOT / "README.md").read_text()
        usage = subprocess.run([ROOT / "scripts/test", "--help"], capture_output=True, text=True, check=True).stdout
        for option in re.findall(r"scripts/test`? (--\w+)", page) + ["--quick"]:
            self.assertIn(option, usage)
        presets = (ROOT / "CMakePresets.json").read_text()
        for preset in re.findall(r"cmake --preset (\w+)", page):
            self.assertIn(f'"name": "{preset}"', presets)

    def test_a_moved_source_tree_finds_its_presets(self):
        try:
            place = SIMTLM.relative_to(ROOT)
        except ValueError:
            self.skipTest("the build is not below the sources")
        moved = self.folder / "moved" / place
        moved.parent.mkdir(parents=True)
        shutil.copy(SIMTLM, moved)
        shutil.copytree(ROOT / "configs", self.folder / "moved/configs")
        shutil.copytree(ROOT / "configs/TINY", self.folder / "mine/MYGPU")
        listed = self.succeed(f"{moved} --list-configs")
        self.assertIn(f"\n  {self.folder}/moved/configs\n", listed)
        self.assertNotIn(f"\n  {ROOT}/configs\n", listed)
        self.succeed(f"{moved} --preset TINY -trace {ROOT}/traces/vecadd")
        listed = self.succeed(f"SIMTLM_PRESET_PATH=mine {moved} --list-configs")
        self.assertIn("Others (--preset NAME):\n  MYGPU\n", listed)
        for way in (f"SIMTLM_PRESET_PATH=mine {moved} --preset MYGPU", f"{moved} --preset ./mine/MYGPU"):
            self.assertIn("mine/MYGPU/gpgpusim.config", self.succeed(f"{way} --dump-config") +
                          self.succeed(f"{way} -trace {ROOT}/traces/vecadd --stats-json run.json && cat run.json"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
