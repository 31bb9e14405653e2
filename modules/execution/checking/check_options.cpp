// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/checking/check_options.h"

#include "modules/support/error.h"

#include <string>

namespace simtlm::execution {

check_options parse_checks(std::string_view words) {
    check_options checks;
    while (!words.empty()) {
        const std::string_view word = words.substr(0, words.find(','));
        words.remove_prefix(word.size() == words.size() ? word.size() : word.size() + 1);
        const bool all = word == "all";
        if (!all && word != "memory" && word != "races" && word != "init")
            throw support::user_error("--check", "'" + std::string(word) + "' is not a check",
                                      "name some of memory, races, init, with commas between; or "
                                      "all");
        checks.memory |= all || word == "memory";
        checks.races |= all || word == "races";
        checks.init |= all || word == "init";
    }
    return checks;
}

}  // namespace simtlm::execution
