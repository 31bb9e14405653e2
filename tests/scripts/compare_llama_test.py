#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks scripts/make-gguf and, with a simulator that only writes a projection, scripts/compare-llama.

compare_llama_test.py SOURCE_FOLDER
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
MAKE, COMPARE = SOURCE / "scripts" / "make-gguf", SOURCE / "scripts" / "compare-llama"
BLOCKS = {0: (1, 4), 1: (1, 2), 2: (32, 18), 8: (32, 34), 12: (256, 144), 14: (256, 210)}

STUB = """#!/usr/bin/env python3
import json, pathlib, re, sys
words = sys.argv[1:]
def value(option):
    return words[words.index(option) + 1]
if "--dump-config" in words:
    clocks = value("-gpgpu_clock_domains") if "-gpgpu_clock_domains" in words else "1000:1000:1000:500"
    print(f"-gpgpu_clock_domains {clocks}\\n-gpgpu_kernel_launch_latency 100\\n"
          "-gpgpu_compute_capability_major 8\\n-gpgpu_compute_capability_minor 6")
    sys.exit(0)
if words[-1] == "--help":
    print("--no-warmup --n-depth")
    sys.exit(0)
model = value("-m")
assert pathlib.Path(model).exists()
# Two launches of each batch, and one for the output of a prompt or word.
def prompt(length):
    return ["layer"] * 2 * -(-length // int(value("-ub"))) + ["output"] if length else []
context, generated = map(int, value("-pg").split(","))
launches = prompt(int(value("-p"))) + prompt(context) + ["layer", "layer", "output"] * generated
if "-d" in words:
    launches = prompt(int(value("-d"))) + launches
first = int(value("--sample-from"))
skipped = min(first - 1, len(launches))
clock = float(value("-gpgpu_clock_domains").split(":")[0]) if "-gpgpu_clock_domains" in words else 1000
power = (f"kernel_name = x\\nkernel_list_number = {first}\\ngpgpu_n_tot_w_icount = 9\\n"
         f"gpu_power = {100 + clock / 5}\\n")
pathlib.Path(value("--stats-file")).write_text(f"skipped_kernels = {skipped}\\n{power}")
if "--sample-json" in words:
    name = "simtlm_blas_gemm" if "F16" in model else "_Z9mul_mat_qPv"
    kernels = [{"how": "omitted", "cycles": 0} if i + 1 < first else
               {"number": i + 1, "name": name, "cycles": 1e6 if k == "layer" else 2e6}
               for i, k in enumerate(launches)]
    pathlib.Path(value("--sample-json")).write_text(json.dumps({
        "kernels": kernels, "sampled_kernels": 1, "projected_error_bound": 5e5,
        "projected_tot_sim_cycle": 1e7}))
"""
HEADER = "gpu,power_cap_W,build,model,quant,n_gpu,fa,ubatch,test,tokens_per_s,stdev,source"


