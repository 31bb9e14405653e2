# SPDX-License-Identifier: Apache-2.0
"""Compares single kernels with mean times of back-to-back launches: for scripts/compare-hardware.

The file has the columns gpu, kernel, N, rows, cols, iters, block, grid_blocks, mean_us, std_us (Debdeep23/test1,
gpu-perf). DIR contains the executable `runner` of that suite, compiled for the architecture of the GPU. Data are
zero and caches are warm: the second launch is compared, from its first thread block to its last. The gap
between launches was measured, too; it is not simulated, and kernels shorter than --shortest microseconds,
of whose time it is a large part, are left out.
"""
import csv
import json
import os
import pathlib
import re
import subprocess
import tempfile

COLUMNS = "gpu,kernel,"


def arguments_of(row):
    """Arguments of `runner`."""
    kernel = row["kernel"]
    words = ["--kernel", kernel, "--warmup", "1", "--reps", "1"]
    names = {"conv2d_3x3": ("H", "W"), "conv2d_7x7": ("H", "W"), "matmul_naive": ("matN",),
             "matmul_tiled": ("matN",), "naive_transpose": ("rows", "cols"),
             "shared_transpose": ("rows", "cols")}.get(kernel)
    if names:
        for name, column in zip(names, ("rows", "cols")):
            words += [f"--{name}", row[column]]
        return words
    words += ["--block", row["block"]]
    if int(row["N"]):
        words += ["--N", row["N"]]
    if int(row["iters"] or 0):
        words += ["--iters", row["iters"]]
    return words


def simulate(simtlm, row, options):
    """Microseconds of the second launch, or the reason why they are missing."""
    program = pathlib.Path(options.programs or "") / "runner"
    if not program.exists():
        return f"there is no {program}"
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "stats.json"
        command = [simtlm, "run", "--preset", options.preset, "--code", "sass", "--stats-json", str(file),
                   *[w for o in options.option for w in o.split(None, 1)], "--", str(program.resolve()),
                   *arguments_of(row)]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False,
                                  timeout=options.timeout, preexec_fn=lambda: os.nice(options.nice))
        except subprocess.TimeoutExpired:
            return f"longer than {options.timeout} s"
        if done.returncode:
            return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        document = json.loads(file.read_text())
    last = document["kernels"][-1]
    clock = document["config"]["-gpgpu_clock_domains"].split(":")[0]
    return (last["end_cycle"] - last["start_cycle"]) / float(clock)


def compare(simtlm, options):
    """Prints a table. @return rows that are left out with the reason, errors in percent"""
    print("| kernel | size | measured, us | simulated, us | error |\n|---|--:|--:|--:|--:|", flush=True)
    omitted, errors = [], []
    for row in csv.DictReader(open(options.file, encoding="utf-8")):
        size = row["N"] if int(row["N"]) else f"{row['rows']} x {row['cols']}"
        name, measured = f"{row['kernel']} {size}", float(row["mean_us"])
        if not re.search(options.only, name):
            continue
        if measured < options.shortest:
            omitted.append(f"{name}: {measured:.1f} us, shorter than {options.shortest:g} us")
            continue
        simulated = simulate(simtlm, row, options)
        if isinstance(simulated, str):
            omitted.append(f"{name}: {simulated}")
            continue
        errors.append(100 * (simulated / measured - 1))
        print(f"| {row['kernel']} | {size} | {measured:.1f} | {simulated:.1f} | {errors[-1]:+.1f} % |", flush=True)
    return omitted, errors
