# SPDX-License-Identifier: Apache-2.0
"""Compares microbenchmarks of a B200's tensor core and copies: for scripts/compare-hardware.

Files have the formats of SemiAnalysisAI/microbench-blackwell: umma_latency, umma_throughput (also of small
depths), pipeline_depth, cutlass_gemm_mainloop, tma2d_throughput, tma2dmcast_throughput, ldgsts_throughput. The
programs are PTX that is generated here after the description of those benchmarks, one kernel per
row, all of which one simulation launches. They repeat less often than the original: what does not depend on the number of
repetitions is subtracted, as the difference of two lengths (gemm, copies) or by a warm-up (umma).
"""
import csv
import os
import pathlib
import re
import statistics
import struct
import subprocess
import tempfile

HEAD = ".version 9.0\n.target sm_100a\n.address_size 64\n.extern .shared .align 1024 .b8 sm[];\n"
CLOCK_MHZ = 1965  # of the measurements, and of the preset
SMS = 148
BUFFER = 1 << 31
GEMM_ROUNDS = 24   # of the pipeline's stages, at least
# Matrices that fit into the L2 of one die are read from it. A chain of loads that traverses 61 MB again and again takes
# 320 cycles per load, one of 84 MB 637 (markdewing/AI_kernels, latency): no line stays until its next use, so that those
# of the SM's own die come from DRAM, and the others from the other die, which takes less time.
L2_BYTES = 132644864 // 2
OWN_DIE = ["-gpgpu_l2_far_latency", "0", "-gpgpu_l2_far_interval", "0", "-gpgpu_l2_partition_bits", "none",
           "-gpgpu_gpc_partitions", "alternate"]
# Copies by all SMs run on a quarter of the GPU: of its SMs (37, of which clusters of four use 32), L2 and DRAM.
QUARTER_SMS, QUARTER_GPCS = SMS // 4, (19, 18)
QUARTER = ["-gpgpu_n_clusters", str(QUARTER_SMS), "-gpgpu_gpc_sms", "19,18", "-gpgpu_gpc_partitions", "0,1",
           "-gpgpu_n_mem", "32"]
COPY_BYTES = 1 << 20  # that these SMs copy while the time is taken, at least


class Launch:
    """A kernel of a row, and what it is launched with."""

    def __init__(self, kernel, grid, block, arguments, shared=0, cluster=1):
        self.text = (f"launch {kernel} grid {grid} block {block}" + (f" cluster {cluster}" if cluster > 1 else "")
                     + (f" shared {shared}" if shared else "") + " args " + " ".join(arguments))


def simulate(simtlm, options, kernels, launches, prelude, clocks, more=()):
    """Runs launches of kernels (PTX). Returns the cycles of each kernel, and the words of the buffer `clocks`."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "k.ptx").write_text(HEAD + "\n".join(kernels))
        script = f"buffer clocks u64 {clocks} zero\n{prelude}"
        script += "\n".join(launch.text for launch in launches) + "\noutput clocks clocks.bin\n"
        (folder / "k.launch").write_text(script)
        for name, data in getattr(options, "files", {}).items():
            (folder / name).write_bytes(data)
        command = [simtlm, "--preset", options.preset, "-gpgpu_kernel_launch_latency", "0", *more,
                   *[w for o in options.option for w in o.split(None, 1)],
                   "--ptx", str(folder / "k.ptx"), "--launch", str(folder / "k.launch")]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False,
                              preexec_fn=lambda: os.nice(options.nice))
        if done.returncode:
            raise RuntimeError((done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1])
        cycles = [int(c) for c in re.findall(r"^gpu_sim_cycle = (\d+)", done.stdout, re.MULTILINE)]
        words = struct.unpack(f"<{clocks}Q", (folder / "clocks.bin").read_bytes())
        return cycles, words


# ---- umma: bursts of tcgen05.mma, each followed by a commit and a wait -------------------------------

KINDS = {"BF16": ("f16", 1, 1), "E4M3": ("f8f6f4", 0, 1), "S8": ("i8", 1, 2), "F4": ("f8f6f4", 5, 1),
         "MXF8": ("mxf8f6f4.block_scale", 0, None), "MXF4": ("mxf8f6f4.block_scale", 5, None)}
ROW_BYTES = 32  # of A and B that one product reads


def instruction_descriptor(row):
    _, element, sums = KINDS[row["Format"]]
    m, n = int(row["M"]), int(row["N"])
    scales = 1 << 23 if sums is None else sums << 4
    # simtlm has no A of four bits in tensor memory; E4M3 takes as long.
    first = 0 if row["ABLayout"] == "TS" and element == 5 else element
    return scales | first << 7 | element << 10 | n // 8 << 17 | m // 16 << 24


def matrix_descriptor(address, rows):
    """Without swizzle: groups of eight rows are adjacent, halves of rows `rows` x 16 bytes apart."""
    return address // 16 | rows << 16 | 8 << 32 | 1 << 46


def umma_kernel(name, row, depth):
    """Kernel with parameters: clocks, instruction descriptor, descriptors of A and B, bursts (an even number). A
    single burst is timed, and then a loop of them, each after two others."""
    ctas = row["CTAGroup"]
    kind = KINDS[row["Format"]][0]
    a = "[%ta]" if row["ABLayout"] == "TS" else "%da"
    scales = ", [%ts], [%ts]" if "MX" in row["Format"] else ""
    product = f"@%leader tcgen05.mma.cta_group::{ctas}.kind::{kind} [%tm], {a}, %db, %id{scales}, "
    body = product + "%first;\n" + (product + "%true;\n") * (depth - 1)
    commit = (f"@%leader tcgen05.commit.cta_group::{ctas}.mbarrier::arrive::one.shared::cluster."
              "multicast::cluster.b64 [bar], %h0;")
    burst = f"""{body}
  {commit}
WAIT:
  mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [bar], %parity;
  @!%p2 bra WAIT;"""
    sync = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" if ctas == "2" else "bar.sync 0;"
    return f"""
.visible .entry {name}(.param .u64 p0, .param .u32 p1, .param .u64 p2, .param .u64 p3, .param .u32 p4)
{".reqnctapercluster 2, 1, 1" if ctas == "2" else ""}
{{
  .shared .align 8 .b64 bar; .shared .align 4 .b32 slot;
  .reg .b32 %r<16>; .reg .b64 %d<16>; .reg .pred %p<8>; .reg .pred %leader, %true, %first; .reg .b16 %h<2>;
  .reg .b32 %tm, %ta, %ts, %id, %i, %n; .reg .b64 %da, %db, %t0, %t1;
  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; shr.u32 %r2, %r0, 5;
  setp.eq.u32 %p0, %r2, 0; setp.eq.u32 %p1, %r0, 0;
  or.b32 %r3, %r0, %r1; setp.eq.u32 %leader, %r3, 0; setp.eq.u32 %true, 0, 0;
  setp.eq.u32 %first, 1, {1 if depth == 1 else 0};
  ld.param.u32 %id, [p1]; ld.param.u64 %da, [p2]; ld.param.u64 %db, [p3]; ld.param.u32 %n, [p4];
  mov.u32 %r4, sm; shr.u32 %r4, %r4, 4; cvt.u64.u32 %d0, %r4; add.u64 %da, %da, %d0; add.u64 %db, %db, %d0;
  @%p1 mbarrier.init.shared.b64 [bar], 1;
  fence.mbarrier_init.release.cluster;
  @!%p0 bra READY;
  tcgen05.alloc.cta_group::{ctas}.sync.aligned.shared::cta.b32 [slot], 512;
READY:
  {sync}
  ld.shared.u32 %tm, [slot];
  add.u32 %ta, %tm, {row["N"]}; add.u32 %ts, %ta, 8;
  mov.u16 %h0, {3 if ctas == "2" else 1};
  {burst.replace("%parity", "0").replace("WAIT", "WARM0")}
  {burst.replace("%parity", "1").replace("WAIT", "WARM1")}
  mov.u64 %t0, %clock64;
  {burst.replace("%parity", "0").replace("WAIT", "ONE")}
  mov.u64 %t1, %clock64;
  sub.u64 %d2, %t1, %t0;
  {burst.replace("%parity", "1").replace("WAIT", "WARM2")}
  mov.u32 %i, 0; mov.u64 %t0, %clock64;
BURST:
  {burst.replace("%parity", "0").replace("WAIT", "EVEN")}
  {burst.replace("%parity", "1").replace("WAIT", "ODD")}
  add.u32 %i, %i, 2; setp.lt.u32 %p3, %i, %n;
  @%p3 bra BURST;
  mov.u64 %t1, %clock64;
  sub.u64 %d3, %t1, %t0;
  ld.param.u64 %d4, [p0];
  @%leader st.global.u64 [%d4], %d2;
  @%leader st.global.u64 [%d4+8], %d3;
  {sync}
  @!%p0 bra END;
  tcgen05.dealloc.cta_group::{ctas}.sync.aligned.b32 %tm, 512;
END:
  ret;
}}"""


def umma(simtlm, options, rows, depths, bursts=4):
    """For each row and depth: cycles per product of repeated bursts, and cycles of one burst."""
    kernels, launches = {}, []
    for row in rows:
        for depth in depths(row):
            name = "_".join(("k", row["Format"], row["ABLayout"], row["CTAGroup"], row["N"], str(depth)))
            kernels[name] = umma_kernel(name, row, depth)
            ctas = int(row["CTAGroup"])
            a_rows, b_rows = int(row["M"]) // ctas, int(row["N"]) // ctas
            at = a_rows * ROW_BYTES
            launches.append(Launch(name, ctas, 128,
                                   [f"clocks+{16 * len(launches)}", f"u32:{instruction_descriptor(row)}",
                                    f"u64:{matrix_descriptor(0, a_rows)}", f"u64:{matrix_descriptor(at, b_rows)}",
                                    f"u32:{bursts}"], shared=at + b_rows * ROW_BYTES, cluster=ctas))
    _, words = simulate(simtlm, options, kernels.values(), launches, "", 2 * len(launches))
    results = iter(zip(words[::2], words[1::2]))
    values = []
    for row in rows:
        values.append([])
        for depth in depths(row):
            one, all_bursts = next(results)
            values[-1].append((all_bursts / bursts / depth, one))
    return values


def umma_latency(simtlm, options, rows):
    return [[(v[0][1], float(row["MedianCycles"]))]
            for row, v in zip(rows, umma(simtlm, options, rows, lambda row: [1]))]


def umma_throughput(simtlm, options, rows):
    values = umma(simtlm, options, rows, lambda row: [int(row["PipelineDepth"])])
    return [[(v[0][0], float(row["CyclesPerMMA"]))] for row, v in zip(rows, values)]


def umma_pipeline(simtlm, options, rows):
    values = umma(simtlm, options, rows, lambda row: [1, 256])
    return [[(v[0][1], float(row["Latency"])), (v[1][0], float(row["InitiationInterval"]))]
            for row, v in zip(rows, values)]


# ---- bulk tensor copies ------------------------------------------------------------------------------

def tensor_map(element, width, height, pitch, box, swizzle):
    """The 128 bytes of a map of a matrix as simtlm has them (modules/execution/state/tensor_map.h), without
    address, which the kernel `place` sets."""
    numbers = {"u8": 0, "f32": 7, "bf16": 10}
    data = bytearray(128)
    struct.pack_into("<I", data, 8, 1 << 4 | numbers[element] << 7 | swizzle << 13)
    struct.pack_into("<I", data, 12, pitch // 16)
    struct.pack_into("<2I", data, 32, width - 1, height - 1)
    data[55:57] = bytes((box[0] - 1, box[1] - 1))
    struct.pack_into("<Q", data, 64, 0x70616d746c6d7473)
    return bytes(data)


PLACE = """
.visible .entry place(.param .u64 map, .param .u64 address)
{
  .reg .b64 %d<4>;
  ld.param.u64 %d0, [map]; ld.param.u64 %d1, [address];
  tensormap.replace.tile.global_address.global.b1024.b64 [%d0], %d1;
  ret;
}"""


def wait(label, barrier, parity):
    return f"""
{label}:
  mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %w, [{barrier}], {parity};
  @!%w bra {label};"""


def copy_box(to, tensor, x, y, barrier, multicast=""):
    space = "cluster" if multicast else "cta"
    many = ".multicast::cluster" if multicast else ""
    return (f"cp.async.bulk.tensor.2d.shared::{space}.global.mbarrier::complete_tx::bytes{many} "
            f"[{to}], [{tensor}, {{{x}, {y}}}], [{barrier}]{multicast};")


# ---- GEMM main loop: one CTA, a warp that copies and one that multiplies ------------------------------

GEMM_MHZ = 1300  # plot_results.py there; products and copies take whole cycles at this clock
SHARED_BYTES = 232448
MAX_STAGES = 16


def gemm_shape(row):
    m, n, k = (int(row[name]) for name in ("TILE_M", "TILE_N", "TILE_K"))
    row_bytes = k * (2 if row["dtype"] == "BF16" else 1)
    span = min(row_bytes, 128)
    return m, n, row_bytes, span


def gemm_stages(row):
    m, n, row_bytes, _ = gemm_shape(row)
    if int(row["STAGES"]):
        return int(row["STAGES"])
    return min(MAX_STAGES, (SHARED_BYTES - 2048) // ((m + n) * row_bytes + 32))


def gemm_kernel(name, row):
    """Kernel with parameters: maps of A and B, number of tiles along K, and its first element."""
    m, n, row_bytes, span = gemm_shape(row)
    stages, a_bytes, b_bytes = gemm_stages(row), m * row_bytes, n * row_bytes
    stage_bytes = (a_bytes + b_bytes + 1023) // 1024 * 1024
    kind, element, _ = KINDS["BF16" if row["dtype"] == "BF16" else "E4M3"]
    descriptor = 1 << 4 | element << 7 | element << 10 | n // 8 << 17 | m // 16 << 24
    mode = {32: 6, 64: 4, 128: 2}[span]
    high = (8 * span // 16) | 1 << 14 | mode << 29
    copies, products = "", ""
    element_bytes = 2 if row["dtype"] == "BF16" else 1
    for chunk in range(row_bytes // span):
        copies += f"""
  add.u32 %x, %k, {chunk * span // element_bytes};
  add.u32 %to, %stage, {chunk * m * span};
  @%first {copy_box("%to", "%ma", "%x", "%zero", "%full")}
  add.u32 %to, %stage, {a_bytes + chunk * n * span};
  @%first {copy_box("%to", "%mb", "%x", "%zero", "%full")}"""
        for part in range(span // ROW_BYTES):
            first = chunk == 0 and part == 0
            products += f"""
  add.u32 %to, %low, {(chunk * m * span + part * ROW_BYTES) // 16}; mov.b64 %da, {{%to, %high}};
  add.u32 %to, %low, {(a_bytes + chunk * n * span + part * ROW_BYTES) // 16}; mov.b64 %db, {{%to, %high}};
  @%first tcgen05.mma.cta_group::1.kind::{kind} [%tm], %da, %db, %id, {"%adds" if first else "%true"};"""
    step = f"""
  add.u32 %i, %i, 1; add.u32 %stage, %stage, {stage_bytes}; add.u32 %full, %full, 8; add.u32 %empty, %empty, 8;
  setp.ne.u32 %p1, %stage, %end;
  @%p1 bra %label;
  mov.u32 %stage, sm; mov.u32 %full, bars; add.u32 %empty, %full, {8 * stages}; xor.b32 %phase, %phase, 1;"""
    def next_stage(label, again):
        return step.replace("%label", label) + f"""
{label}:
  setp.lt.u32 %p2, %i, %n;
  @%p2 bra {again};"""
    return f"""
.visible .entry {name}(.param .u64 p0, .param .u64 p1, .param .u32 p2, .param .u32 p3)
{{
  .shared .align 8 .b64 bars[{2 * stages + 1}]; .shared .align 4 .b32 slot;
  .reg .b32 %r<8>; .reg .pred %p<8>, %w, %adds, %true, %first; .reg .b64 %ma, %mb, %da, %db;
  .reg .b32 %tm, %i, %n, %k, %x, %zero, %to, %stage, %end, %full, %empty, %phase, %last, %low, %high, %id, %bytes;
  mov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 5; setp.eq.u32 %p0, %r0, 0;
  ld.param.u64 %ma, [p0]; ld.param.u64 %mb, [p1]; ld.param.u32 %n, [p2];
  mov.u32 %zero, 0; mov.u32 %i, 0; ld.param.u32 %k, [p3]; mov.u32 %phase, 0;
  mov.u32 %stage, sm; add.u32 %end, %stage, {stages * stage_bytes};
  mov.u32 %full, bars; add.u32 %empty, %full, {8 * stages}; add.u32 %last, %full, {16 * stages};
  @!%p0 bra INITIALISED;
  mov.u32 %r2, %full;
INITIALISE:
  mbarrier.init.shared.b64 [%r2], 1; add.u32 %r2, %r2, 8; setp.le.u32 %p1, %r2, %last;
  @%p1 bra INITIALISE;
  fence.mbarrier_init.release.cluster;
INITIALISED:
  setp.ne.u32 %p3, %r1, 0;
  @%p3 bra ALLOCATED;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 512;
ALLOCATED:
  bar.sync 0;
  ld.shared.u32 %tm, [slot];
  and.b32 %r2, %r0, 31; setp.eq.u32 %first, %r2, 0;
  setp.eq.u32 %p3, %r1, 1;
  @%p3 bra MULTIPLY;
  setp.ne.u32 %p3, %r1, 0;
  @%p3 bra FINISH;
COPY:
  xor.b32 %r3, %phase, 1;{wait("EMPTY", "%empty", "%r3")}
  @%first mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%full], {a_bytes + b_bytes};
{copies}
  add.u32 %k, %k, {row_bytes // element_bytes};
{next_stage("COPIED", "COPY")}
  bra FINISH;
MULTIPLY:
  setp.eq.u32 %true, 0, 0; mov.u32 %id, {descriptor}; mov.u32 %high, {high};
PRODUCTS:{wait("FULL", "%full", "%phase")}
  shr.u32 %low, %stage, 4; or.b32 %low, %low, {1 << 16}; setp.ne.u32 %adds, %i, 0;
{products}
  @%first tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%empty];
{next_stage("MULTIPLIED", "PRODUCTS")}
  @%first tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%last];
FINISH:{wait("DONE", "%last", "0")}
  bar.sync 0;
  setp.ne.u32 %p3, %r1, 0;
  @%p3 bra END;
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %tm, 512;
END:
  ret;
}}"""


def is_retained(row):
    """Whether the L2 of a die holds the matrices of a row."""
    m, n, _, _ = gemm_shape(row)
    return (m + n) * 131072 * (2 if row["dtype"] == "BF16" else 1) <= L2_BYTES


def gemm(simtlm, options, rows):
    figures = {}
    for retained in (True, False):
        chosen = [i for i, row in enumerate(rows) if is_retained(row) == retained]
        if chosen:
            figures.update(zip(chosen, gemm_loops(simtlm, options, [rows[i] for i in chosen], retained)))
    return [figures[i] for i in range(len(rows))]


def gemm_loops(simtlm, options, rows, retained):
    """Each row: twice a short and a long loop, over the same data, which are in the L2 the second time, or over new
    data, which are in DRAM."""
    kernels, launches, prelude, files, counted = [PLACE], [], "", {}, []
    for index, row in enumerate(rows):
        m, n, row_bytes, span = gemm_shape(row)
        rounds = gemm_stages(row) * 4
        short, long = rounds, rounds + max(GEMM_ROUNDS, rounds)
        counted.append((long - short, 131072 // int(row["TILE_K"])))
        kernels.append(gemm_kernel(f"k{index}", row))
        element, size = ("bf16", 2) if row["dtype"] == "BF16" else ("u8", 1)
        pitch = 131072 * size
        mode = {32: 1, 64: 2, 128: 3}[span]
        data = "data" if retained else f"data{index}"
        if not retained:
            prelude += f"buffer {data} u8 {384 * 262144} unwritten\n"
        for operand, count in (("a", m), ("b", n)):
            name = f"{operand}{index}"
            files[f"{name}.map"] = tensor_map(element, 131072, count, pitch, (span // size, count), mode)
            prelude += f"buffer {name} u8 128 file {name}.map\n"
            base = data if operand == "a" else f"{data}+{128 * 262144}"
            launches.append(Launch("place", 1, 1, [name, base]))
        stage_bytes = ((m + n) * row_bytes + 1023) // 1024 * 1024
        first = 0
        for tiles in (long, short, long):
            launches.append(Launch(f"k{index}", 1, 128, [f"a{index}", f"b{index}", f"u32:{tiles}", f"u32:{first}"],
                                   shared=gemm_stages(row) * stage_bytes))
            first += 0 if retained else tiles * int(row["TILE_K"])
    options.files = files
    prelude += f"buffer data u8 {384 * 262144} zero\n"
    clocks = ["-gpgpu_clock_domains", f"{GEMM_MHZ}:{GEMM_MHZ}:{GEMM_MHZ}:4000"]
    cycles, _ = simulate(simtlm, options, kernels, launches, prelude, 1, clocks + ([] if retained else OWN_DIE))
    figures = []
    for (tiles, all_tiles), row, first in zip(counted, rows, range(0, len(cycles), 5)):
        each = (cycles[first + 4] - cycles[first + 3]) / tiles
        figures.append([(each * all_tiles / GEMM_MHZ / 1e3, float(row["time_ms"]))])
    return figures


# ---- copies by all SMs: tensor copies, with and without sharing, and cp.async --------------------------

# Rounds are timed by a thread of each block, after `warm` others and before as many: other blocks then copy, too.
ROUNDS = """.param .u32 warm, .param .u32 timed, .param .u64 clocks"""
ROUND_REGISTERS = """.reg .b32 %i, %n, %from, %until; .reg .pred %at; .reg .b64 %t0, %t1, %clocks;
  ld.param.u32 %from, [warm]; ld.param.u32 %until, [timed]; ld.param.u64 %clocks, [clocks]; add.u32 %until, %until, %from;
  add.u32 %n, %until, %from; mov.u32 %i, 0;"""
STAMP = """
  setp.eq.u32 %at, %i, %from; @%at mov.u64 %t0, %clock64;
  setp.eq.u32 %at, %i, %until; @%at mov.u64 %t1, %clock64;"""
STORE_TIME = """
  sub.u64 %t1, %t1, %t0; mov.u32 %i, %ctaid.x; mul.wide.u32 %t0, %i, 8; add.u64 %clocks, %clocks, %t0;
  mov.u32 %i, %tid.x; setp.eq.u32 %at, %i, 0;
  @%at st.global.u64 [%clocks], %t1;
  ret;"""


def tma_kernel(name, row):
    """Kernel with parameters: map, first row of the tensor, rounds. One warp with a pipeline of stages."""
    stages, width, height = int(row["NumStages"]), int(row["SmemWidth"]), int(row["SmemHeight"])
    tile = width * height * 4
    start = f"""
  mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%bar], {tile};
  {copy_box("%to", "%map", "%zero", "%y", "%bar")}"""
    advance = f"""
  add.u32 %y, %y, %step; add.u32 %i, %i, 1; add.u32 %to, %to, {tile}; add.u32 %bar, %bar, 8;
  setp.ne.u32 %p1, %bar, %end;"""
    return f"""
