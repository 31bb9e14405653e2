// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/common/execution_error.h"

#include <fmt/format.h>

namespace simtlm::execution {

namespace {
std::string described(const fault_site& s, const std::string& what) {
    return fmt::format("kernel {}, block ({},{},{}), thread ({},{},{}): {}", s.kernel, s.block[0],
                       s.block[1], s.block[2], s.thread[0], s.thread[1], s.thread[2], what);
}
}  // namespace

execution_error::execution_error(const fault_site& site, const std::string& what,
                                 const std::string& remedy, fault_kind kind)
    : user_error(site.where, described(site, what), remedy), site_(site), kind_(kind) {}

}  // namespace simtlm::execution
