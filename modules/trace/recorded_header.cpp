// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/recorded_header.h"

#include "modules/trace/append_text.h"

#include <algorithm>
#include <cinttypes>

namespace simtlm::trace {

namespace {

std::string dimensions_text(const program::dim3& d) {
    return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

/// The additional header lines of Accel-Sim's tracer.
std::string tracer_lines(const traced_form& form) {
    std::string text;
    append_text(text, "\n-shmem base_addr = 0x%016" PRIx64 "\n", form.shared_window);
    append_text(text, "-local mem base_addr = 0x%016" PRIx64 "\n", form.local_window);
    append_text(text, "-nvbit version = 1.7.4\n-accelsim tracer version = %u\n", form.version);
    return text + "-enable lineinfo = 0\n";
}

}  // namespace

std::string recorded_header(const program::kernel_descriptor& kernel, const program::dim3& cluster,
                            unsigned version, const traced_form* traced, const std::string& code) {
    constexpr std::uint32_t max_registers = 255;
    return "-kernel name = " + kernel.name + "\n-kernel id = " + std::to_string(kernel.id) +
           "\n-grid dim = " + dimensions_text(kernel.grid) +
           "\n-block dim = " + dimensions_text(kernel.block) +
           (cluster.volume() > 1 ? "\n-cluster dim = " + dimensions_text(cluster) : "") +
           "\n-shmem = " + std::to_string(kernel.shared_memory) +
           "\n-nregs = " + std::to_string(std::min(kernel.registers, max_registers)) +
           (kernel.barriers > 1 ? "\n-barriers = " + std::to_string(kernel.barriers) : "") +
           (kernel.carve_out >= 0 ? "\n-carveout = " + std::to_string(kernel.carve_out) : "") +
           "\n-binary version = " + std::to_string(version) +
           "\n-cuda stream id = " + std::to_string(kernel.stream) +
           (traced != nullptr ? tracer_lines(*traced) : "\n-accelsim tracer version = 3\n") + code +
           (traced != nullptr
                ? "\n#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num "
                  "[reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate\n"
                : "\n#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] "
                  "mem_width [adrrescompress?] [mem_addresses]\n");
}

}  // namespace simtlm::trace
