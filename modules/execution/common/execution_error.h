// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/error.h"

#include <cstdint>
#include <string>

namespace simtlm::execution {

/// Position of a thread whose program has done something undefined.
struct fault_site {
    std::string kernel;
    std::string where;  ///< "file.ptx:line", and the CUDA source line if given by `.loc`
    unsigned block[3] = {};
    unsigned thread[3] = {};
};

/// Kinds of faults that hosts distinguish, as CUDA's error codes do.
enum class fault_kind : std::uint8_t {
    other,  ///< a trap, a barrier that cannot complete, an access beyond shared memory, ...
    outside_of_allocations,
    misaligned,
    assertion,
    illegal_instruction,
};

/// An error in the executed program: an access outside all allocations, a misaligned address, a
/// barrier that can never complete, a trap. The message names kernel, PTX line, block and thread.
class execution_error : public support::user_error {
public:
    execution_error(const fault_site& site, const std::string& what, const std::string& remedy = {},
                    fault_kind kind = fault_kind::other);

    const fault_site& site() const noexcept { return site_; }
    fault_kind kind() const noexcept { return kind_; }

private:
    fault_site site_;
    fault_kind kind_;
};

}  // namespace simtlm::execution
