# SPDX-License-Identifier: Apache-2.0
"""Kernels whose cycles and memory traffic were measured one by one (AccelWattch's hw_perf.csv), for
compare-hardware."""
import csv
import json
import os
import pathlib
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

# By Benchmark of the file: name in the table, executable with its arguments, and the launches to be
# simulated (--kernels); the first of them is compared.
KERNELS = {
    "backprop-rodinia-3.1": ("bpnn_layerforward (65536)", "bpnn 65536", "1"),
    "hotspot-rodinia-3.1": ("hotspot (1024 2 2)", "hotspot 1024 2 2 temp power out", "1"),
    "srad_v1-rodinia-3.1": ("srad (502x458, first launch)", "srad 100 0.5 502 458", "@_Z4srad"),
    "parboil-sgemm": ("sgemm of Parboil (1024 x 1056 x 992)", "sgemm -i a,b,bt -o c", "1"),
    "dct8x8": ("dct8x8 kernel1", "dct8x8", "1"),
    "fastWalshTransform": ("fwtBatch1", "fwt", "@fwtBatch1"),
    "mergeSort": ("mergeSortShared (4 M)", "mergesort", "1"),
    "quasirandomGenerator": ("quasirandomGenerator", "quasirandom", "1"),
    "sobolQRNG": ("sobol (100000 x 100)", "sobol 100000 100", "1"),
    "binomialOptions": ("binomialOptions", "binomial", "1"),
    "b+tree-rodinia-3.1": ("b+tree findRangeK (a million keys in order)",
                           "btree file keys command commands", "@findRangeK"),
    "cutlass_perf_test_k2": ("CUTLASS 1.3 WMMA GEMM (4096 x 128 x 4096)", "wmma_gemm 4096 128 4096", "1"),
    "cudaTensorCoreGemm": ("cudaTensorCoreGemm (4096 x 4096 x 4096)", "tensorgemm", "1"),
}
# Sectors in the statistics of a kernel, and in the file.
L1, L2 = "Total_core_cache_stats_breakdown", "L2_cache_stats_breakdown"
TRAFFIC = {
    "L1 reads": ([(L1, "R", "TOTAL_ACCESS")], ["L1_RH", "L1_RM"]),
    "L1 read misses": ([(L1, "R", "MISS"), (L1, "R", "SECTOR_MISS")], ["L1_RM"]),
    "L2 reads": ([(L2, "R", "TOTAL_ACCESS")], ["L2_RH", "L2_RM"]),
    "L2 read misses": ([(L2, "R", "MISS"), (L2, "R", "SECTOR_MISS")], ["L2_RM"]),
    "L2 writes": ([(L2, "W", "TOTAL_ACCESS")], ["L2_WH", "L2_WM"]),
    "DRAM writes": ([], ["DRAM_Wr"]),
}


def write_inputs(folder, programs):
    """Input files of the programs: random, or keys in order. @return the folder to run them in"""
    number = random.Random(1).random

    def numbers(name, count, low, high):
        (run / name).write_text("".join(f"{low + (high - low) * number():.6f}\n" for _ in range(count)))

    def matrix(name, rows, columns):
        values = " ".join(f"{number():.3f}" for _ in range(rows * columns))
        (run / name).write_text(f"{rows} {columns} {values}\n")

    run = folder / "a" / "b" / "c"  # srad reads ../../../data
    run.mkdir(parents=True)
    image = folder / "data" / "srad"
    image.mkdir(parents=True)
    numbers("temp", 1024 * 1024, 320, 345)
    numbers("power", 1024 * 1024, 0, 0.01)
    matrix("a", 1024, 992)
    matrix("b", 992, 1056)
    matrix("bt", 1056, 992)
    (image / "image.pgm").write_text("P2\n458 502\n255\n" + "\n".join(
        str(int(255 * number())) for _ in range(502 * 458)) + "\n")
    (run / "keys").write_text("1000000\n" + "".join(f"{k}\n" for k in range(1, 1000001)))
    (run / "commands").write_text("j 6000 3000\nk 10000\n")
    if (programs / "data").exists():  # teapot512.bmp of dct8x8
        shutil.copytree(programs / "data", run / "data")
    return run


def first_report(text, last):
    """The statistics of the first kernel, or None while the one of the name `last` is missing."""
    report = text.split("kernel_launch_uid = 1 ", 1)[-1].split("kernel_launch_uid = 2 ", 1)[0]
    return report if "gpu_sim_cycle = " in report and last in report else None


def report_of(simtlm, preset, program, words, more, last, folder, options):
    """The statistics of the first kernel that `simtlm run` simulates, or the reason why they are missing,
    and whether there are any. The program is ended after it. @param last  a statistic at their end"""
    with tempfile.TemporaryDirectory() as results:
        text = pathlib.Path(results) / "stats.txt"
        growing = text.with_name("stats.txt.part")
        command = [simtlm, "run", "--preset", preset, "-gpgpu_kernel_launch_latency", "0", *more,
                   *[w for o in options.option for w in o.split(None, 1)],
                   "--stats-file", str(text), "--", str(program), *words]
        with open(pathlib.Path(results) / "output.txt", "w+", encoding="utf-8",
                  errors="replace") as said:
            process = subprocess.Popen(command, cwd=folder, stdout=said, stderr=said,
                                       start_new_session=True,
                                       preexec_fn=lambda: os.nice(options.nice))
            until = time.time() + options.timeout
            report = None
            while report is None:
                ended = process.poll() is not None
                for file in (text, growing):
                    if file.exists():
                        report = first_report(file.read_text(), last)
                        break
                if ended or report or time.time() > until:
                    break
                time.sleep(1)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            said.seek(0)
            said_last = (said.read().strip().splitlines() or [""])[-1]
    if report is None:
        return (said_last if ended else f"longer than {options.timeout} s"), False
    return report, True


