// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/types.h"

#include "modules/ptx/opcode.h"

#include <array>
#include <cstddef>

namespace simtlm::ptx {

namespace {

struct type_descriptor {
    std::string_view name;
    std::uint8_t width;
    type_class cls;
};

// In the order of the enumeration.
constexpr type_descriptor types[] = {
    {"none", 0, type_class::none},
    {"pred", 1, type_class::predicate},
    {"b1", 1, type_class::bits},
    {"b4", 4, type_class::bits},
    {"b8", 8, type_class::bits},
    {"b16", 16, type_class::bits},
    {"b32", 32, type_class::bits},
    {"b64", 64, type_class::bits},
    {"b128", 128, type_class::bits},
    {"u2", 2, type_class::unsigned_integer},
    {"u4", 4, type_class::unsigned_integer},
    {"u8", 8, type_class::unsigned_integer},
    {"u16", 16, type_class::unsigned_integer},
    {"u32", 32, type_class::unsigned_integer},
    {"u64", 64, type_class::unsigned_integer},
    {"s2", 2, type_class::signed_integer},
    {"s4", 4, type_class::signed_integer},
    {"s8", 8, type_class::signed_integer},
    {"s16", 16, type_class::signed_integer},
    {"s32", 32, type_class::signed_integer},
    {"s64", 64, type_class::signed_integer},
    {"u16x2", 32, type_class::unsigned_integer},
    {"s16x2", 32, type_class::signed_integer},
    {"f16", 16, type_class::floating},
    {"f16x2", 32, type_class::floating},
    {"bf16", 16, type_class::floating},
    {"bf16x2", 32, type_class::floating},
    {"tf32", 32, type_class::floating},
    {"f32", 32, type_class::floating},
    {"f32x2", 64, type_class::floating},
    {"f64", 64, type_class::floating},
    {"e4m3", 8, type_class::floating},
    {"e5m2", 8, type_class::floating},
    {"e4m3x2", 16, type_class::floating},
    {"e5m2x2", 16, type_class::floating},
    {"e2m1", 4, type_class::floating},
    {"e2m3", 6, type_class::floating},
    {"e3m2", 6, type_class::floating},
    {"e2m1x2", 8, type_class::floating},
    {"e2m3x2", 16, type_class::floating},
    {"e3m2x2", 16, type_class::floating},
    {"ue8m0x2", 16, type_class::floating},
    {"e4m3x4", 32, type_class::floating},
    {"e5m2x4", 32, type_class::floating},
    {"e2m1x4", 16, type_class::floating},
    {"e2m3x4", 32, type_class::floating},
    {"e3m2x4", 32, type_class::floating},
    {"texref", 64, type_class::opaque},
    {"samplerref", 64, type_class::opaque},
    {"surfref", 64, type_class::opaque},
};
static_assert(std::size(types) == static_cast<std::size_t>(type::surfref) + 1);

const type_descriptor& descriptor_of(type t) {
    return types[static_cast<std::size_t>(t)];
}

struct special_descriptor {
    std::string_view name;
    ptx::type type;
    bool components;
};

constexpr special_descriptor specials[] = {
    {"%tid", type::u32, true},
    {"%ntid", type::u32, true},
    {"%laneid", type::u32, false},
    {"%warpid", type::u32, false},
    {"%nwarpid", type::u32, false},
    {"%ctaid", type::u32, true},
    {"%nctaid", type::u32, true},
    {"%smid", type::u32, false},
    {"%nsmid", type::u32, false},
    {"%gridid", type::u64, false},
    {"%is_explicit_cluster", type::pred, false},
    {"%clusterid", type::u32, true},
    {"%nclusterid", type::u32, true},
    {"%cluster_ctaid", type::u32, true},
    {"%cluster_nctaid", type::u32, true},
    {"%cluster_ctarank", type::u32, false},
    {"%cluster_nctarank", type::u32, false},
    {"%lanemask_eq", type::u32, false},
    {"%lanemask_le", type::u32, false},
    {"%lanemask_lt", type::u32, false},
    {"%lanemask_ge", type::u32, false},
    {"%lanemask_gt", type::u32, false},
    {"%clock", type::u32, false},
    {"%clock_hi", type::u32, false},
    {"%clock64", type::u64, false},
    {"%pm", type::u32, false},
    {"%pm64", type::u64, false},
    {"%envreg", type::b32, false},
    {"%globaltimer", type::u64, false},
    {"%globaltimer_lo", type::u32, false},
    {"%globaltimer_hi", type::u32, false},
    {"%reserved_smem_offset_begin", type::b32, false},
    {"%reserved_smem_offset_end", type::b32, false},
    {"%reserved_smem_offset_cap", type::b32, false},
    {"%reserved_smem_offset_0", type::b32, false},
    {"%reserved_smem_offset_1", type::b32, false},
    {"%total_smem_size", type::u32, false},
    {"%aggr_smem_size", type::u32, false},
    {"%dynamic_smem_size", type::u32, false},
    {"%current_graph_exec", type::u64, false},
};
static_assert(std::size(specials) ==
              static_cast<std::size_t>(special_register::current_graph_exec) + 1);

constexpr std::string_view spaces[] = {"generic", "reg",   "sreg",   "const", "global",
                                       "local",   "param", "shared", "tex"};
static_assert(std::size(spaces) == static_cast<std::size_t>(state_space::tex) + 1);

constexpr opcode_record opcodes[] = {
#define SIMTLM_PTX_OPCODE(name, text, scheduling, order, lowering) \
    {text, scheduling_rule::scheduling, memory_order::order},
#include "modules/ptx/opcodes.def"
    {"later", scheduling_rule::alu, memory_order::fence}};

}  // namespace

unsigned width_of(type t) {
    return descriptor_of(t).width;
}
type_class class_of(type t) {
    return descriptor_of(t).cls;
}
std::string_view name_of(type t) {
    return descriptor_of(t).name;
}

std::string_view name_of(state_space s) {
    return spaces[static_cast<std::size_t>(s)];
}

std::string_view name_of(special_register s) {
    return specials[static_cast<std::size_t>(s)].name;
}
type type_of(special_register s) {
    return specials[static_cast<std::size_t>(s)].type;
}
bool has_components(special_register s) {
    return specials[static_cast<std::size_t>(s)].components;
}

std::string_view name_of(opcode o) {
    return record_of(o).name;
}
const opcode_record& record_of(opcode o) {
    return opcodes[static_cast<std::size_t>(o)];
}

}  // namespace simtlm::ptx
