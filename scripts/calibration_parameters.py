# SPDX-License-Identifier: Apache-2.0
"""Which measurement of scripts/measure-gpu gives which option of a preset: the table of simtlm-calibrate."""
import dataclasses
import re

# How a parameter follows from its evidence:
METHODS = {
    "device": "the option of the base times the ratio of the measured property to that of the base",
    "value": "the measured value",
    "add": "the benchmark grows with the parameter: steps by the difference of measured and simulated value",
    "proportional": "the benchmark is proportional to the parameter",
    "inverse": "the benchmark is inversely proportional to the parameter",
    "choice": "the best of a few values",
    "search": "bounded search, with halved steps",
}


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A number in an option of a preset."""
    option: str
    place: int  # among the numbers separated by commas and colons
    method: str
    evidence: tuple  # benchmarks; with the method "device", a property of the GPU
    low: float = 0
    high: float = 1e12
    step: float = 1  # resolution
    slope: float = 1  # method "add": cycles of the benchmark by unit of the parameter
    choices: tuple = ()
    power: bool = False  # the nearest power of two, if it is as close to the measurement as the number found
    needs: tuple = ()  # pairs of an option and the value that it must not (!) or must have

    @property
    def name(self):
        return f"{self.option}[{self.place}]"

    def read(self, values):
        """The number in the options' values, or None if the option has none there."""
        fields = re.split(r"[,:]", values.get(self.option, ""))
        try:
            return float(fields[self.place])
        except (IndexError, ValueError):
            return None

    def write(self, values, number):
        """The option's text with another number."""
        parts = re.split(r"([,:])", values[self.option])
        parts[2 * self.place] = f"{number:.10g}"
        return "".join(parts)

    def rounded(self, number):
        return min(self.high, max(self.low, round(round(number / self.step) * self.step, 6)))

    def applies(self, values):
        """Whether the preset uses the parameter."""
        if self.read(values) is None:
            return False
        for option, text in self.needs:
            differs = values.get(option) != text.lstrip("!")
            if differs != text.startswith("!"):
                return False
        return True


def device(option, place, evidence, **more):
    return Parameter(option, place, "device", (evidence,), low=1, **more)


def latency(option, place, *evidence, **more):
    return Parameter(option, place, "add", evidence, **more)


def interval(option, place, *evidence, **more):
    return Parameter(option, place, "inverse", evidence, low=1, **more)