def run_kernel(simtlm, benchmark, code, folder, options):
    """Cycles and traffic of a kernel, or the reason why they are missing."""
    _, words, launches = KERNELS[benchmark]
    words = words.split()
    program = pathlib.Path(options.programs or "").resolve() / words[0]
    if not program.exists():
        return f"there is no {program.name} in {program.parent}"
    report, found = report_of(
        simtlm, options.preset, program, words[1:],
        ["--core", "modern", "--code", code, "-gpgpu_perf_sim_memcpy", "0", "-gpgpu_flush_l2_cache", "1",
         "--kernels", launches], f"{L2}[GLOBAL_ACC_W][TOTAL_ACCESS]", folder, options)
    if not found:
        return report

    def count(cache, kind, result):
        # The counters of the L2 include textures and local memory, those of the L1 do not.
        spaces = "GLOBAL|LOCAL|TEXTURE" if cache == L2 else "GLOBAL"
        return sum(int(n) for n in re.findall(
            rf"{cache}\[(?:{spaces})_ACC_{kind}\]\[{result}\] = (\d+)", report))

    return {"cycles": int(re.search(r"gpu_sim_cycle = (\d+)", report)[1]),
            **{name: sum(count(*c) for c in counters) for name, (counters, _) in TRAFFIC.items()},
            "DRAM writes": sum(int(n) for n in re.findall(r"\bn_(?:write|wr_bk)=(\d+)", report))}


def difference(simulated, measured):
    if measured < 1:
        return "-" if simulated == 0 else f"{simulated:,} instead of 0"
    return f"{100 * (simulated / measured - 1):+.1f} %"


def tables(results, overhead, codes):
    """Cycles and traffic of the kernels that have been simulated."""
    def error(r, code, more):
        return 100 * ((r[code]["cycles"] + more) / r["measured"]["cycles"] - 1)

    names = {"sass": "machine code", "ptx": "PTX"}
    lines = ["| kernel (arguments) | measured | " + " | ".join(
        f"{names[c]} | with overhead | error" for c in codes) + " |",
        "|---|--:|" + "--:|--:|--:|" * len(codes)]
    for benchmark, r in results.items():
        cells = [KERNELS[benchmark][0], f"{r['measured']['cycles']:,.0f}"]
        for code in codes:
            cells += ([f"{r[code]['cycles']:,}", f"{r[code]['cycles'] + overhead:,.0f}",
                       f"{error(r, code, overhead):+.1f} %"] if code in r else ["", "", ""])
        lines.append("| " + " | ".join(cells) + " |")
    lines.append("")
    for code in codes:
        done = [r for r in results.values() if code in r]
        if done:
            mean = [statistics.mean(abs(error(r, code, more)) for r in done) for more in (overhead, 0)]
            lines.append(f"Mean absolute error of {len(done)} kernels as {names[code]}: {mean[0]:.1f} % "
                         f"({mean[1]:.1f} % without the overhead).")
    lines += ["", "Memory traffic in sectors, as difference from the measurement:", "",
              "| kernel | " + " | ".join(TRAFFIC) + " |", "|---|" + "--:|" * len(TRAFFIC)]
    for benchmark, r in results.items():
        if codes[0] in r:
            lines.append(f"| {KERNELS[benchmark][0].split(' (')[0]} | " + " | ".join(
                difference(r[codes[0]][n], r["measured"][n]) for n in TRAFFIC) + " |")
    return lines


def compare(simtlm, options, overhead):
    """@return tables for the kernels of a file, reasons for missing ones, errors of the first code"""
    saved = {}
    if options.save and pathlib.Path(options.save).exists():
        saved = json.loads(pathlib.Path(options.save).read_text())
    codes = ["ptx" if ":" not in c else c.split(":")[1] for c in options.cores.split(",")
             if c.startswith("modern")]
    codes.sort(key=lambda c: c != "sass")
    results, omitted = {}, []
    with tempfile.TemporaryDirectory() as folder:
        place = None
        for row in csv.DictReader(open(options.file, encoding="utf-8")):
            benchmark = row["Benchmark"]
            if benchmark not in KERNELS or not re.search(options.only, benchmark):
                continue
            result = {"measured": {"cycles": float(row["Elapsed_Cycles"]), **{
                n: sum(float(row[c]) for c in columns) for n, (_, columns) in TRAFFIC.items()}}}
            for code in codes:
                name = f"{code}: {benchmark}"
                if name not in saved:
                    if options.saved_only:
                        continue
                    place = place or write_inputs(pathlib.Path(folder), pathlib.Path(options.programs or ""))
                    said = run_kernel(simtlm, benchmark, code, place, options)
                    if isinstance(said, str):
                        omitted.append(f"{name}: {said}")
                        print(omitted[-1], file=sys.stderr, flush=True)
                        continue
                    saved[name] = said
                    print(f"{name}: {said['cycles']:,} cycles", file=sys.stderr, flush=True)
                    if options.save:
                        pathlib.Path(options.save).write_text(json.dumps(saved))
                result[code] = saved[name]
            if len(result) > 1:
                results[benchmark] = result
    if not results:
        sys.exit("no kernel could be compared")
    errors = [100 * ((r[codes[0]]["cycles"] + overhead) / r["measured"]["cycles"] - 1)
              for r in results.values() if codes[0] in r]
    return tables(results, overhead, codes), omitted, errors
