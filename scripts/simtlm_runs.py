# SPDX-License-Identifier: Apache-2.0
"""Runs simtlm and parses its output; shared by compare-reference and benchmark."""
import concurrent.futures
import dataclasses
import json
import math
import os
import pathlib
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]

# The preset that suits traces of a binary version.
PRESETS = {61: "TITAN_X_PASCAL", 70: "QV100", 75: "RTX2060", 80: "A100", 86: "RTX3070",
           90: "H100_PCIE"}


# Core cycles that a profiler measures with every kernel in addition to those simulated by the sub-core
# pipeline: determined from (nearly) empty kernels (scripts/compare-hardware).
PROFILER_OVERHEAD = {"nsys": 1650, "ncu": 3400}

# Banner of SystemC.
BANNER = re.compile(r"SystemC \d|Copyright \(c\) .* Contributors|ALL RIGHTS RESERVED")


def find_simtlm(given=None):
    """The executable: the given one, the one built by scripts/run, or that of the installation prefix."""
    candidates = [given] if given else [
        ROOT / "build" / preset / "sc_main" / "simtlm" for preset in ("release", "ci", "dev")] + [
        ROOT.parents[1] / "bin" / "simtlm"]  # installed as PREFIX/share/simtlm/scripts
    for candidate in candidates:
        if os.access(candidate, os.X_OK) and pathlib.Path(candidate).is_file():
            return str(pathlib.Path(candidate).resolve())
    sys.exit(f"no simulator at {candidates[0]}: scripts/run builds it, --simtlm names another")


def reference_folder(given=None):
    """The folder with reference/, traces/ and traces-real/, as a path, or None."""
    folder = given or os.environ.get("SIMTLM_REFERENCE")
    return pathlib.Path(folder) if folder else None


# ---- one run --------------------------------------------------------------------------------

@dataclasses.dataclass
class Run:
    """Result of one run of the simulator."""
    status: int = 0
    wall_s: float = 0.0
    user_s: float = 0.0
    cpu_s: float = 0.0  # user and system
    stolen_s: float = 0.0  # taken away by the hypervisor
    peak_kB: int = 0  # at least the size of this script, with which a child process starts
    total: dict = dataclasses.field(default_factory=dict)
    kernels: list = dataclasses.field(default_factory=list)
    message: str = ""  # reason of a failure

    def get(self, name, default=None):
        return self.total.get(name, default)

    @property
    def ok(self):
        return self.status == 0 and bool(self.total)


def stolen_s():
    """Processor time taken away by the hypervisor so far, in seconds."""
    try:
        fields = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()
        return int(fields[8]) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return 0.0


def timed(command, output, errors, timeout, folder=None):
    """Runs a command with its output in two files: (exit status, wall seconds, resource usage)."""
    with open(output, "wb") as out, open(errors, "wb") as err:
        started = time.perf_counter()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                 cwd=folder)
        timer = threading.Timer(timeout, child.kill)
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - started
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, wall, usage


def run(simtlm, arguments, timeout=3600, files=True):
    """Runs the simulator and returns a Run; never raises because of an error of the simulator. Without
    files it only prints, like the reference."""
    result = Run()
    with tempfile.TemporaryDirectory(prefix="simtlm-") as folder:
        folder = pathlib.Path(folder)
        output, errors, stats = folder / "output", folder / "errors", folder / "statistics.json"
        command = [simtlm, *map(str, arguments), "--progress", "off"]
        if files:
            command += ["--stats-json", str(stats)]
        stolen = stolen_s()
        result.status, result.wall_s, usage = timed(command, output, errors, timeout)
        result.stolen_s = stolen_s() - stolen
        result.user_s, result.peak_kB = usage.ru_utime, usage.ru_maxrss
        result.cpu_s = usage.ru_utime + usage.ru_stime
        document = read_json(stats)
        if document is None:
            document = parse_printed(output.read_text(errors="replace"))
        result.total, result.kernels = document
        if result.status or not result.total:
            lines = (errors.read_text(errors="replace").split("\n")
                     + output.read_text(errors="replace").split("\n"))
            lines = [line.strip() for line in lines if line.strip() and not BANNER.search(line)]
            wrong = [line for line in lines if re.search("error|fatal|deadlock", line, re.I)]
            result.message = (
                f"timed out after {timeout} s" if result.wall_s >= timeout else
                f"killed by {signal.Signals(-result.status).name}" if result.status < 0 else
                f"status {result.status}: {(wrong or lines or ['no statistics'])[0][:160]}")
    return result


def run_all(simtlm, jobs, parallel, label="run"):
    """Runs every argument list of `jobs`, a dictionary by key, and returns Runs by key."""
    results, done = {}, 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=parallel) as pool:
        pending = {pool.submit(run, simtlm, arguments): key for key, arguments in jobs.items()}
        for future in concurrent.futures.as_completed(pending):
            key, done = pending[future], done + 1
            results[key] = future.result()
            name = " ".join(map(str, key)) if isinstance(key, tuple) else str(key)
            progress(f"{label} {done}/{len(jobs)}: {name} {results[key].wall_s:.2f} s")
    progress("")
    return results


def progress(text):
    """A progress line on the terminal, overwritten by the next one; nothing without a terminal."""
    if sys.stderr.isatty():
        print("\r\033[K" + text[:100], end="", file=sys.stderr, flush=True)


# ---- parsing of the output ----------------------------------------------------------------------

