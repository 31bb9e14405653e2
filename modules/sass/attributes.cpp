// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/attributes.h"

#include "modules/sass/byte_reader.h"
#include "modules/sass/cubin_format.h"

#include <algorithm>
#include <bitset>
#include <iterator>
#include <string_view>

namespace simtlm::sass {

namespace {

/// Attributes that do not influence results: descriptions for debuggers and profilers, and
/// positions of instructions for the driver's workarounds and patches.
constexpr std::uint8_t harmless[] = {
    0x01,                    // PAD
    0x04,                    // CTAIDZ_USED
    0x15, 0x16,              // BINDLESS_TEXTURE_BANK, BINDLESS_SURFACE_BANK
    0x19,                    // CBANK_PARAM_SIZE, which PARAM_CBANK states, too
    0x1b,                    // MAXREG_COUNT
    0x1c, 0x1d,              // EXIT_INSTR_OFFSETS, S2RCTAID_INSTR_OFFSETS
    0x1e,                    // CRS_STACK_SIZE
    0x1f, 0x20,              // NEED_CNP_WRAPPER, NEED_CNP_PATCH
    0x23,                    // MAX_STACK_SIZE
    0x25, 0x27,              // LD_CACHEMOD_INSTR_OFFSETS, ATOM_SYS_INSTR_OFFSETS
    0x28, 0x29,              // COOP_GROUP_INSTR_OFFSETS, COOP_GROUP_MASK_REGIDS
    0x2a, 0x30, 0x35, 0x36,  // software workarounds
    0x2b,                    // WMMA_USED
    0x31,                    // INT_WARP_WIDE_INSTR_OFFSETS
    0x33, 0x3c, 0x4e,        // statistics
    0x34,                    // INDIRECT_BRANCH_TARGETS
    0x37,                    // CUDA_API_VERSION
    0x38, 0x39,              // NUM_MBARRIERS, MBARRIER_INSTR_OFFSETS
    0x3e, 0x3f,              // EXPLICIT_CLUSTER, MAX_CLUSTER_RANK
    0x40,                    // INSTR_REG_MAP
    0x41, 0x42,              // RESERVED_SMEM_USED, RESERVED_SMEM_0_SIZE: found in the code
    0x44,                    // UNUSED_LOAD_BYTE_OFFSET
    0x46, 0x47,              // SYSCALL_OFFSETS, SW_WAR_MEMBAR_SYS_INSTR_OFFSETS
    0x4a,                    // VRC_CTA_INIT_COUNT
    0x4f,                    // AT_ENTRY_FRAGMENTS: what they initialise is found in the code
    0x50,                    // SPARSE_MMA_MASK
    0x51, 0x52,              // TCGEN05_1CTA_USED, TCGEN05_2CTA_USED
    0x53,                    // GEN_ERRBAR_AT_EXIT
    0x54, 0x55, 0x5f,        // REG_RECONFIG, ANNOTATIONS, MERCURY_ISA_VERSION
};
constexpr std::uint8_t evaluated[] = {
    attribute::max_threads,   attribute::param_cbank,    attribute::externs,
    attribute::reqntid,       attribute::frame_size,     attribute::min_stack_size,
    attribute::kparam_info,   attribute::register_count, attribute::cta_per_cluster,
    attribute::kparam_info_2, attribute::num_barriers,
};

}  // namespace

std::vector<unknown_attribute> unknown_attributes(const cubin& file) {
    std::bitset<256> known;
    for (const std::uint8_t n : harmless) known.set(n);
    for (const std::uint8_t n : evaluated) known.set(n);
    std::vector<unknown_attribute> found;
    for (const cubin_section& s : file.sections()) {
        if (s.type != section_info || !begins_with(s.name, ".nv.info")) continue;
        byte_reader r(s.contents);
        while (!r.done()) {
            const auto form = r.take<std::uint8_t>();
            const auto what = r.take<std::uint8_t>();
            const auto half = r.take<std::uint16_t>();
            if (r.failed() || form < no_value || form > sized_value) break;
            if (form == sized_value) r.skip(half);
            if (known[what]) continue;
            known.set(what);
            found.push_back({std::string(s.name), what});
        }
    }
    return found;
}

}  // namespace simtlm::sass
