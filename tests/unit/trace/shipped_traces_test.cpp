// SPDX-License-Identifier: Apache-2.0
// The samples in traces/ can be read, and match traces/README.md.
#include "modules/isa/opcode_tables.h"
#include "modules/trace/command_list.h"
#include "modules/trace/kernel_trace.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>

namespace {

using namespace simtlm;

TEST(ShippedTraces, HaveTheInstructionsNamedInTheirReadme) {
    const std::map<std::string, std::uint64_t> expected = {
        {"sample", 294272},    {"vecadd", 896},   {"reduction", 3840},
        {"sgemm_tile", 23552}, {"pchase", 1028},  {"histogram", 1024},
        {"async_copy", 1248},  {"streams", 3808}, {"divergence", 528}};
    const isa::opcode_tables opcodes = isa::opcode_tables::builtin();
    trace::reader_options options;
    options.opcodes = &opcodes;
    for (const auto& [folder, count] : expected) {
        std::uint64_t found = 0;
        const std::string list = SIMTLM_TRACES "/" + folder + "/kernelslist.g";
        for (const trace::command& c : trace::read_command_list(list)) {
            if (c.what != trace::command::kind::kernel) continue;
            trace::kernel_trace kernel(c.file, options);
            while (auto block = kernel.next_block()) {
                found += block->instructions.size();
                kernel.recycle(std::move(block));
            }
            EXPECT_TRUE(kernel.take_warnings().empty()) << folder;
        }
        EXPECT_EQ(found, count) << folder;
    }
}

}  // namespace