.visible .entry {name}(.param .u64 p0, .param .u32 p1, {ROUNDS})
{{
  .shared .align 8 .b64 bars[{stages}];
  .reg .b32 %r<4>, %y, %step, %to, %bar, %end, %zero, %phase; .reg .pred %p<4>, %w, %first; .reg .b64 %map;
  {ROUND_REGISTERS}
  mov.u32 %r0, %tid.x; setp.eq.u32 %first, %r0, 0;
  ld.param.u64 %map, [p0]; ld.param.u32 %y, [p1];
  mov.u32 %r1, %ctaid.x; mad.lo.u32 %y, %r1, {height}, %y; mov.u32 %r2, %nctaid.x; mul.lo.u32 %step, %r2, {height};
  mov.u32 %zero, 0; mov.u32 %phase, 0; mov.u32 %to, sm; mov.u32 %bar, bars;
  add.u32 %end, %bar, {8 * stages};
INITIALISE:
  @%first mbarrier.init.shared.b64 [%bar], 1;
  add.u32 %bar, %bar, 8; setp.ne.u32 %p0, %bar, %end;
  @%p0 bra INITIALISE;
  fence.mbarrier_init.release.cluster;
  bar.warp.sync 0xffffffff;
  mov.u32 %bar, bars;
FILL:
  @!%first bra FILLED;
{start}
FILLED:{advance}
  @%p1 bra FILL;
  mov.u32 %to, sm; mov.u32 %bar, bars;
AGAIN:{STAMP}{wait("OLDEST", "%bar", "%phase")}
  @!%first bra STARTED;
{start}
STARTED:{advance}
  @%p1 bra SAME;
  mov.u32 %to, sm; mov.u32 %bar, bars; xor.b32 %phase, %phase, 1;
SAME:
  setp.lt.u32 %p2, %i, %n;
  @%p2 bra AGAIN;
  mov.u32 %bar, bars;
DRAIN:{wait("LAST", "%bar", "%phase")}
  add.u32 %bar, %bar, 8; setp.ne.u32 %p0, %bar, %end;
  @%p0 bra DRAIN;
  {STORE_TIME}
}}"""


def copies(simtlm, options, rows, describe):
    """Cycles of a round of each row. describe(name, row): kernel, grid, block, shared bytes, cluster, bytes of a
    round, rounds at least, tensor map or None, rows of the tensor per round"""
    kernels, launches, prelude, files, grids, timed = [PLACE], [], "", {}, [], []
    position = 0  # in the buffer: rows do not find each other's data in the L2
    for index, row in enumerate(rows):
        kernel, grid, block, shared, cluster, round_bytes, warm, tensor, height = describe(f"k{index}", row)
        kernels.append(kernel)
        timed.append(max(2 * warm, -(-COPY_BYTES // round_bytes)))
        source = "data"
        if tensor:
            source = f"m{index}"
            files[f"{source}.map"] = tensor
            prelude += f"buffer {source} u8 128 file {source}.map\n"
            launches.append(Launch("place", 1, 1, [source, "data"]))
        all_bytes = (2 * warm + timed[-1] + 1) * round_bytes
        position = position if position + all_bytes <= BUFFER else 0
        first = -(-position // round_bytes)
        position += all_bytes + round_bytes
        place = [source, f"u32:{first * height}"] if tensor else [f"data+{first * round_bytes}"]
        launches.append(Launch(f"k{index}", grid, block, [*place, f"u32:{warm}", f"u32:{timed[-1]}",
                                                          f"clocks+{8 * sum(grids)}"], shared, cluster))
        grids.append(grid)
    prelude += f"buffer data u8 {BUFFER} unwritten\n"
    options.files = files
    _, words = simulate(simtlm, options, kernels, launches, prelude, sum(grids), QUARTER)
    results = []
    for row, grid, n in zip(rows, grids, timed):
        times, words = words[:grid], words[grid:]
        # Clusters that the SMs of the GPCs have no room for run when the others have ended.
        cluster = int(row.get("cluster_size", 1))
        at_once = sum(sms // cluster for sms in QUARTER_GPCS) * cluster if grid <= QUARTER_SMS else grid
        results.append(sum(statistics.mean(part) for part in (times[:at_once], times[at_once:]) if part) / n)
    return results


def tma2d(simtlm, options, rows):
    def describe(name, row):
        width, height, stages = (int(row[n]) for n in ("SmemWidth", "SmemHeight", "NumStages"))
        ctas, tile = QUARTER_SMS * int(row["CTAsPerSM"]), width * height * 4
        times = 4 if ctas * tile * stages < 1 << 21 else 2  # that the stages are filled
        tensor = tensor_map("f32", width, BUFFER // (4 * width), 4 * width, (width, height), 0)
        return (tma_kernel(name, row), ctas, 32, max(stages * tile, 200000 // int(row["CTAsPerSM"])), 1,
                ctas * tile, times * stages, tensor, ctas * height)
    return [[(c, float(row["CyclesPerTMA"]))] for row, c in zip(rows, copies(simtlm, options, rows, describe))]


def multicast_kernel(name, row):
    """Kernel with parameters: map, first row, rounds. Four warps, each with a box and an mbarrier. As in machine code, a
    fence (MEMBAR.ALL.GPU) precedes the release of the cluster's barrier; PTX in simtlm waits for stores only."""
    mode, cluster, group = int(row["mode"]), int(row["cluster_size"]), int(row["sharing_group"])
    height, tile, warps = int(row["smem_height"]), int(row["tile_bytes"]), 4
    shared_by = group if mode == 3 else cluster if mode != 2 else 1
    leader = "setp.eq.u32 %p1, %rank, 0;" if mode == 1 else "setp.eq.u32 %p1, 0, 0;"
    many = ", %mask" if mode == 1 else ""
    return f"""
.visible .entry {name}(.param .u64 p0, .param .u32 p1, {ROUNDS})
.reqnctapercluster {cluster}, 1, 1
{{
  .shared .align 8 .b64 bars[{warps}];
  .reg .b32 %r<8>, %y, %step, %to, %bar, %zero, %phase, %rank, %groups; .reg .pred %p<4>, %w, %first;
  .reg .b64 %map; .reg .b16 %mask;
  {ROUND_REGISTERS}
  mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 31; setp.eq.u32 %first, %r1, 0; shr.u32 %r2, %r0, 5;
  ld.param.u64 %map, [p0]; ld.param.u32 %y, [p1];
  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %nctaid.x; mov.u32 %rank, %cluster_ctarank;
  div.u32 %r5, %r3, {shared_by}; div.u32 %groups, %r4, {shared_by}; mov.u16 %mask, {(1 << cluster) - 1};
  mad.lo.u32 %r5, %r5, {warps}, %r2; mad.lo.u32 %y, %r5, {height}, %y;
  mul.lo.u32 %step, %groups, {warps * height};
  mov.u32 %zero, 0; mov.u32 %phase, 0;
  mov.u32 %to, sm; mad.lo.u32 %to, %r2, {tile}, %to; mov.u32 %bar, bars; mad.lo.u32 %bar, %r2, 8, %bar;
  @%first mbarrier.init.shared.b64 [%bar], 1;
  fence.mbarrier_init.release.cluster;
  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
  {leader} and.pred %p1, %p1, %first;
AGAIN:{STAMP}
  @%first mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%bar], {tile};
  @%p1 {copy_box("%to", "%map", "%zero", "%y", "%bar", many)}
{wait("ARRIVED", "%bar", "%phase")}
  xor.b32 %phase, %phase, 1; add.u32 %y, %y, %step; add.u32 %i, %i, 1;
  fence.acq_rel.gpu;
  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
  setp.lt.u32 %p2, %i, %n;
  @%p2 bra AGAIN;
  {STORE_TIME}
}}"""


