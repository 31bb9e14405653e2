// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/error.h"
#include "modules/kernel/nearest_name.h"
#include "platform/config/readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtlm::platform {

void read_quirks(const option_values& v, gpu_config& config) {
    const std::string& compat = v.text("--compat");
    if (compat != "none" && compat != "accel-sim")
        v.fail("--compat", "there is no such simulator to be compatible with", "none or accel-sim");
    std::vector<std::string> names;
    for (const quirk_info& quirk : quirk_table()) names.emplace_back(quirk.name);
    std::vector<bool> on(names.size(), compat == "accel-sim");
    for (const option_value& value : v.all("--quirk")) {
        const auto found = std::find(names.begin(), names.end(), value.text);
        if (found == names.end())
            throw kernel::user_error(
                value.origin.where(), "there is no quirk '" + value.text + "'",
                "did you mean " + kernel::nearest_name(value.text, names) + "?");
        on[static_cast<std::size_t>(found - names.begin())] = true;
    }
    const std::pair<std::string_view, bool*> switches[] = {
        {"packet-is-one-flit", &config.network.crossbar.quirk_packet_is_one_flit},
        {"rz-is-a-register", &config.traces.quirks.rz_is_a_register},
        {"ldgsts-global-half-only", &config.cores.sm.quirks.ldgsts_global_half_only},
        {"fetch-past-branches", &config.cores.sm.quirks.fetch_past_branches},
        {"loads-stay-long", &config.cores.sm.quirks.loads_stay_long},
        {"flush-few-l2", &config.memory.quirk_flush_few_l2},
        {"single-barrier", &config.traces.quirks.single_barrier},
        {"ldc-is-alu", &config.traces.quirks.ldc_is_alu},
        {"generic-windows", &config.traces.quirks.generic_windows},
        {"typed-width-is-word", &config.traces.quirks.typed_width_is_word},
        {"serial-kernels", &config.dispatch.serial_kernels},
        {"ptx-names-give-banks", &config.ptx.names_give_banks},
        {"ptx-vector-is-element", &config.ptx.vector_is_one_element},
        {"ptx-atomic-address", &config.ptx.unchecked_atomic_address},
        {"rounded-clocks", &config.clocks.quirk_rounded},
        {"base-delta-swallow", &config.traces.quirks.base_delta_swallow},
        {"base-stride-gap", &config.traces.quirks.base_stride_gap},
        {"memcpy-truncates", &config.memory.partition.quirk_memcpy_truncates},
    };
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!on[i]) continue;
        config.quirks.push_back(names[i]);
        for (const auto& [name, where] : switches)
            if (name == names[i]) *where = true;
    }
}

}  // namespace simtlm::platform
