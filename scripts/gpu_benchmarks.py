# SPDX-License-Identifier: Apache-2.0
"""The program of programs/microbenchmarks/measure.cu: compiles and runs it; shared by measure-gpu and
simtlm-calibrate."""
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import selectors
import shutil
import signal
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCES = ROOT / "programs" / "microbenchmarks"
# Latencies that the machine code contains as stall cycles. In a simulator these benchmarks ignore the control
# bits, so that they depend on its parameters, which apply to code without control bits.
LATENCIES_IN_CODE = {"latency_fma_f32", "latency_alu", "latency_mad_u32", "latency_fma_f16x2", "latency_mma_f16",
                     "latency_mma_f32", "latency_wmma"}
SCHEMA = {"schema": "simtlm-measurements", "version": 1}


class Refusal(Exception):
    """An error of the user, with its remedy: exit code 2."""


# ---- compilation --------------------------------------------------------------------------------

def find_nvcc(given=None):
    """The compiler: the given one, that of the search path, or that of the usual folder."""
    candidates = [given] if given else ["nvcc", "/usr/local/cuda/bin/nvcc"]
    for candidate in candidates:
        found = shutil.which(candidate)
        if found:
            return found
    raise Refusal(f"there is no {candidates[0]}: install the CUDA toolkit, or name the compiler with --nvcc")


def toolkit_version(nvcc):
    said = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"release (\d+\.\d+)", said)
    return found[1] if found else "unknown"


def sources_digest():
    """Identifies the sources of the benchmarks."""
    digest = hashlib.sha256()
    for file in sorted([*SOURCES.glob("*.cu"), *SOURCES.glob("*.h"), SOURCES.parent / "cuda.h"]):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def compile_benchmarks(nvcc, capability, folder):
    """Compiles the program for a compute capability x 10 into a folder, or reuses it if it is there. If the
    benchmarks of the newest GPUs do not compile, the program is made without them. Returns the program,
    and the compiler's message about what is missing."""
    architecture = f"{capability}a" if capability >= 90 else str(capability)
    why = ""
    for benchmarks in [c for c in (90, 80, 70) if c <= capability]:
        program = pathlib.Path(folder).resolve() / f"measure-{architecture}-{benchmarks}-{sources_digest()}"
        if program.exists():
            return program, why
        partial = program.with_suffix(".part")
        said = subprocess.run(
            [nvcc, "-std=c++17", "-O2", f"-DMEASURE_CAPABILITY={benchmarks}", "-gencode",
             f"arch=compute_{architecture},code=sm_{architecture}", str(SOURCES / "measure.cu"), "-o",
             str(partial), "-ldl"], capture_output=True, text=True, check=False)
        if said.returncode == 0:
            partial.rename(program)
            return program, why
        errors = [line for line in (said.stderr + said.stdout).splitlines() if "error" in line or "fatal" in line]
        why = why or (errors or [f"{nvcc} failed"])[0][:300]
    raise Refusal(f"the benchmarks do not compile for sm_{architecture} ({why}): use a toolkit that supports this "
                  "GPU, or name another with --architecture")


def table_of(program):
    """The rows of the program's table, in order of their value."""
    said = subprocess.run([str(program), "--list"], capture_output=True, text=True, check=False)
    try:
        return json.loads(said.stdout)
    except ValueError as why:
        raise Refusal(f"{program} --list: {said.stderr.strip() or why}: compile it on this machine") from None


# ---- runs ---------------------------------------------------------------------------------------

@dataclasses.dataclass
class Target:
    """Where the program runs: words before it, and whether a simulator executes it."""
    program: pathlib.Path
    prefix: list = dataclasses.field(default_factory=list)
    simulated: bool = False

    def command(self, words):
        prefix = self.prefix
        if self.simulated and words and words[-1] in LATENCIES_IN_CODE:
            prefix = [*prefix[:-1], "--dependences", "scoreboard", prefix[-1]]  # before the --
        return [*prefix, str(self.program), *words]

    def device(self, timeout=120):
        """The properties of the GPU."""
        with tempfile.TemporaryDirectory(prefix="measure-gpu-") as folder:
            try:
                said = subprocess.run(self.command(["--device"]), capture_output=True, text=True, check=False,
                                      cwd=folder, timeout=timeout)
            except (OSError, subprocess.TimeoutExpired) as why:
                raise Refusal(f"the GPU cannot be reached: {why}") from None
        for line in said.stdout.splitlines():
            if line.startswith("{"):
                return json.loads(line)
        lines = (said.stderr + said.stdout).strip().splitlines()
        raise Refusal(f"the GPU cannot be reached: {(lines or ['no output'])[-1]}")

    def run(self, names, limit_s, repeat, deadline=None):
        """Runs benchmarks; yields (name, result) as they end. A benchmark that takes longer than limit_s, or
        that ends the process, has an error; the others continue in another process. Past the deadline
        (time.monotonic()), the rest are omitted."""
        waiting = list(names)
        while waiting:
            before = len(waiting)
            words = ["--repeat", str(repeat), *(["--small"] if self.simulated else []), *waiting]
            with tempfile.TemporaryDirectory(prefix="measure-gpu-") as folder:
                with Process(self.command(words), folder) as process:
                    while waiting:
                        left = limit_s if deadline is None else min(limit_s, deadline - time.monotonic())
                        line = process.line(left)
                        if line is None:
                            break
                        if not line.startswith('{"name"'):
                            continue
                        result = json.loads(line)
                        name = result.pop("name")
                        waiting.remove(name)
                        yield name, result
                    if not waiting:
                        return
                    late = process.running()
                    why = process.message()
            if deadline is not None and time.monotonic() >= deadline:
                return
            if late or len(waiting) == before:  # otherwise the process ended because of the one before
                yield waiting.pop(0), {"error": f"longer than {limit_s:g} s" if late else why}


