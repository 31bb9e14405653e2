// SPDX-License-Identifier: Apache-2.0
#include "platform/config/readers.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

namespace simtlm::platform {

namespace {

/// @param least  number of values that must be given; missing values of the remaining operations
/// are 1
std::vector<unsigned> cycles(const option_values& v, const std::string& option, std::size_t least,
                             std::size_t most) {
    auto numbers = read(
        v, option, [&](const std::string& text) { return parse_numbers(text, ',', least, most); });
    for (const unsigned n : numbers)
        if (n == 0 || n > 0xffff) v.fail(option, fmt::format("{} cycles", n), "1 to 65535");
    numbers.resize(most, 1);
    return numbers;
}

void read_timing(const option_values& v, const std::string& latency, const std::string& initiation,
                 operation_timing* operations, std::size_t least, std::size_t most) {
    const std::vector<unsigned> latencies =
        cycles(v, "-ptx_opcode_latency_" + latency, least, most);
    const std::vector<unsigned> intervals =
        cycles(v, "-ptx_opcode_initiation_" + initiation, least, most);
    for (std::size_t i = 0; i < most; ++i) operations[i] = {latencies[i], intervals[i]};
}

}  // namespace

void read_ptx(const option_values& v, ptx_timing& t) {
    read_timing(v, "int", "int", t.integer.data(), 5, t.integer.size());
    read_timing(v, "fp", "fp", t.single_precision.data(), 5, t.single_precision.size());
    read_timing(v, "dp", "dp", t.double_precision.data(), 5, t.double_precision.size());
    read_timing(v, "sfu", "sfu", &t.special, 1, 1);
    read_timing(v, "tesnor", "tensor", &t.tensor, 1, 1);  // spelling of GPGPU-Sim
}

void read_programs(const option_values& v, program_limits& limits) {
    limits.device_memory = v.natural("--device-memory");
    constexpr std::uint64_t least = std::uint64_t{1} << 20, most = std::uint64_t{1} << 40;
    if (limits.device_memory < least || limits.device_memory > most)
        v.fail("--device-memory", "is out of range", "1 MiB to 1 TiB");
    if (v.number("-gpgpu_simd_model") != 1)
        v.fail("-gpgpu_simd_model", "is not a supported model", "1: immediate post-dominators");
    limits.stack = v.number("-gpgpu_stack_size_limit");
    limits.heap = v.number("-gpgpu_heap_size_limit");
}

}  // namespace simtlm::platform
