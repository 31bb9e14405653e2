// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/linker.h"

#include "modules/sass/link_members.h"
#include "tests/fuzz/targets/fuzz_input.h"

#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace simtlm;
    fuzz::allow_user_error([&] {
        const auto members =
            sass::link_members_of(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
        const auto objects = sass::objects_for(members, 0);
        const sass::cubin linked(sass::link(objects, "fuzz", sass::undefined_symbols::are_kept),
                                 "linked");
        static_cast<void>(linked.find_function("k"));
    });
    return 0;
}
