# SPDX-License-Identifier: Apache-2.0
"""The runs of a set of reference results; shared by compare-reference and benchmark."""
import dataclasses
import functools
import json
import lzma
import pathlib
import sys

from simtlm_runs import config_value, trace_files

# Traces are named after the workload and, except for the V100, the binary version.
FOLDER_SUFFIX = {"SM75_RTX2060": "-sm75", "SM86_RTX3070": "-sm86", "SM6_TITANX": "-sm61"}


@dataclasses.dataclass
class Case:
    """A reference run and, once executed, that of simtlm."""
    family: str
    name: str
    trace: pathlib.Path
    config: str
    files: list  # configuration files
    latency: int  # of a kernel launch
    reference: dict
    kernels: int  # executed by the reference
    stopped: bool  # the reference stopped before the end of the trace
    instructions: int  # of those kernels, counted from the trace
    all_instructions: int  # of the whole trace
    ours: object = None
    whole: object = None  # simtlm's run of the whole trace if the reference stopped

    @property
    def key(self):
        return (self.family, self.name)

    def arguments(self, mode, trace=None):
        configs = [word for file in self.files for word in ("-config", file)]
        return ["-trace", trace or self.trace, *configs, "--any-binary-version", *mode]

    def net(self, cycles):
        return cycles - self.kernels * self.latency

    @property
    def reference_cycles(self):
        return self.net(self.reference["total"]["gpu_tot_sim_cycle"])

    @property
    def our_cycles(self):
        return self.net(self.ours.get("gpu_tot_sim_cycle", 0))

    @property
    def error(self):
        return 100 * (self.our_cycles / self.reference_cycles - 1)

    @property
    def instructions_agree(self):
        """"=" if it agrees with the exact count; "file" if only a count of the trace agrees; or ""."""
        if self.stopped and not (self.whole.ok and self.whole.get("gpu_tot_sim_insn")
                                 == self.all_instructions):
            return ""
        ours = self.ours.get("gpu_tot_sim_insn")
        return "=" if ours == self.instructions else "file" if ours == self.counted else ""

    @functools.cached_property
    def counted(self):
        """Thread instructions of a generated trace, counted from its files; slow."""
        if self.family == "real":
            return self.instructions
        total = 0
        for name in trace_files(self.trace.parent)[:self.kernels]:
            with lzma.open(self.trace.parent / name, "rt") as lines:
                left = 0  # instructions of the current warp
                for line in lines:
                    if left and line.strip():
                        total += bin(int(line.split(None, 2)[1], 16)).count("1")
                        left -= 1
                    elif line.startswith("insts = "):
                        left = int(line.split()[2])
        return total


def read_cases(reference, traces, real):
    """All runs of the reference files whose traces exist."""
    counts = {}
    if (reference / "real-counts.json").is_file():
        counts = json.loads((reference / "real-counts.json").read_text())
    cases = []
    for file in sorted([*reference.glob("generated-*.json"), *reference.glob("real.json")]):
        for name, expected in json.loads(file.read_text()).items():
            config = expected["config"]
            generated = file.stem.startswith("generated-")
            folder = traces / (name + FOLDER_SUFFIX.get(config, "")) if generated else real / name
            if not (folder / "kernelslist.g").is_file():
                print(f"{name}: no trace in {folder.name}", file=sys.stderr)
                continue
            files = [reference / "configs" / config / file
                     for file in ("gpgpusim.config", "trace.config")]
            kernels, listed = expected["kernels"], trace_files(folder)
            instructions = whole = expected["total"]["gpu_tot_sim_insn"]
            if name in counts and not generated:
                by_file = {kernel[0]: kernel[2] for kernel in counts[name]["per_kernel"]}
                instructions = sum(by_file[kernel] for kernel in listed[:kernels])
                whole = counts[name]["thread_insn"]
            cases.append(Case(
                family=file.stem.removeprefix("generated-"), name=name,
                trace=folder / "kernelslist.g", config=config, files=files,
                latency=int(config_value(files, "-gpgpu_kernel_launch_latency", 0)),
                reference=expected, kernels=kernels, stopped=kernels < len(listed),
                instructions=instructions, all_instructions=whole))
    return cases


def first_kernels(case, folder):
    """A command list like the case's that ends after the kernels executed by the reference."""
    lines, kernels = [], 0
    for line in case.trace.read_text().split("\n"):
        line = line.strip()
        if line.startswith("kernel"):
            kernels += 1
            line = str((case.trace.parent / line).resolve())
        lines.append(line)
        if kernels == case.kernels:
            break
    shortened = folder / case.name / "kernelslist.g"
    shortened.parent.mkdir(parents=True, exist_ok=True)
    shortened.write_text("\n".join(lines) + "\n")
    return shortened