HOPPER = (("-modern_engines", "1"),)
PARAMETERS = [
    device("-gpgpu_n_clusters", 0, "sms"),
    device("-gpgpu_n_mem", 0, "bus_bits"),
    device("-gpgpu_shader_core_pipeline", 0, "threads_per_sm"),
    device("-gpgpu_shader_registers", 0, "registers_per_sm"),
    device("-gpgpu_registers_per_block", 0, "registers_per_block"),
    device("-gpgpu_shader_cta", 0, "blocks_per_sm"),
    device("-gpgpu_shmem_size", 0, "shared_bytes_per_sm"),
    device("-gpgpu_shmem_per_block", 0, "shared_bytes_per_block"),
    device("-gpgpu_cache:dl2", 3, "l2_bytes_per_channel"),
    Parameter("-gpgpu_clock_domains", 0, "value", ("clock_sm",), low=1),
    device("-gpgpu_clock_domains", 1, "clock_sm"),
    device("-gpgpu_clock_domains", 2, "clock_sm"),
    Parameter("-gpgpu_clock_domains", 3, "proportional", ("bandwidth_dram",), low=1),
    # Rates first: latencies depend on them.
    interval("-modern_fp32", 1, "rate_fma_f32"),
    interval("-modern_alu", 1, "rate_alu"),
    interval("-modern_imad", 1, "rate_mad_u32"),
    interval("-modern_half", 1, "rate_fma_f16"),
    interval("-modern_fp64", 1, "rate_fma_f64", needs=(("-modern_shared_fp64_interval", "0"),)),
    interval("-modern_shared_fp64_interval", 0, "rate_fma_f64", needs=(("-modern_shared_fp64_interval", "!0"),)),
    interval("-modern_xu", 1, "rate_ex2"),
    Parameter("-modern_tensor_rate", 0, "proportional", ("rate_mma_f16", "rate_wmma"), low=64, power=True),
    latency("-modern_fp32", 0, "latency_fma_f32", low=1),
    latency("-modern_alu", 0, "latency_alu", low=1),
    latency("-modern_imad", 0, "latency_mad_u32", low=1),
    latency("-modern_half", 0, "latency_fma_f16x2", low=1),
    latency("-modern_fp64", 0, "latency_fma_f64", low=1),
    latency("-modern_xu", 0, "latency_ex2", low=1),
    latency("-modern_tensor_extra", 0, "latency_mma_f16"),
    latency("-modern_tensor_f32_extra", 0, "latency_mma_f32", "latency_wmma"),
    latency("-modern_barrier_interval", 0, "latency_barrier_32_warps", slope=32),
    latency("-modern_barrier_latency", 0, "latency_barrier"),
    latency("-modern_fence_latency", 1, "latency_fence"),
    latency("-modern_load_latency", 0, "latency_load_l1", low=13),
    latency("-modern_load_latency", 1, "latency_load_shared", low=7),
    latency("-modern_load_latency", 2, "latency_load_constant", low=7),
    latency("-gpgpu_l2_rop_latency", 0, "latency_load_l2"),
    latency("-gpgpu_l2_atomic_latency", 0, "latency_atomic"),
    latency("-gpgpu_l2_far_latency", 0, "latency_far_hit", needs=(("-gpgpu_l2_far_latency", "!0"),)),
    latency("-dram_latency", 0, "latency_load_dram"),
    latency("-gpgpu_kernel_launch_latency", 0, "launch_interval"),
    latency("-gpgpu_cta_launch_interval", 0, "launch_empty_32", step=0.01),
    latency("-modern_cta_turnaround", 0, "launch_store_64", slope=0.01),
    Parameter("-modern_warp_launch_interval", 0, "search", ("launch_empty_832", "launch_store_192", "launch_empty_384"),
              high=64),
    Parameter("-gpgpu_unified_l1d_size", 0, "choice", ("capacity_l1",), choices=(64, 96, 128, 192, 256),
              needs=(("-gpgpu_adaptive_cache_config", "1"),)),
    Parameter("-gpgpu_cache:dl1", 3, "proportional", ("capacity_l1",), low=1,
              needs=(("-gpgpu_adaptive_cache_config", "0"),)),
    Parameter("-modern_memory_interval", 0, "search", ("shared_stride_1", "bandwidth_shared_32", "bandwidth_l1_32"),
              low=0.5, high=4, step=0.01),
    Parameter("-modern_link_cycles", 0, "choice", ("bandwidth_shared_128", "bandwidth_l1_128"), choices=(1, 2, 4)),
    Parameter("-modern_l1_tag_banks", 0, "choice", ("stride_l1_9", "stride_l1_33", "stride_l1_15"),
              choices=(1, 2, 4, 8)),
    Parameter("-modern_network_packets", 0, "choice", ("bandwidth_l2_one_sm",), choices=(1, 2, 4)),
    Parameter("-modern_request_packets", 0, "choice", ("store_lines_8_bytes_one_sm", "store_lines_128_bytes_one_sm"),
              choices=(0, 1, 2)),
    Parameter("-icnt_speedup", 0, "choice", ("bandwidth_l2",), choices=(1, 2, 3, 4)),
    Parameter("-icnt_gpc_flits", 0, "choice", ("store_lines_8_bytes", "store_lines_128_bytes"),
              choices=(0, 1, 2, 4, 6, 8, 12), needs=(("-gpgpu_gpc_sms", "!0"),)),
    Parameter("-gpgpu_l2_atomic_interval", 0, "search", ("atomic_line", "atomic_table"), high=16, step=0.1),
    latency("-modern_cluster_latency", 0, "latency_cluster_near", slope=2, needs=HOPPER),
    latency("-modern_cluster_latency", 1, "latency_cluster_far", slope=2, needs=HOPPER),
    latency("-modern_cluster_barrier_latency", 0, "latency_cluster_barrier", slope=2, needs=HOPPER),
    latency("-modern_bulk_copy", 0, "latency_bulk_copy", needs=HOPPER),
    Parameter("-modern_bulk_request_interval", 0, "search", ("bandwidth_bulk_8192_1", "bandwidth_bulk_2048_1"), low=1,
              high=16, needs=HOPPER),
    interval("-modern_warpgroup_rate", 0, "iteration_wgmma_f16", needs=HOPPER, power=True),
]
# Options of the modelled hardware, of which those without a parameter above are reported as not identified.
HARDWARE = re.compile(r"-(modern|gpgpu|icnt|dram|l2)_")


def markdown_table():
    """The table for the documentation."""
    rows = ["| option | number | method | benchmarks, or property of the GPU |", "|---|--:|---|---|"]
    rows += [f"| `{p.option}` | {p.place + 1} | {p.method} | " + ", ".join(f"`{e}`" for e in p.evidence) + " |"
             for p in PARAMETERS]
    methods = ["| method | meaning |", "|---|---|", *[f"| {name} | {what} |" for name, what in METHODS.items()]]
    return "\n".join([*rows, "", *methods])
