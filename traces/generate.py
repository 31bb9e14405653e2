#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes small, valid kernel traces: generate.py --help.

Each workload below is a function that tells, warp by warp, what a GPU would have executed. The
output is deterministic, so a sample can be made again byte for byte (generate.py --samples).
"""
import argparse
import gzip
import lzma
import pathlib
import random

GLOBAL = 0x7F5800000000
SHARED_WINDOW = 0x7F0000000000
LOCAL_WINDOW = 0x7F0002000000
ALL = 0xFFFFFFFF
RZ = 255


class Warp:
    """The instructions one warp executes; keeps the program counter."""

    def __init__(self, target, block, index, threads):
        self.target = target
        self.block = block
        self.index = index
        self.pc = 0
        self.lines = []
        lanes = min(32, threads - 32 * index)
        self.mask = ALL if lanes == 32 else (1 << lanes) - 1

    def lanes(self, mask=None):
        mask = self.mask if mask is None else mask
        return [lane for lane in range(32) if mask >> lane & 1]

    def threads(self, mask=None):
        """Thread numbers within the block."""
        return [32 * self.index + lane for lane in self.lanes(mask)]

    def op(self, opcode, dst=None, src=(), mask=None, addresses=None, width=4, immediate=0):
        """One instruction; the counter moves on to the next."""
        mask = self.mask if mask is None else mask
        text = f"{self.pc:04x} {mask:08x} "
        text += "0 " if dst is None else f"1 R{dst} "
        text += f"{opcode} {len(src)} " + "".join(f"R{r} " for r in src)
        if addresses is None or mask == 0:
            text += "0 "
        else:
            text += f"{width} {self.packed(mask, addresses)} "
        if self.target.tracer >= 5:
            text += f"{immediate} "
        self.lines.append(text)
        self.pc += 16

    def packed(self, mask, addresses):
        """Addresses as the tracer writes them: base and stride over a run of lanes, else deltas."""
        assert len(addresses) == bin(mask).count("1")
        deltas = [b - a for a, b in zip(addresses, addresses[1:])]
        run = mask >> ((mask & -mask).bit_length() - 1)
        if deltas and run & (run + 1) == 0 and len(set(deltas)) == 1:
            return f"1 0x{addresses[0]:x} {deltas[0]}"
        return " ".join(["2", f"0x{addresses[0]:x}"] + [str(d) for d in deltas])

    def jump(self, pc):
        """A taken branch back to `pc`."""
        self.op(self.target.bra)
        self.pc = pc

    def load(self, dst, address_register, addresses, width=4, mask=None, space="G"):
        suffix = {1: ".U8", 2: ".U16", 4: "", 8: ".64", 16: ".128"}[width]
        name = f"LD{space}" + (".E" if space == "G" else "") + suffix
        if space == "G" and self.target.sm in (70, 72, 75):
            name += ".SYS"
        self.op(name, dst, [address_register], mask, addresses, width)

    def store(self, address_register, value, addresses, width=4, mask=None, space="G"):
        suffix = {1: ".U8", 2: ".U16", 4: "", 8: ".64", 16: ".128"}[width]
        name = f"ST{space}" + (".E" if space == "G" else "") + suffix
        if space == "G" and self.target.sm in (70, 72, 75):
            name += ".SYS"
        self.op(name, None, [address_register, value], mask, addresses, width)

    def prologue(self):
        """Thread index and bounds check, as compilers write them."""
        self.op("MOV", 1)
        self.op("S2R", 0)
        self.op("S2R", 3)
        self.op("IMAD", 0, [3, 0])
        self.op("ISETP.GE.AND", None, [0])
        self.op("EXIT", mask=0)

    def barrier(self):
        self.op("BAR.SYNC")

    def finish(self):
        self.op("EXIT")


class Target:
    """What the trace pretends to have been recorded on and with."""

    def __init__(self, sm, tracer):
        self.sm = sm
        self.tracer = tracer
        self.bra = "BRA"

    def needs(self, sm, what):
        if self.sm < sm:
            raise SystemExit(f"{what} needs --sm {sm} or later")


class Kernel:
    """One launch: its dimensions and what its warps do."""

    def __init__(self, name, grid, block, body, shared=0, registers=32, stream=0):
        self.name = name
        self.grid = grid
        self.block = block
        self.body = body
        self.shared = shared
        self.registers = registers
        self.stream = stream

    def text(self, target, number):
        version = {3: "1.5.3", 4: "1.5.5"}.get(target.tracer, "1.7")
        out = [
            f"-kernel name = {self.name}",
            f"-kernel id = {number}",
            "-grid dim = (%d,%d,%d)" % self.grid,
            "-block dim = (%d,%d,%d)" % self.block,
            f"-shmem = {self.shared}",
            f"-nregs = {self.registers}",
            f"-binary version = {target.sm}",
            f"-cuda stream id = {self.stream}",
            f"-shmem base_addr = 0x{SHARED_WINDOW:016x}",
            f"-local mem base_addr = 0x{LOCAL_WINDOW:016x}",
            f"-nvbit version = {version}",
            f"-accelsim tracer version = {target.tracer}",
        ]
        if target.tracer >= 4:
            out.append("-enable lineinfo = 0")
        out += ["", "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] "
                    "mem_width [adrrescompress?] [mem_addresses] [immediate]", "", ""]
        threads = self.block[0] * self.block[1] * self.block[2]
        warp_instructions = 0
        for z in range(self.grid[2]):
            for y in range(self.grid[1]):
                for x in range(self.grid[0]):
                    out += ["#BEGIN_TB", "", f"thread block = {x},{y},{z}", ""]
                    block = x + self.grid[0] * (y + self.grid[1] * z)
                    for index in range((threads + 31) // 32):
                        warp = Warp(target, block, index, threads)
                        self.body(warp)
                        warp_instructions += len(warp.lines)
                        out += [f"warp = {index}", f"insts = {len(warp.lines)}"]
                        out += warp.lines + [""]
                    out += ["#END_TB", ""]
        return "\n".join(out), warp_instructions


# --- workloads: target, scale -> kernels -----------------------------------------------------


def vecadd(target, scale, stream=0):
    """c[i] = a[i] + b[i], one element per thread."""

    def body(w):
        n = [256 * w.block + t for t in w.threads()]
        w.prologue()
        for register in (4, 6, 10):
            w.op("IMAD.WIDE", register, [0, 9])
        w.load(12, 4, [GLOBAL + 4 * i for i in n])
        w.load(16, 6, [GLOBAL + 0x10000000 + 4 * i for i in n])
        w.op("FADD", 12, [12, 16])
        w.store(10, 12, [GLOBAL + 0x20000000 + 4 * i for i in n])
        w.finish()

    return [Kernel("vecadd", (8 * scale, 1, 1), (256, 1, 1), body, registers=16, stream=stream)]


def saxpy(target, scale, stream=0):
    """y[i] += a * x[i] in a grid-stride loop of 8 rounds."""
    blocks = 4 * scale

    def body(w):
        w.prologue()
        top = w.pc
        for round_ in range(8):
            n = [(round_ * blocks + w.block) * 128 + t for t in w.threads()]
            w.load(8, 4, [GLOBAL + 4 * i for i in n])
            w.load(9, 6, [GLOBAL + 0x10000000 + 4 * i for i in n])
            w.op("FFMA", 9, [8, 10, 9])
            w.store(6, 9, [GLOBAL + 0x10000000 + 4 * i for i in n])
            w.op("IADD3", 0, [0, 11, RZ])
            w.op("ISETP.GE.AND", None, [0])
            if round_ < 7:
                w.jump(top)
        w.op(target.bra, mask=0)
        w.finish()

    return [Kernel("saxpy_loop", (blocks, 1, 1), (128, 1, 1), body, registers=20, stream=stream)]


def reduction(target, scale):
    """Sum of a block in shared memory: a barrier per halving, idle warps still take part."""

    def body(w):
        w.prologue()
        w.load(4, 2, [GLOBAL + 4 * (256 * w.block + t) for t in w.threads()])
        w.store(6, 4, [4 * t for t in w.threads()], space="S")
        w.barrier()
        half = 128
        while half > 0:
            w.op("ISETP.GT.AND", None, [0])
            mask = sum(1 << lane for lane in w.lanes() if 32 * w.index + lane < half)
            w.load(5, 6, [4 * (t + half) for t in w.threads(mask)], mask=mask, space="S")
            w.load(7, 6, [4 * t for t in w.threads(mask)], mask=mask, space="S")
            w.op("FADD", 5, [5, 7], mask=mask)
            w.store(6, 5, [4 * t for t in w.threads(mask)], mask=mask, space="S")
            w.barrier()
            half //= 2
        first = 1 if w.index == 0 else 0
        w.load(5, RZ, [0] if first else [], mask=first, space="S")
        w.store(8, 5, [GLOBAL + 0x20000000 + 4 * w.block] if first else [], mask=first)
        w.finish()

    return [Kernel("reduction", (8 * scale, 1, 1), (256, 1, 1), body, shared=1024, registers=18)]


def sgemm_tile(target, scale):
    """C = A * B in 16x16 tiles staged through shared memory."""
    n = 64

    def body(w):
        tile_x, tile_y = w.block % (n // 16), w.block // (n // 16)
        at = [(t % 16, t // 16) for t in w.threads()]
        w.prologue()
        top = w.pc
        for k in range(0, n, 16):
            w.load(4, 2, [GLOBAL + 4 * ((tile_y * 16 + y) * n + k + x) for x, y in at])
            w.load(5, 6, [GLOBAL + 0x10000000 + 4 * ((k + y) * n + tile_x * 16 + x) for x, y in at])
            w.store(8, 4, [4 * (y * 16 + x) for x, y in at], space="S")
            w.store(9, 5, [1024 + 4 * (y * 16 + x) for x, y in at], space="S")
            w.barrier()
            for i in range(0, 16, 4):
                w.load(12, 10, [4 * (y * 16 + i) for x, y in at], width=16, space="S")
                for j in range(4):
                    w.load(16 + j, 11, [1024 + 4 * ((i + j) * 16 + x) for x, y in at], space="S")
                    w.op("FFMA", 20, [12 + j, 16 + j, 20])
            w.barrier()
            w.op("ISETP.NE.AND", None, [0])
            if k + 16 < n:
                w.jump(top)
        w.op(target.bra, mask=0)
        w.store(22, 20, [GLOBAL + 0x20000000 +
                         4 * ((tile_y * 16 + y) * n + tile_x * 16 + x) for x, y in at])
        w.finish()

    tiles = n // 16
    return [Kernel("sgemm_tile", (tiles, tiles * scale, 1), (16, 16, 1), body, shared=2048,
                   registers=40)]


def pchase(target, scale):
    """One thread follows pointers through 1 MB: every load waits for the one before."""
    steps = 256 * scale
    order = list(range(1, 4096))
    random.Random(1).shuffle(order)

    def body(w):
        w.op("MOV", 1)
        w.op("MOV", 2)
        top = w.pc
        for i in range(steps):
            w.load(2, 2, [GLOBAL + 256 * order[i % len(order)]], width=8)
            w.op("IADD3", 4, [4, RZ, RZ])
            w.op("ISETP.NE.AND", None, [4])
            if i + 1 < steps:
                w.jump(top)
        w.op(target.bra, mask=0)
        w.store(6, 2, [GLOBAL + 0x20000000], width=8)
        w.finish()

    return [Kernel("pointer_chase", (1, 1, 1), (1, 1, 1), body, registers=10)]


def strided(target, scale):
    """A 128-byte stride: every lane its own line; then a random gather."""
    rng = random.Random(2)

    def body(w):
        n = [64 * w.block + t for t in w.threads()]
        w.prologue()
        w.load(4, 2, [GLOBAL + 128 * i for i in n])
        w.load(5, 4, [GLOBAL + 0x10000000 + 4 * rng.randrange(1 << 16) for _ in n])
        w.op("FADD", 4, [4, 5])
        w.store(6, 4, [GLOBAL + 0x20000000 + 128 * i for i in n])
        w.finish()

    return [Kernel("strided", (4 * scale, 1, 1), (64, 1, 1), body, registers=12)]


def histogram(target, scale):
    """256 bins: atomics in shared memory, then one reduction per bin in global memory."""
    rng = random.Random(3)

    def body(w):
        w.prologue()
        w.store(6, RZ, [4 * t for t in w.threads()], space="S")
        w.barrier()
        top = w.pc
        for i in range(4):
            w.load(4, 2, [GLOBAL + (w.block * 4 + i) * 256 + t for t in w.threads()], width=1)
            w.op("LEA", 5, [4])
            w.op("ATOMS.POPC.INC.32", None, [5], addresses=[4 * rng.randrange(256)
                                                            for _ in w.lanes()])
            w.op("ISETP.NE.AND", None, [0])
            if i < 3:
                w.jump(top)
        w.op(target.bra, mask=0)
        w.barrier()
        w.load(7, 6, [4 * t for t in w.threads()], space="S")
        w.op("RED.E.ADD.STRONG.GPU", None, [8, 7],
             addresses=[GLOBAL + 0x20000000 + 4 * t for t in w.threads()])
        w.finish()

    return [Kernel("histogram", (4 * scale, 1, 1), (256, 1, 1), body, shared=1024, registers=18)]


def divergence(target, scale):
    """Branches by thread parity and by data; half of the warps leave early."""
    enter, join = ("BSSY", "BSYNC") if target.sm >= 70 else ("SSY", "SYNC")

    def body(w):
        w.prologue()
        w.load(4, 2, [GLOBAL + 4 * (128 * w.block + t) for t in w.threads()])
        if w.index % 2 == 1:
            w.finish()
            return
        w.op(enter)
        even = w.mask & 0x55555555
        w.op("ISETP.EQ.AND", None, [4])
        w.op(target.bra, mask=even)
        odd_pc = w.pc
        for depth in range(3):
            w.op("FMUL", 5, [4, 4], mask=w.mask & ~even)
        w.op("MUFU.RCP", 5, [5], mask=w.mask & ~even)
        w.op(join, mask=w.mask & ~even)
        w.pc = odd_pc + 0x80
        w.op(enter, mask=even)
        deep = even & 0x11111111
        w.op("FADD", 5, [4, 4], mask=even)
        w.op(target.bra, mask=even)
        w.op("MUFU.EX2", 5, [5], mask=deep)
        w.op("FFMA", 5, [5, 4, 5], mask=deep)
        w.op(join, mask=deep)
        w.op(join, mask=even & ~deep)
        w.op(join, mask=even)
        w.store(6, 5, [GLOBAL + 0x20000000 + 4 * (128 * w.block + t) for t in w.threads()])
        w.finish()

    return [Kernel("divergence", (8 * scale, 1, 1), (128, 1, 1), body, registers=12)]


def async_copy(target, scale):
    """Global to shared memory behind the arithmetic: a pipeline of two groups in flight."""
    target.needs(80, "async_copy")
    stages = 6

    def body(w):
        def copy(stage):
            w.op("LDGSTS.E.BYPASS.128", None, [4, 2], width=16, addresses=[
                GLOBAL + 16 * (128 * (w.block * stages + stage) + t) for t in w.threads()])
            w.op("LDGDEPBAR")

        w.prologue()
        copy(0)
        copy(1)
        top = w.pc
        for stage in range(stages):
            w.op("DEPBAR.LE", immediate=1 if stage + 1 < stages else 0)
            w.barrier()
            w.load(8, 6, [2048 * (stage % 3) + 16 * t for t in w.threads()], width=16, space="S")
            for i in range(4):
                w.op("FFMA", 12, [8 + i, 13, 12])
            if stage + 2 < stages:
                copy(stage + 2)
            else:
                w.op("LDGSTS.E.BYPASS.128", None, [4, 2], mask=0)
                w.op("LDGDEPBAR")
            w.op("ISETP.NE.AND", None, [0])
            if stage + 1 < stages:
                w.jump(top)
        w.op(target.bra, mask=0)
        w.store(14, 12, [GLOBAL + 0x20000000 + 4 * (128 * w.block + t) for t in w.threads()])
        w.finish()

    return [Kernel("async_copy", (4 * scale, 1, 1), (128, 1, 1), body, shared=6144, registers=24)]


def streams(target, scale):
    """Two streams, two kernels each: they may run at the same time."""
    return (vecadd(target, scale, stream=1) + saxpy(target, scale, stream=2) +
            vecadd(target, scale, stream=1) + saxpy(target, scale, stream=2))


def hmma(target, scale):
    """Matrix units: 16x16x16 tiles from shared memory."""
    target.needs(70, "hmma")
    shapes = ["HMMA.884.F32.F32.STEP%d" % i for i in range(4)]
    if target.sm >= 75:
        shapes = ["HMMA.1688.F32"] * 2
    if target.sm >= 80:
        shapes = ["HMMA.16816.F32"]

    def body(w):
        w.prologue()
        w.load(8, 2, [GLOBAL + 16 * (128 * w.block + t) for t in w.threads()], width=16)
        w.store(6, 8, [16 * t for t in w.threads()], width=16, space="S")
        w.barrier()
        top = w.pc
        for i in range(8):
            if target.sm >= 75:
                w.op("LDSM.16.M88.4", 12, [6], width=2,
                     addresses=[(16 * t + 128 * i) % 2048 for t in w.threads()])
            else:
                w.load(12, 6, [(16 * t + 128 * i) % 2048 for t in w.threads()], width=16, space="S")
            for j, shape in enumerate(shapes):
                w.op(shape, 20 + 2 * j, [12, 16, 20 + 2 * j])
            w.op("ISETP.NE.AND", None, [0])
            if i < 7:
                w.jump(top)
        w.op(target.bra, mask=0)
        w.store(4, 20, [GLOBAL + 0x20000000 + 16 * (128 * w.block + t) for t in w.threads()],
                width=16)
        w.finish()

    return [Kernel("hmma", (4 * scale, 1, 1), (128, 1, 1), body, shared=2048, registers=64)]


def dfma(target, scale):
    """Chains of double-precision operations."""

    def body(w):
        w.prologue()
        w.load(4, 2, [GLOBAL + 8 * (128 * w.block + t) for t in w.threads()], width=8)
        top = w.pc
        for i in range(16):
            w.op("DFMA", 8, [4, 8, 6])
            w.op("DFMA", 10, [4, 10, 6])
            w.op("DADD", 6, [8, 10])
            if i < 15:
                w.jump(top)
        w.op(target.bra, mask=0)
        w.store(12, 6, [GLOBAL + 0x20000000 + 8 * (128 * w.block + t) for t in w.threads()],
                width=8)
        w.finish()

    return [Kernel("dfma", (4 * scale, 1, 1), (128, 1, 1), body, registers=24)]


def constants(target, scale):
    """Constant loads, uniform and divergent, and spills to local memory."""

    def body(w):
        w.prologue()
        top = w.pc
        for i in range(8):
            w.op("LDC", 4, [5], addresses=[64 * i for _ in w.lanes()])
            w.op("LDC", 6, [5], addresses=[4 * (t % 4) + 64 * i for t in w.threads()])
            w.store(1, 4, [LOCAL_WINDOW + 4096 * i + 4 * t for t in w.threads()], space="L")
            w.op("FFMA", 8, [4, 6, 8])
            w.load(4, 1, [LOCAL_WINDOW + 4096 * i + 4 * t for t in w.threads()], space="L")
            if i < 7:
                w.jump(top)
        w.op(target.bra, mask=0)
        w.store(10, 8, [GLOBAL + 0x20000000 + 4 * (128 * w.block + t) for t in w.threads()])
        w.finish()

    return [Kernel("constants", (4 * scale, 1, 1), (128, 1, 1), body, registers=16)]


def sample(target, scale):
    """A small application: four kernels of different kinds, one after the other."""
    return (vecadd(target, 40 * scale) + sgemm_tile(target, 6 * scale) +
            reduction(target, 20 * scale) + saxpy(target, 40 * scale))


WORKLOADS = {f.__name__: f for f in (
    vecadd, saxpy, reduction, sgemm_tile, pchase, strided, histogram, divergence, async_copy,
    streams, hmma, dfma, constants, sample)}

# What the repository holds: folder -> (workload, scale, sm, tracer version).
SAMPLES = {
    "sample": ("sample", 1, 70, 4),
    "vecadd": ("vecadd", 1, 70, 5),
    "reduction": ("reduction", 1, 70, 4),
    "sgemm_tile": ("sgemm_tile", 1, 75, 5),
    "pchase": ("pchase", 1, 70, 4),
    "histogram": ("histogram", 1, 80, 5),
    "async_copy": ("async_copy", 1, 80, 5),
    "streams": ("streams", 1, 86, 5),
    "divergence": ("divergence", 1, 61, 4),
}


def write(folder, workload, scale, target, pack):
    """Writes the kernels of a workload and their list; returns warp instructions."""
    folder.mkdir(parents=True, exist_ok=True)
    commands = [f"MemcpyHtoD,0x{GLOBAL + 0x10000000 * i:016x},65536" for i in range(2)]
    total = 0
    for number, kernel in enumerate(WORKLOADS[workload](target, scale), 1):
        text, warp_instructions = kernel.text(target, number)
        total += warp_instructions
        name = f"kernel-{number}.traceg" + ("" if pack == "none" else "." + pack)
        data = text.encode()
        if pack == "xz":
            data = lzma.compress(data, preset=6)
        elif pack == "gz":
            data = gzip.compress(data, mtime=0)
        (folder / name).write_bytes(data)
        commands.append(name)
    (folder / "kernelslist.g").write_text("\n".join(commands) + "\n")
    return total


def main():
    parser = argparse.ArgumentParser(
        description="Writes small, valid kernel traces.",
        epilog="Workloads: " + "; ".join(f"{n} ({f.__doc__.splitlines()[0].rstrip('.')})"
                                         for n, f in WORKLOADS.items()))
    parser.add_argument("workload", nargs="?", choices=WORKLOADS, metavar="workload")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="folder (default: the workload)")
    parser.add_argument("--sm", type=int, default=70, help="binary version (default: 70)")
    parser.add_argument("--tracer", type=int, default=5, choices=(3, 4, 5),
                        help="tracer version (default: 5)")
    parser.add_argument("--scale", type=int, default=1, help="times as many thread blocks")
    parser.add_argument("--pack", choices=("xz", "gz", "none"), default="xz")
    parser.add_argument("--samples", action="store_true",
                        help="write the samples of the repository beside this script")
    args = parser.parse_args()
    if args.samples:
        here = pathlib.Path(__file__).resolve().parent
        for folder, (workload, scale, sm, tracer) in SAMPLES.items():
            total = write(here / folder, workload, scale, Target(sm, tracer), "xz")
            print(f"{folder}: {total} warp instructions")
    elif args.workload:
        folder = args.output or pathlib.Path(args.workload)
        total = write(folder, args.workload, args.scale, Target(args.sm, args.tracer), args.pack)
        print(f"{folder}: {total} warp instructions")
    else:
        parser.error("name a workload, or --samples")


if __name__ == "__main__":
    main()