def read_gguf(path):
    """The metadata and the tensors (name: type, shape, offset) of a file, and where data begins."""
    with open(path, "rb") as file:
        data = file.read(1 << 20)
    at = 0

    def take(form):
        nonlocal at
        values = struct.unpack_from("<" + form, data, at)
        at += struct.calcsize("<" + form)
        return values if len(values) > 1 else values[0]

    def text():
        nonlocal at
        size = take("Q")
        at += size
        return data[at - size:at].decode()

    assert take("4s") == b"GGUF" and take("I") == 3
    tensors, keys = take("QQ")
    metadata = {}
    for _ in range(keys):
        key, kind = text(), take("I")
        metadata[key] = text() if kind == 8 else take({4: "I", 6: "f"}[kind])
    found = {}
    for _ in range(tensors):
        name, dimensions = text(), take("I")
        shape = [take("Q") for _ in range(dimensions)]
        found[name] = (take("I"), shape, take("Q"))
    return metadata, found, -(-at // 32) * 32


class MakeGguf(unittest.TestCase):
    def make(self, folder, *arguments):
        path = pathlib.Path(folder) / "model.gguf"
        subprocess.run([MAKE, *arguments, path], check=True, stdout=subprocess.DEVNULL)
        return path

    def test_writes_the_shapes_and_types_of_a_model_in_a_file_of_holes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.make(folder, "--model", "llama-2-7b", "--quant", "Q4_0")
            metadata, tensors, begin = read_gguf(path)
            self.assertEqual(metadata["llama.feed_forward_length"], 11008)
            self.assertEqual(len(tensors), 32 * 9 + 3)
            self.assertEqual(tensors["output.weight"][:2], (14, [4096, 32000]))
            self.assertEqual(tensors["blk.31.ffn_down.weight"][:2], (2, [11008, 4096]))
            self.assertGreater(path.stat().st_size, 3.5 * 2 ** 30)
            self.assertLess(path.stat().st_blocks * 512, 1 << 20)

    def test_writes_heads_of_another_width_than_the_share_of_the_model(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.make(folder, "--model", "qwen3-4b", "--quant", "Q8_0", "--layers", "1")
            metadata, tensors, _ = read_gguf(path)
            self.assertEqual(metadata["qwen3.attention.key_length"], 128)
            self.assertEqual(tensors["blk.0.attn_q.weight"][:2], (8, [2560, 4096]))
            self.assertEqual(tensors["blk.0.attn_k_norm.weight"][:2], (0, [128]))
            self.assertNotIn("output.weight", tensors)

    def test_places_tensors_one_after_the_other(self):
        with tempfile.TemporaryDirectory() as folder:
            for quant in ("Q4_0", "Q8_0", "Q4_K_M", "F16"):
                path = self.make(folder, "--model", "tiny", "--quant", quant, "--weights", "random")
                _, tensors, begin = read_gguf(path)
                end = 0
                for kind, shape, offset in tensors.values():
                    self.assertEqual(offset, end)
                    weights, size = BLOCKS[kind]
                    count = shape[0] * (shape[1] if len(shape) > 1 else 1)
                    end = -(-(offset + count // weights * size) // 32) * 32
                self.assertEqual(path.stat().st_size, begin + end)

    def test_gives_more_bits_to_some_layers(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.make(folder, "--model", "llama-3-8b", "--quant", "Q4_K_M")
            _, tensors, _ = read_gguf(path)
            more = [n for n in range(32) if tensors[f"blk.{n}.ffn_down.weight"][0] == 14]
            self.assertEqual(more, [0, 1, 2, 3, 6, 9, 12, 15, 18, 21, 24, 27, 28, 29, 30, 31])
            self.assertEqual(tensors["blk.0.attn_v.weight"][:2], (14, [4096, 1024]))

    def test_repeats_its_random_weights(self):
        with tempfile.TemporaryDirectory() as folder:
            arguments = ("--model", "tiny", "--quant", "Q8_0", "--weights", "random")
            first = self.make(folder, *arguments).read_bytes()
            self.assertEqual(first, self.make(folder, *arguments).read_bytes())
            self.assertNotEqual(first, self.make(folder, *arguments, "--seed", "2").read_bytes())


class CompareLlama(unittest.TestCase):
    def compare(self, rows, *options):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "rows.csv").write_text("\n".join([HEADER, *rows]) + "\n")
            simulator = folder / "simtlm"
            simulator.write_text(STUB)
            simulator.chmod(0o755)
            page = folder / "page.md"
            page.write_text("# Page\n")
            outputs = [subprocess.run(
                [COMPARE, folder / "rows.csv", "--gpu", "RTX 3090", "--llama-bench", simulator,
                 "--simtlm", simulator, "--work", folder / "work", "--write", page, *options],
                check=True, stdout=subprocess.PIPE, text=True).stdout for _ in range(2)]
            self.assertEqual(*outputs)
            text = page.read_text()
            self.assertEqual(text.count("<!-- begin: scripts/compare-llama RTX 3090 -->"), 1)
            return outputs[0].splitlines(), text

    def test_compares_rows_and_names_those_omitted(self):
        lines, page = self.compare([
            "RTX 3090,,b1,llama 7B,Q4_0,1,0,512,tg128,400,,x",
            "RTX 3090,,b1,llama 8B,Q4_0,1,1,2,pp512,1000,,x",
            "RTX 3090,200,b1,llama 8B,Q4_0,2,1,2,pp512,1000,,x",
            "RTX 3090,,b1,llama 8B,F16,1,1,2,pp512,1000,,x",
            "RTX 3090,,b1,llama 7B,Q4_0,2,0,512,tg128,400,,x",
            "RTX 3090,,b1,mystery 7B,Q4_0,1,0,512,tg128,400,,x",
            "RTX 3090,,b1,llama 7B,Q4_0,1,1,1024,pp512@d4096,400000,,x",
            "RTX 3090,,b1,llama 7B,Q4_0,1,0,512,pp512+tg128,1000,,x",
            "RTX 3090,,c1 (2824),llama 7B,Q4_0,1,0,512,tg128,200,,x",
            "RTX 4090,,b1,llama 7B,Q4_0,1,0,512,tg128,400,,x"])
        # A token takes 4 ms, a batch 2 ms, the output of a prompt 2 ms more; the host 0.15 ms for each.
        self.assertIn("llama 7B Q4_0 0 512 tg128: measured 400, simulated 241.0 (-39.8 %)", lines[0])
        # 256 batches, two of which are captured as graphs of 32 layers: 3.76 ms each.
        self.assertIn("simulated 914.4 (-8.6 %)", lines[1])
        self.assertIn("simulated 123373.5 (-69.2 %)", lines[2])
        # 512 tokens in 4.15 ms and 128 in 531 ms; neither kind of test alone.
        self.assertIn("simulated 1195.5 (+19.5 %)", lines[3])
        # An older build builds a graph of 32 layers for each word.
        self.assertIn("simulated 210.0 (+5.0 %)", lines[4])
        self.assertEqual(lines[-1], "mean absolute error 22.4 % (tg), 8.6 % (pp), 5 rows, 4 left out")
        for reason in ("needs cuBLAS (100 % of the time)", "several GPUs: 2",
                       "shapes of mystery 7B not known"):
            self.assertIn(reason, page)
        self.assertIn(lines[-1], page)

    def test_captures_batches_as_graphs_only_with_newer_builds(self):
        rows = [f"RTX 3090,,x (merged {day}),llama 7B,Q4_0,1,1,{batch},pp512,1000,,x"
                for day, batch in (("2026-02-03", 128), ("2026-03-15", 128), ("2026-03-15", 256))]
        lines, _ = self.compare(rows)
        # Four batches of 2 ms, or two, the output, and the host's time for each batch.
        for line, milliseconds in zip(lines, (10 + 0.6, 10 + 0.6 + 2 * 3.76, 6 + 0.3)):
            self.assertIn(f"simulated {512 / milliseconds * 1000:.1f} ", line)

    def test_selects_rows_by_test_and_by_build(self):
        rows = [f"RTX 3090,,{build},llama 7B,Q4_0,1,0,512,{test},250,,x"
                for build in ("b1", "PR2 (merged 2026-03-15)") for test in ("tg128", "pp512")]
        lines, page = self.compare(rows, "--builds", "2026", "--match", "tg")
        self.assertEqual(lines[-1], "mean absolute error 3.6 % (tg), - % (pp), 1 rows, 3 left out")
        self.assertIn("- not selected (--match): 2\n", page)
        self.assertIn("- other builds (--builds): 1\n", page)

    def test_lowers_the_clock_of_a_row_until_its_power_is_that_of_its_cap(self):
        # 100 W and 0.2 W per MHz; a token takes 4 million cycles, and the host 0.15 ms.
        lines, _ = self.compare(["RTX 3090,300,b1,llama 7B,Q4_0,1,0,512,tg128,250,,x",
                                 "RTX 3090,220,b1,llama 7B,Q4_0,1,0,512,tg128,150,,x"])
        self.assertIn("simulated 241.0 (-3.6 %), 0 s, 300 W", lines[0])
        self.assertIn("simulated 146.7 (-2.2 %), 0 s, 220 W at 600 MHz", lines[1])


if __name__ == "__main__":
    unittest.main()