class Process:
    """A process whose output is read line by line with a time limit; its group ends with it."""

    def __init__(self, command, folder):
        self.errors = tempfile.TemporaryFile("w+")
        self.child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.errors, cwd=folder,
                                      start_new_session=True)
        os.set_blocking(self.child.stdout.fileno(), False)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.child.stdout, selectors.EVENT_READ)
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            os.killpg(self.child.pid, signal.SIGKILL)
        self.child.wait()
        self.child.stdout.close()
        self.selector.close()
        self.errors.close()

    def line(self, limit_s):
        """The next line, or None at the end of the output or of the time."""
        until = time.monotonic() + limit_s
        while b"\n" not in self.buffer:
            left = until - time.monotonic()
            if left <= 0 or not self.selector.select(left):
                return None
            part = self.child.stdout.read(1 << 16)
            if not part:
                return None
            self.buffer += part
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.decode(errors="replace")

    def running(self):
        try:
            self.child.wait(timeout=1)
        except subprocess.TimeoutExpired:
            pass
        return self.child.poll() is None

    def message(self):
        """Why it ended."""
        self.errors.seek(0)
        lines = [line for line in self.errors.read().splitlines() if line.strip()]
        status = self.child.poll()
        return (lines or [f"the process ended with status {status}"])[-1][:300]


# ---- the simulator as a GPU -----------------------------------------------------------------------

def simulator_words(configuration):
    """Options that name a preset, or a configuration file or its folder."""
    path = pathlib.Path(configuration)
    if path.is_dir() and (path / "gpgpusim.config").exists():
        return ["-config", str((path / "gpgpusim.config").resolve()),
                *(["-config", str((path / "trace.config").resolve())] if (path / "trace.config").exists() else [])]
    if path.is_file():
        return ["-config", str(path.resolve())]
    return ["--preset", configuration]


def option_values(simtlm, words):
    """Effective options by name, as text."""
    said = subprocess.run([simtlm, *words, "--dump-config"], capture_output=True, text=True, check=False)
    if said.returncode:
        raise Refusal((said.stderr.strip().splitlines() or [f"{simtlm} failed"])[-1])
    return dict(re.findall(r"^(-\S+)\s+(.*?)\s*(?:#.*)?$", said.stdout, re.MULTILINE))


def simulator_prefix(simtlm, words):
    """Command that runs a program on a simulated GPU. Copies do not warm the caches."""
    return [simtlm, "run", *words, "-gpgpu_perf_sim_memcpy", "0", "--"]


def capability_of(values):
    return (int(values["-gpgpu_compute_capability_major"]) * 10
            + int(values["-gpgpu_compute_capability_minor"]))


def write_json(path, document):
    """Replaces a file at once, so that it is valid at any time."""
    path = pathlib.Path(path)
    partial = path.with_name(path.name + ".part")
    partial.write_text(json.dumps(document, indent=1) + "\n")
    partial.replace(path)


# Published figures of programs/microbenchmarks/measured by the benchmark that measures the same.
PUBLISHED = {"rate_add_u32": "rate_alu", "latency_add_u32": "latency_alu"}


def published(document):
    """A file of published figures (programs/microbenchmarks/measured) as one of measure-gpu."""
    benchmarks = {}
    for name, figure in document["figures"].items():
        value = figure["value"]
        benchmarks[PUBLISHED.get(name, name)] = {"values": [value], "min": value, "median": value, "max": value,
                                                 "unit": "", "what": figure.get("source", "")}
    if "clock_MHz" in document:
        clock = document["clock_MHz"]
        benchmarks["clock_sm"] = {"values": [clock], "min": clock, "median": clock, "max": clock, "unit": "MHz",
                                  "what": "as published"}
    return dict(SCHEMA, date="publications", gpu={"name": document["gpu"]}, benchmarks=benchmarks)


def read_measurements(path):
    """A file of measure-gpu, or of published figures."""
    try:
        document = json.loads(pathlib.Path(path).read_text())
    except (OSError, ValueError) as why:
        raise Refusal(f"{path}: {why}: scripts/measure-gpu writes such a file") from None
    if isinstance(document, dict) and isinstance(document.get("figures"), dict) and "gpu" in document:
        return published(document)
    if not isinstance(document, dict) or document.get("schema") != SCHEMA["schema"] or "benchmarks" not in document:
        raise Refusal(f"{path}: not a file of scripts/measure-gpu (schema {SCHEMA['schema']})")
    if document["version"] != SCHEMA["version"]:
        raise Refusal(f"{path}: version {document['version']}, but {SCHEMA['version']} is supported: measure again")
    return document
