// SPDX-License-Identifier: Apache-2.0
/// Handling of write hits: the write policies of the GPGPU-Sim manual.
#include "modules/cache/data_cache.h"

namespace simtlm::cache {

data_cache::write_policy_function data_cache::write_hit_of(const cache_config& config) {
    switch (config.write) {
        case write_policy::write_back:
            return &data_cache::hit_write_back;
        case write_policy::write_through:
            return &data_cache::hit_write_through;
        case write_policy::read_only:  // rejected by the platform; no effect here
        case write_policy::write_evict:
            return &data_cache::hit_write_evict;
        case write_policy::local_wb_global_wt:
            if (config.keeps_local_stores()) return &data_cache::hit_local_back_global_through;
            return &data_cache::hit_local_back_global_evict;
    }
    return &data_cache::hit_write_back;
}

bool data_cache::passes_through(const tlm::tlm_generic_payload& p) const {
    if (config_.write == write_policy::write_through) return true;
    return config_.keeps_local_stores() &&
           protocol::extension(p).type == protocol::access_type::global_write;
}

bool data_cache::hit_write_back(tlm::tlm_generic_payload& p, const found_line& f, std::uint64_t now,
                                access_result& r) {
    const unsigned sector = sector_of(p);
    const protocol::memory_extension& x = protocol::extension(p);
    tags_.access(f, p.get_address(), sector, static_cast<std::uint32_t>(now));
    tags_.write(f.line, sector, x.bytes, passes_through(p));
    tags_.update_readable(f.line, sector, x.sectors);
    r.finished = true;
    return true;
}

bool data_cache::hit_write_through(tlm::tlm_generic_payload& p, const found_line& f,
                                   std::uint64_t now, access_result& r) {
    if (miss_queue_full(0)) return fail(p, fail_reason::miss_queue);
    hit_write_back(p, f, now, r);
    send_write(p, r);
    r.finished = false;
    return true;
}

bool data_cache::hit_write_evict(tlm::tlm_generic_payload& p, const found_line& f, std::uint64_t,
                                 access_result& r) {
    if (miss_queue_full(0)) return fail(p, fail_reason::miss_queue);
    send_write(p, r);
    tags_.invalidate_sector(f.line, sector_of(p));
    return true;
}

bool data_cache::hit_local_back_global_evict(tlm::tlm_generic_payload& p, const found_line& f,
                                             std::uint64_t now, access_result& r) {
    return protocol::extension(p).type == protocol::access_type::global_write
               ? hit_write_evict(p, f, now, r)
               : hit_write_back(p, f, now, r);
}

bool data_cache::hit_local_back_global_through(tlm::tlm_generic_payload& p, const found_line& f,
                                               std::uint64_t now, access_result& r) {
    return passes_through(p) ? hit_write_through(p, f, now, r) : hit_write_back(p, f, now, r);
}

}  // namespace simtlm::cache
