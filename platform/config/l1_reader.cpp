// SPDX-License-Identifier: Apache-2.0
#include "platform/config/readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace simtlm::platform {

namespace {

/// Reads the configuration of an L1 cache that is never written.
cache::cache_config read_only_l1(const option_values& v, std::string_view option) {
    const cache::cache_config cache = read_only_cache(v, option);
    if (!cache.enabled) v.fail(option, "an SM requires this cache", "");
    return cache;
}

void read_caches(const option_values& v, core::sm_config& sm) {
    sm.l1.instruction = read_only_l1(v, "-gpgpu_cache:il1");
    sm.l1.constant = read_only_l1(v, "-gpgpu_const_cache:l1");
    sm.l1.texture = read_only_l1(v, "-gpgpu_tex_cache:l1");
    if (!sm.l1.texture.texture_fifo)
        v.fail("-gpgpu_tex_cache:l1", "a texture cache requires a texture FIFO",
               "MSHR kind F or T");
    // Accel-Sim's texture cache has no sectors.
    if (v.text("--compat") == "accel-sim") sm.l1.texture.kind = cache::cache_kind::normal;
    for (const auto& [option, cache] : {std::pair{"-gpgpu_cache:il1", &sm.l1.instruction},
                                        std::pair{"-gpgpu_const_cache:l1", &sm.l1.constant}})
        if (cache->texture_fifo)
            v.fail(option, "a texture FIFO serves texture caches only", "MSHR kind A or S");
    sm.l1.data = read_data_cache(v, "-gpgpu_cache:dl1");
    sm.l1.data_enabled = sm.l1.data.enabled;
    sm.l1.data.write_ratio_percent = v.number("-gpgpu_l1_cache_write_ratio", 0, 100);
    sm.l1.flush = v.flag("-gpgpu_flush_l1_cache");
}

/// @pre the L1 caches have been read
void read_load_store_unit(const option_values& v, core::sm_config& sm) {
    core::ldst_config& ldst = sm.ldst;
    ldst.response_buffer_size =
        v.number("-gpgpu_n_ldst_response_buffer_size", 1, max_queue_entries);
    ldst.l1_latency = v.number("-gpgpu_l1_latency", 1, max_latency);
    ldst.l1_banks = v.number("-gpgpu_l1_banks", 1, 1024);
    if (!power_of_two(ldst.l1_banks)) v.fail("-gpgpu_l1_banks", "is not a power of two", "");
    ldst.l1_banks_byte_interleaving = v.number("-gpgpu_l1_banks_byte_interleaving", 1, 1u << 20);
    if (!power_of_two(ldst.l1_banks_byte_interleaving))
        v.fail("-gpgpu_l1_banks_byte_interleaving", "is not a power of two", "");
    ldst.l1_banks_hash =
        choice<cache::set_index_function>(v, "-gpgpu_l1_banks_hashing_function", 4);
    if (ldst.l1_banks_hash == cache::set_index_function::fermi_hash && ldst.l1_banks != 32 &&
        ldst.l1_banks != 64)
        v.fail("-gpgpu_l1_banks_hashing_function", "Fermi's hash needs 32 or 64 banks",
               "see -gpgpu_l1_banks");
    if (ldst.l1_banks_hash == cache::set_index_function::ipoly && ldst.l1_banks != 16 &&
        ldst.l1_banks != 32 && ldst.l1_banks != 64)
        v.fail("-gpgpu_l1_banks_hashing_function", "the polynomial hash needs 16, 32 or 64 banks",
               "see -gpgpu_l1_banks");
    ldst.global_skips_l1 = v.flag("-gpgpu_gmem_skip_L1D");
    ldst.coalesce_arch = v.number("-gpgpu_coalesce_arch", 1, 999);
    const bool sectors_only =
        ldst.coalesce_arch >= 40 || (ldst.coalesce_arch >= 20 && ldst.global_skips_l1);
    if (sm.l1.data_enabled && sm.l1.data.kind == cache::cache_kind::sector && !sectors_only)
        v.fail("-gpgpu_coalesce_arch",
               fmt::format("accesses of up to 128 bytes, as generated for compute capability "
                           "{}.{}, are incompatible with an L1D with 32-byte sectors",
                           ldst.coalesce_arch / 10, ldst.coalesce_arch % 10),
               "use 40 or more, or an L1D without sectors: -gpgpu_cache:dl1 N:...");
    ldst.local_memory_map = v.flag("-gpgpu_local_mem_map");
    ldst.perfect_memory = v.flag("-gpgpu_perfect_mem");
}

void read_shared_memory(const option_values& v, core::shared_memory_config& shared) {
    shared.bytes = v.number("-gpgpu_shmem_size");
    shared.bytes_per_block = v.number("-gpgpu_shmem_per_block");
    shared.banks = v.number("-gpgpu_shmem_num_banks", 1, 1024);
    if (!power_of_two(shared.banks)) v.fail("-gpgpu_shmem_num_banks", "is not a power of two", "");
    shared.warp_parts = v.number("-gpgpu_shmem_warp_parts", 1, warp_threads);
    if (warp_threads % shared.warp_parts != 0)
        v.fail("-gpgpu_shmem_warp_parts", "does not divide a warp of 32", "");
    shared.limited_broadcast = v.flag("-gpgpu_shmem_limited_broadcast");
    shared.latency = v.number("-gpgpu_smem_latency", 2, max_latency);
}

/// Reads how L1D and shared memory share one storage array.
void read_adaptive_split(const option_values& v, core::sm_config& sm) {
    constexpr std::string_view adaptive = "-gpgpu_adaptive_cache_config",
                               unified = "-gpgpu_unified_l1d_size", sizes = "-gpgpu_shmem_option";
    sm.l1.adaptive = v.flag(adaptive);
    sm.l1.unified_kb = v.number(unified, 0, 1u << 20);
    sm.shared.carve_out_kb =
        read(v, sizes, [](const std::string& text) { return parse_numbers(text, ',', 1, 64); });
    std::sort(sm.shared.carve_out_kb.begin(), sm.shared.carve_out_kb.end());
    if (sm.l1.adaptive && !v.given(unified) && !v.given(sizes)) {
        // GPGPU-Sim 4.0 has neither option: it always divides the memory of Volta.
        constexpr unsigned volta = 70, kb_of_volta = 128;
        sm.l1.unified_kb = kb_of_volta;
        sm.shared.carve_out_kb = core::occupancy_rules_of(volta).carve_out_kb;
    }
    if (sm.l1.unified_kb > 0 && sm.l1.data_enabled) {
        const std::uint64_t whole = std::uint64_t{sm.l1.unified_kb} * 1024;
        if (whole % sm.l1.data.bytes() != 0)
            v.fail(v.given(unified) ? unified : adaptive,
                   fmt::format("{} KB are not a multiple of the L1 data cache's {} bytes",
                               sm.l1.unified_kb, sm.l1.data.bytes()),
                   "see -gpgpu_cache:dl1");
    }
    if (!sm.l1.adaptive) return;
    if (!sm.l1.data_enabled)
        v.fail(adaptive, "there is no L1 data cache to split", "give -gpgpu_cache:dl1");
    if (sm.l1.unified_kb == 0)
        v.fail(adaptive, "the split needs the size of the unified cache in KB",
               "add -gpgpu_unified_l1d_size KB");
    const unsigned most = sm.shared.carve_out_kb.back();
    if (most > sm.l1.unified_kb)
        v.fail(sizes,
               fmt::format("{} KB of shared memory in a unified cache of {} KB", most,
                           sm.l1.unified_kb),
               "see -gpgpu_unified_l1d_size");
    if (std::uint64_t{most} * 1024 < sm.shared.bytes)
        v.fail(
            v.given(sizes) ? sizes : adaptive,
            fmt::format("no size is sufficient for the SM's {} bytes of shared memory; the largest "
                        "is {} KB",
                        sm.shared.bytes, most),
            "give -gpgpu_shmem_option KB,KB,..., or reduce -gpgpu_shmem_size");
}

}  // namespace

