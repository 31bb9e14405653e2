# SPDX-License-Identifier: Apache-2.0
"""Compares the power of kernels with measurements: for scripts/compare-hardware.

The file has the columns gpu, kernel, measured_W; further ones are not used. DIR contains the executables of KERNELS, compiled by
scripts/build-hardware-programs for the architecture of the GPU, with machine code from sm_70 on. The mean power of the
first launch of the kernel is compared, of its first --cycles core cycles if it is longer. --save FILE.csv keeps
the components of each kernel, the table of scripts/calibrate-power, and a later call does not simulate these again.
"""
import csv
import pathlib
import re
import struct
import sys
import tempfile
import random

import hardware_kernels

COLUMNS = "gpu,kernel,measured_W"
LAST = "gpu_power[OTHERP]"
# By kernel of the file: executable with its arguments, and the launch.
KERNELS = {
    "btree_k2": ("btree file keys command commands", "@findK"),
    "backprop_k1": ("bpnn 65536", "@bpnn_layerforward"),
    "binomialOptions_k1": ("binomial", "1"),
    "cutlass_k1": ("wmma_gemm 2560 16 2560", "1"),
    "cutlass_k3": ("wmma_gemm 2560 512 2560", "1"),
    "dct8x8_k2": ("dct8x8", "@CUDAkernel2DCT"),
    "fastWalshTransform_k2": ("fwt", "@fwtBatch1"),
    "hotspot_k1": ("hotspot 1024 2 2 temp power out", "1"),
    "mergeSort_k1": ("mergesort", "@mergeElementaryIntervals"),
    "mriq_k1": ("mriq -i mri.bin -o mri.out", "@ComputeQ"),
    "sgemm_k1": ("sgemm -i a,b,bt -o c", "1"),
    "quasirandomGenerator_k1": ("quasirandom", "@quasirandomGenerator"),
    "sobolQRNG_k1": ("sobol 100000 100", "1"),
    # The other kernels that AccelWattch was validated with.
    "btree_k1": ("btree file keys command commands", "@findRangeK"),
    "backprop_k2": ("bpnn 65536", "@bpnn_adjust_weights"),
    "cutlass_k2": ("wmma_gemm 4096 128 4096", "1"),
    "dct8x8_k1": ("dct8x8", "1"),
    "fastWalshTransform_k1": ("fwt", "@fwtBatch2"),
    "mergeSort_k2": ("mergesort", "1"),
    "quasirandomGenerator_k2": ("quasirandom", "@inverseCND"),
    "srad_v1_k1": ("srad 100 0.5 502 458", "@_Z4srad"),
    "cudaTensorCoreGemm_k1": ("tensorgemm", "1"),
}
# By GPU of the file: preset, further options, and code.
GPUS = {
    "QV100": ("QV100", [], "sass"),
    "TITAN_X_PASCAL": ("TITAN_X_PASCAL", [], "ptx"),
    "RTX2060_SUPER": ("RTX2060", ["-gpgpu_n_clusters", "34"], "sass"),
}


def write_mri(folder):
    """A data set of the size of mri-q's 64_64_64: 2048 samples, 262144 voxels."""
    number = random.Random(1).random
    samples, voxels = 2048, 262144
    sizes = [samples] * 3 + [voxels] * 3 + [samples] * 2
    with open(folder / "mri.bin", "wb") as file:
        file.write(struct.pack("<2i", samples, voxels))
        for size in sizes:
            file.write(struct.pack(f"<{size}f", *(number() for _ in range(size))))


def simulate(simtlm, row, folder, options):
    """Watts by component and in total, or the reason why they are missing."""
    if row["gpu"] not in GPUS:
        return f"there is no preset for {row['gpu']}"
    if row["kernel"] not in KERNELS:
        return "its program is not known to scripts/hardware_power.py"
    preset, more, code = GPUS[row["gpu"]]
    words, launch = KERNELS[row["kernel"]]
    words = words.split()
    program = pathlib.Path(options.programs or "").resolve() / words[0]
    if not program.exists():
        return f"there is no {program.name} in {program.parent}"
    report, found = hardware_kernels.report_of(
        simtlm, preset, program, words[1:],
        [*more, "--code", code, "--kernels", launch, "-power_simulation_enabled", "1", "--power-report",
         str(folder / "power.log"), "-gpgpu_max_cycle", str(options.cycles)], LAST, folder, options)
    if not found:
        return report
    watts = dict(re.findall(r"^gpu_power\[(\w+)\] = (\S+)", report, re.MULTILINE))
    total = re.search(r"^gpu_power = (\S+)", report, re.MULTILINE)[1]
    return {"simulated_W": float(total), **{name: float(w) for name, w in watts.items()}}


def load(file):
    if not file or not pathlib.Path(file).exists():
        return {}
    with open(file, encoding="utf-8") as rows:
        return {(r["gpu"], r["kernel"]): r for r in csv.DictReader(rows)}


def store(file, results):
    if file and results:
        with open(file, "w", encoding="utf-8", newline="") as out:
            writer = csv.DictWriter(out, list(next(iter(results.values()))), lineterminator="\n")
            writer.writeheader()
            writer.writerows(results.values())


def compare(simtlm, options):
    """@return tables, reasons for missing kernels, errors in percent"""
    saved, omitted, errors = load(options.save), [], []
    lines = ["| GPU | kernel | measured, W | simulated, W | error |", "|---|---|--:|--:|--:|"]
    with tempfile.TemporaryDirectory() as folder, open(options.file, encoding="utf-8") as file:
        place = None
        for row in csv.DictReader(file):
            key = (row["gpu"], row["kernel"])
            if not re.search(options.only, " ".join(key)):
                continue
            if key not in saved:
                if options.saved_only:
                    continue
                if place is None:
                    place = hardware_kernels.write_inputs(pathlib.Path(folder),
                                                          pathlib.Path(options.programs or ""))
                    write_mri(place)
                said = simulate(simtlm, row, place, options)
                if isinstance(said, str):
                    omitted.append(f"{' '.join(key)}: {said}")
                    print(omitted[-1], file=sys.stderr, flush=True)
                    continue
                saved[key] = {"gpu": key[0], "kernel": key[1], "measured_W": row["measured_W"], **said}
                store(options.save, saved)
            measured, simulated = float(row["measured_W"]), float(saved[key]["simulated_W"])
            errors.append(100 * (simulated / measured - 1))
            lines.append(f"| {key[0]} | {key[1]} | {measured:.1f} | {simulated:.1f} | {errors[-1]:+.1f} % |")
            print(lines[-1], file=sys.stderr, flush=True)
    return lines, omitted, errors
