// SPDX-License-Identifier: Apache-2.0
#include "modules/support/error.h"
#include "platform/config/readers.h"

#include <fmt/format.h>

#include <filesystem>
#include <initializer_list>
#include <string>

namespace simtlm::platform {

namespace {

/// Latencies of traced instructions, by instruction class.
void read_latencies(const option_values& v, program::latency_table& table) {
    using program::op_class;
    const auto fill = [&](const std::string& kind, std::initializer_list<op_class> classes) {
        const std::string option = "-trace_opcode_latency_initiation_" + kind;
        const auto pair =
            read(v, option, [](const std::string& text) { return parse_numbers(text, ',', 2, 2); });
        if (pair[0] == 0 || pair[1] == 0)
            v.fail(option, "latency and initiation interval must not be zero", "at least 1,1");
        if (pair[0] > 0xffff) v.fail(option, "the latency is too long", "at most 65535");
        if (pair[1] > pair[0])
            v.fail(option, "the initiation interval exceeds the latency",
                   "LATENCY,INITIATION in this order");
        for (const op_class c : classes)
            table[c] = {static_cast<std::uint16_t>(pair[0]), static_cast<std::uint16_t>(pair[1])};
    };
    fill("int",
         {op_class::alu, op_class::integer, op_class::branch, op_class::call, op_class::ret});
    fill("sp", {op_class::sp});
    fill("dp", {op_class::dp});
    fill("sfu", {op_class::sfu});
    fill("tensor", {op_class::tensor});
    for (unsigned i = 0; i < program::max_specialized_units; ++i)
        fill(fmt::format("spec_op_{}", i + 1),
             {static_cast<op_class>(static_cast<unsigned>(op_class::spec1) + i)});
}

}  // namespace

void read_trace(const option_values& v, trace_config& t) {
    read_latencies(v, t.latencies);
    for (const option_value& value : v.all("--opcode-table")) {
        std::error_code ignored;
        if (!std::filesystem::is_regular_file(value.text, ignored))
            throw support::user_error(value.origin.where(),
                                      "--opcode-table " + value.text + ": no such file");
        t.opcode_tables.push_back(value.text);
    }
    const std::string& unknown = v.text("--unknown-opcode");
    if (unknown != "error" && unknown != "warn")
        v.fail("--unknown-opcode", "is neither error nor warn", "");
    t.unknown_opcode_is_error = unknown == "error";
    t.lookahead = v.number("--trace-lookahead", 1, 1u << 16);
    if (v.given("--override-shmem")) t.override_shared_memory = v.number("--override-shmem");
    if (v.given("--override-registers"))
        t.override_registers = v.number("--override-registers", 1, 255);
    t.any_binary_version = v.flag("--any-binary-version");
    t.validate = !v.flag("--no-validate");
    for (const std::string& option : trace::choice_options())
        if (v.given(option))
            trace::set_choice(t.choice, option, v.text(option), v.value(option).origin.where());
    static_cast<void>(trace::kernel_selector(t.choice));  // reports malformed selections
}

}  // namespace simtlm::platform