def read_json(path):
    """(total, kernels) of a --stats-json file; None if it is missing or damaged."""
    try:
        document = json.loads(pathlib.Path(path).read_text())
        return document["total"], document.get("kernels", [])
    except (OSError, ValueError, KeyError, TypeError):
        return None


NAMED_VALUE = re.compile(r"^\s*([A-Za-z_][\w.:\[\] -]*?)\s*=\s*(\S.*?)\s*$")
BREAKDOWN = re.compile(r"^\s*(\w+_breakdown)(\[\w+\]\[\w+\])\s*=\s*(\d+)")
OCCUPANCY = re.compile(r"\b(Stall|W\d+(?:_\w+)?):(\d+)")


def number(text):
    """Converts a text to a number, with or without a unit, if possible."""
    word = text.split()[0].rstrip("%")
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            pass
    return text


def parse_printed(text):
    """(total, kernels) of the statistics printed after each kernel in the format of GPGPU-Sim."""
    total, kernels = {}, []
    for line in text.splitlines():
        if line.startswith("Stall:"):
            total.update((f"warp_occ.{name}", int(count))
                         for name, count in OCCUPANCY.findall(line))
            continue
        match = NAMED_VALUE.match(line)
        if not match:
            continue
        name, value = match.group(1), number(match.group(2))
        if name == "kernel_name":
            kernels.append({"name": value})
        elif kernels:
            kernels[-1][name] = value
        total[name] = value
    return total, kernels


def config_value(files, name, default=None):
    """The value of an option in configuration files; later ones win. Does not follow -config inside them."""
    found = default
    for file in files:
        for line in pathlib.Path(file).read_text(errors="replace").splitlines():
            words = line.split("#")[0].split(None, 1)
            if len(words) == 2 and words[0] == name:
                found = words[1].strip().strip('"')
    return found


def trace_files(folder):
    """Kernel trace files of a folder's kernelslist.g, in order."""
    lines = (pathlib.Path(folder) / "kernelslist.g").read_text().split("\n")
    return [line.strip() for line in lines if line.strip().startswith("kernel")]


# ---- numbers ------------------------------------------------------------------------------------

def geomean(values):
    values = [v for v in values if v > 0]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def median(values):
    return statistics.median(values) if values else math.nan


def correlation(xs, ys):
    """Pearson correlation; NaN for fewer than three points or without variation."""
    if len(xs) < 3:
        return math.nan
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    sxy = sum((x - mx) * (y - my) for x, y in zip(xs, ys))
    spread = math.sqrt(sum((x - mx) ** 2 for x in xs) * sum((y - my) ** 2 for y in ys))
    return sxy / spread if spread else math.nan


def own_peak_kB():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


# ---- text -----------------------------------------------------------------------------------

def table(header, rows, numeric_from=1):
    """A Markdown table with aligned columns, also readable in a terminal."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(3, *(len(row[i]) for row in [header, *rows])) for i in range(len(header))]

    def line(cells):
        padded = (cell.rjust(width) if i >= numeric_from else cell.ljust(width)
                  for i, (cell, width) in enumerate(zip(cells, widths)))
        return "| " + " | ".join(padded) + " |"

    rule = "|" + "|".join("-" * (width + 1) + (":" if i >= numeric_from else "-")
                          for i, width in enumerate(widths)) + "|"
    return "\n".join([line(header), rule, *map(line, rows)])


def count(value):
    """An integer with thousands separators; other values unchanged."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}" if isinstance(
        value, float) else str(value)


def percent(ours, reference):
    """The signed difference in percent as text; = if there is none."""
    if ours is None:
        return "?"
    if ours == reference:
        return "="
    if not reference:
        return f"+{count(ours)}"
    return f"{100 * (ours / reference - 1):+.2f}%"


def replace_between(text, marker, content):
    """The text with `content` inserted between <!-- MARKER begin --> and <!-- MARKER end -->."""
    begin, end = f"<!-- {marker} begin -->", f"<!-- {marker} end -->"
    if begin not in text or end not in text:
        raise ValueError(f"no markers {begin} and {end}")
    head, rest = text.split(begin, 1)
    return f"{head}{begin}\n{content.strip()}\n{end}{rest.split(end, 1)[1]}"


LOAD_BEFORE = os.getloadavg()[0]


def about_this_run(simtlm):
    """Conditions that results depend on: version, kind of machine, and its load."""
    def output(*command):
        try:
            return subprocess.run(command, capture_output=True, text=True, cwd=ROOT,
                                  timeout=10).stdout.strip()
        except (OSError, subprocess.SubprocessError):
            return ""

    version = (output(simtlm, "--version").split("\n") or [""])[0]
    commit, executable = "", pathlib.Path(simtlm).resolve()
    # An executable that does not report its commit: the current commit applies only if it was built
    # here after that commit.
    if re.search(r"\bbuild [0-9a-f]{7}", version):
        commit = version
        version = ""
    elif ROOT in executable.parents and executable.stat().st_mtime > float(
            output("git", "log", "-1", "--format=%ct") or "inf"):
        commit = "commit " + output("git", "rev-parse", "--short", "HEAD")
        if output("git", "status", "--porcelain", "--", "modules", "platform", "sc_main"):
            commit += " with changes"
    model = re.search(r"^model name\s*:\s*(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    return ", ".join(filter(None, [
        version, commit or "an executable that does not tell its commit",
        f"{os.cpu_count()} processors ({model.group(1).strip()})" if model else "",
        f"load {LOAD_BEFORE:.1f} before the start", time.strftime("%-d %B %Y")]))