cache::cache_config read_only_cache(const option_values& v, std::string_view option) {
    const cache::cache_config cache = read(v, option, parse_cache);
    if (cache.write != cache::write_policy::read_only)
        v.fail(option, "this cache is never written", "write policy R");
    return cache;
}

cache::cache_config read_data_cache(const option_values& v, std::string_view option) {
    const cache::cache_config cache = read(v, option, parse_cache);
    if (!cache.enabled) return cache;
    if (cache.write == cache::write_policy::read_only)
        v.fail(option, "a data cache is written", "write policy B, T, E or L");
    if (cache.texture_fifo)
        v.fail(option, "a texture FIFO serves texture caches only", "MSHR kind A or S");
    // A miss is sent only if there is room for everything that it may send at once.
    const bool writes = cache.write_allocate == cache::write_allocate_policy::write_allocate;
    const unsigned needed = writes ? 3 : 2;
    if (cache.miss_queue_size < needed)
        v.fail(option,
               fmt::format("a miss queue of {} never sends a {} that misses, which may need {} at "
                           "once: for {}its fetch and a write-back",
                           cache.miss_queue_size, writes ? "write" : "read", needed,
                           writes ? "the write, " : ""),
               fmt::format("a miss queue of at least {} entries", needed));
    return cache;
}

void read_l1(const option_values& v, core::sm_config& sm) {
    read_caches(v, sm);
    read_load_store_unit(v, sm);
    read_shared_memory(v, sm.shared);
    read_adaptive_split(v, sm);
}

}  // namespace simtlm::platform
