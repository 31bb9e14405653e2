// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/linker.h"

#include "modules/sass/link_members.h"
#include "tests/fuzz/targets/fuzz_input.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

/// Inputs of a linker, separated by a line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace simtlm;
    fuzz::allow_user_error([&] {
        const std::string text(reinterpret_cast<const char*>(data), size), separator = "\n--\n";
        std::vector<sass::link_member> members;
        for (std::size_t at = 0; at <= text.size();) {
            const std::size_t end = std::min(text.find(separator, at), text.size());
            for (sass::link_member& m : sass::link_members_of(text.substr(at, end - at), "fuzz"))
                members.push_back(std::move(m));
            at = end + separator.size();
        }
        const auto objects = sass::objects_for(members, 0);
        const sass::cubin linked(sass::link(objects, "fuzz", sass::undefined_symbols::are_kept),
                                 "linked");
        static_cast<void>(linked.find_function("k"));
    });
    return 0;
}
