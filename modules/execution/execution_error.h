// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/error.h"

#include <cstdint>
#include <string>

namespace simtlm::execution {

/// Where a thread was when its program did something that has no meaning.
struct fault_site {
    std::string kernel;
    std::string where;  ///< "file.ptx:line", and the CUDA source line where `.loc` tells it
    unsigned block[3] = {};
    unsigned thread[3] = {};
};

/// What hosts tell apart, as CUDA's results do.
enum class fault_kind : std::uint8_t {
    other,  ///< a trap, a barrier that never completes, an access beyond shared memory, ...
    outside_of_allocations,
    misaligned,
    assertion,
    illegal_instruction,
};

/// A fault of the program that is executed: an access outside all allocations, a misaligned
/// address, a barrier that can never complete, a trap. One message names kernel, PTX line, block
/// and thread.
class execution_error : public kernel::user_error {
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
