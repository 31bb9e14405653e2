// SPDX-License-Identifier: Apache-2.0
// Compiled for several instruction sets.
#include "modules/execution/operations/target_tables.h"

#include <stdexcept>

namespace simtlm::execution {

namespace on_baseline {
const operation_table& operations();
}

inline namespace SIMTLM_ARITHMETIC_TARGET {

namespace {
choice choose_elementwise(const ptx::operation& o) {
    for (const auto choose :
         {choose_integer, choose_bit_field, choose_logic, choose_carry, choose_selection,
          choose_comparison, choose_approximate, choose_float, choose_conversion})
        if (const choice c = choose(o)) {
            if (leaves_to_baseline && c.execute == of_baseline)
                return on_baseline::operations().elementwise(o);
            return c;
        }
    return {};
}
}  // namespace

const operation* of_baseline(warp&, const operation*) {
    throw std::logic_error("a handler of the baseline is not in its place");
}

const operation_table& operations();
const operation_table& operations() {
    static const operation_table table{choose_elementwise,
                                       choose_load,
                                       choose_store,
                                       choose_parameter_load,
                                       check_access,
                                       fetch_texture,
                                       &machine_operations_of_lanes()};
    return table;
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution
