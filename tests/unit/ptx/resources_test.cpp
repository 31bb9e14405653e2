// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/resources.h"

#include "tests/unit/ptx/ptx_text.h"

namespace simtlm::ptx {
namespace {

resource_demand demand(const std::string& text, const std::string& entry = "k") {
    const module m = parse(text, "m.ptx");
    return estimate_resources(m, *m.find_function(entry));
}

std::uint32_t registers(const std::string& body) {
    return demand(kernel_text(body)).registers;
}

/// Loads n values, then uses all of them.
std::string live_at_once(unsigned n, const std::string& type, const std::string& reg) {
    std::string body;
    for (unsigned i = 1; i <= n; ++i) {
        body += "ld.shared." + type + " " + reg + std::to_string(i) + ", [s];\n";
    }
    for (unsigned i = 1; i <= n; ++i) {
        body += "st.shared." + type + " [s], " + reg + std::to_string(i) + ";\n";
    }
    return body;
}

TEST(PtxResources, CountsTheRegistersAliveAtOnce) {
    const std::uint32_t ten = registers(live_at_once(10, "u32", "%r"));
    EXPECT_EQ(registers(live_at_once(20, "u32", "%r")), ten + 10);
    EXPECT_EQ(registers(live_at_once(10, "u64", "%rd")), ten + 10);
    EXPECT_EQ(registers(live_at_once(2, "u32", "%r") + live_at_once(10, "u32", "%r")), ten);
}

TEST(PtxResources, KeepsValuesAliveAroundALoop) {
    const std::string inner = live_at_once(10, "u32", "%r");
    const std::string after =
        "ld.shared.u32 %r30, [s];\nLOOP:\n" + inner + "@%p1 bra LOOP;\nst.shared.u32 [s], %r30;";
    const std::string alone = "LOOP:\n" + inner + "@%p1 bra LOOP;";
    EXPECT_EQ(registers(after), registers(alone) + 1);
    const std::string carried =
        "ld.shared.u32 %r30, [s];\nLOOP:\nst.shared.u32 [s], %r30;\n" + inner + "@%p1 bra LOOP;";
    EXPECT_EQ(registers(carried), registers(alone) + 1);
    EXPECT_GT(registers(alone), registers(inner));
}

TEST(PtxResources, ConstantsAndParametersOccupyNoRegister) {
    const std::string inner = live_at_once(10, "u32", "%r");
    EXPECT_EQ(registers("mov.u32 %r40, 7;\nld.param.u64 %rd9, [p];\n" + inner +
                        "st.shared.u32 [s], %r40;\nst.global.u32 [%rd9], %r40;"),
              registers(inner));
}

TEST(PtxResources, RespectsTheLimitOfTheEntryAndTheRegistersOfCalls) {
    const std::string head = std::string(header) + ".shared .b32 s[4];\n";
    const std::string body = "{ .reg .b32 %r<40>;\n" + live_at_once(30, "u32", "%r") + " ret; }\n";
    EXPECT_EQ(demand(head + ".entry k() .maxnreg 16 " + body).registers, 16U);
    EXPECT_EQ(demand(head + ".func f(); .entry k() { call f; ret; }").registers, 24U);
    EXPECT_GT(demand(head + ".func f() " + body + ".entry k() { call f; ret; }").registers, 30U);
}

TEST(PtxResources, PlacesTheSharedVariablesThatAnEntryReaches) {
    const std::string text =
        std::string(header) +
        ".shared .b8 a[3];\n.shared .align 8 .b8 b[8];\n.shared .b8 unused[100];\n"
        ".extern .shared .align 16 .b8 dyn[];\n"
        ".func f() { .reg .b32 r; ld.shared.u32 r, [b]; ret; }\n"
        ".entry k() { .reg .b32 r; .shared .b32 own; mov.u32 r, dyn; "
        "ld.shared.u8 r, [a]; st.shared.u32 [own], r; call f; ret; }\n"
        ".entry other() { ret; }";
    const module m = parse(text, "m.ptx");
    const resource_demand d = estimate_resources(m, *m.find_function("k"));
    EXPECT_EQ(d.shared_bytes, 20U);
    ASSERT_EQ(d.shared.size(), 4U);
    EXPECT_EQ(m.variables[d.shared[1].variable].name, "b");
    EXPECT_EQ(d.shared[1].offset, 8U);
    EXPECT_EQ(m.variables[d.shared[2].variable].name, "dyn");
    EXPECT_EQ(d.shared[2].offset, 32U);
    EXPECT_EQ(estimate_resources(m, *m.find_function("other")).shared_bytes, 0U);
}

TEST(PtxResources, AddsFramesAlongTheDeepestChainOfCalls) {
    const std::string text =
        std::string(header) +
        ".func a() { .local .b8 x[8]; ret; }\n.func c();\n"
        ".func b() { .local .b8 x[16]; call a; call c; ret; }\n"
        ".func c() { .local .b8 x[4]; call b; ret; }\n"
        ".entry k(.param .u8 p, .param .u64 q) { .local .b8 x[32]; call a; call b; ret; }";
    const resource_demand d = demand(text);
    EXPECT_EQ(d.local_bytes, 32U + 16U + 8U);
    EXPECT_EQ(d.parameter_bytes, 16U);
    EXPECT_EQ(d.parameters[1].offset, 8U);
}

TEST(PtxResources, IndirectCallsReachFunctionsWhoseAddressIsTaken) {
    const std::string text =
        std::string(header) +
        ".func a() { .local .b8 x[64]; ret; }\n.func b() { .local .b8 x[128]; ret; }\n"
        ".global .u64 t = a;\n"
        ".entry k() { .reg .b64 r; pr: .callprototype _ (); ld.global.u64 r, [t]; "
        "call r, (), pr; ret; }";
    EXPECT_EQ(demand(text).local_bytes, 64U);
}

}  // namespace
}  // namespace simtlm::ptx