def multicast_ctas(row, sms):
    cluster, group = int(row["cluster_size"]), int(row["sharing_group"])
    ctas = sms // cluster * cluster
    return ctas // group * group if int(row["mode"]) == 3 else ctas


def multicast_groups(row, sms):
    """Groups of CTAs that read the same data: those of a cluster except in mode 2, or `sharing_group`. A round reads
    the data of all groups. (The counters of the file show that its modes 0 and 1 advance by them, too.)"""
    mode = int(row["mode"])
    return multicast_ctas(row, sms) // int(row["sharing_group"] if mode == 3 else 1 if mode == 2 else row["cluster_size"])


def multicast(simtlm, options, rows):
    def describe(name, row):
        width, height, tile = (int(row[n]) for n in ("smem_width", "smem_height", "tile_bytes"))
        groups = multicast_groups(row, QUARTER_SMS)
        warm = 4 if 4 * tile * groups < 1 << 21 else 2
        tensor = tensor_map("f32", width, BUFFER // (4 * width), 4 * width, (width, height), 0)
        return (multicast_kernel(name, row), multicast_ctas(row, QUARTER_SMS), 128, max(4 * tile, 200000),
                int(row["cluster_size"]), 4 * tile * groups, warm, tensor, 4 * height * groups)
    simulated = copies(simtlm, options, rows, describe)
    return [[(c * (BUFFER // (4 * int(row["tile_bytes"]) * multicast_groups(row, SMS))), float(row["sm_cycles"]))]
            for row, c in zip(rows, simulated)]


def ldgsts_kernel(name, row):
    """Kernel with parameters: first element, rounds."""
    stages, threads, size = (int(row[n]) for n in ("NumStages", "ThreadsPerBlock", "LoadBytes"))
    return f"""
.visible .entry {name}(.param .u64 p0, {ROUNDS})
{{
  .shared .align 16 .b8 buffer[{stages * threads * size}];
  .reg .b32 %r<8>, %to, %end; .reg .pred %p<4>; .reg .b64 %address, %step, %d0;
  {ROUND_REGISTERS}
  ld.param.u64 %address, [p0];
  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; mad.lo.u32 %r3, %r1, {threads}, %r0;
  mul.wide.u32 %d0, %r3, {size}; add.u64 %address, %address, %d0; mul.wide.u32 %step, %r2, {stages * threads * size};
  mov.u32 %to, buffer; mad.lo.u32 %to, %r0, {size}, %to; add.u32 %end, %to, {stages * threads * size};
AGAIN:{STAMP}
  cp.async.wait_group {stages - 1};
  cp.async.{"cg" if size == 16 else "ca"}.shared.global [%to], [%address], {size};
  cp.async.commit_group;
  add.u64 %address, %address, %step; add.u32 %to, %to, {threads * size}; add.u32 %i, %i, 1;
  setp.eq.u32 %p0, %to, %end;
  @%p0 sub.u32 %to, %to, {stages * threads * size};
  setp.lt.u32 %p1, %i, %n;
  @%p1 bra AGAIN;
  cp.async.wait_all;
  {STORE_TIME}
}}"""


def ldgsts(simtlm, options, rows):
    def round_bytes(row, sms):
        return sms * int(row["CTAsPerSM"]) * int(row["ThreadsPerBlock"]) * int(row["LoadBytes"])

    def describe(name, row):
        stages = int(row["NumStages"])
        return (ldgsts_kernel(name, row), QUARTER_SMS * int(row["CTAsPerSM"]), int(row["ThreadsPerBlock"]), 0, 1,
                round_bytes(row, QUARTER_SMS) * stages, 2 * stages, None, 0)
    simulated = copies(simtlm, options, rows, describe)
    return [[(c * (BUFFER // (round_bytes(row, SMS) * int(row["NumStages"]))), float(row["SMCyclesAvg"]))]
            for row, c in zip(rows, simulated)]


FORMATS = {"Format,ABLayout,CTAGroup,M,N,K,MedianCycles": umma_latency,
           "Format,ABLayout,CTAGroup,M,N,K,PipelineDepth": umma_throughput,
           "Format,ABLayout,CTAGroup,M,N,K,Latency": umma_pipeline,
           "M,N,K,TILE_M": gemm, "CTAsPerSM,NumStages,SmemWidth": tma2d, "mode,mode_name": multicast,
           "CTAsPerSM,NumStages,ThreadsPerBlock": ldgsts}


def is_format(columns):
    return any(columns.startswith(beginning) for beginning in FORMATS)


def figures_of(run, simtlm, options, rows):
    """Pairs of simulated and measured figures by row, and why rows have none: their simulation failed."""
    try:
        return (run(simtlm, options, rows) if rows else []), {}
    except RuntimeError as why:
        if len(rows) == 1:
            return [[]], {0: str(why)}
    figures, faults = [], {}
    for index, row in enumerate(rows):
        one, fault = figures_of(run, simtlm, options, [row])
        figures += one
        if fault:
            faults[index] = fault[0]
    return figures, faults


def compare(simtlm, options):
    """Lines of a table, what is left out, and the error of each row in percent: its worst figure."""
    with open(options.file, encoding="utf-8") as file:
        columns = file.readline()
        file.seek(0)
        rows = [row for row in csv.DictReader(file) if re.search(options.only, ",".join(row.values()))]
    run = next(run for beginning, run in FORMATS.items() if columns.startswith(beginning))
    names = [name for name in columns.strip().split(",")]
    lines, errors, omitted = ["| row | simulated | measured | error |", "|---|--:|--:|--:|"], [], []
    all_figures, faults = figures_of(run, simtlm, options, rows)
    for index, (row, figures) in enumerate(zip(rows, all_figures)):
        label = " ".join(row[name] for name in names[:8])
        if index in faults:
            omitted.append(f"{label}: {faults[index]}")
            continue
        worst = 0.0
        for simulated, measured in figures:
            error = 100 * (simulated / measured - 1)
            worst = max(worst, error, key=abs)
            lines.append(f"| {label} | {simulated:.6g} | {measured:.6g} | {error:+.1f} % |")
        errors.append(worst)
    return lines, omitted, errors
