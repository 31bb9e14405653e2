// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/describe.h"

#include <fmt/format.h>

namespace simtlm::protocol {

std::string describe(const tlm::tlm_generic_payload& p) {
    const memory_extension* const e = find_extension(p);
    if (e == nullptr)
        return fmt::format("{} of {:#x}", p.is_write() ? "write" : "read", p.get_address());
    return fmt::format("{}{} of {:#x} for SM {} warp {}", access_type_name(e->type),
                       e->is_atomic ? " (atomic)" : "", p.get_address(), e->sm, e->warp);
}

}  // namespace simtlm::protocol
