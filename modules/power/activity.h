// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace simtlm::power {

/// A part of the chip to which energy is attributed: the components of AccelWattch (Kandiah et al.,
/// MICRO 2021), and one for the counters that a table adds.
enum class component : std::uint8_t {
    instruction_buffer,
    instruction_cache,
    data_cache,
    texture_cache,
    constant_cache,
    shared_memory,
    register_file,
    integer,
    fp32,
    fp64,
    integer_multiply24,
    integer_multiply32,
    integer_multiply,
    integer_divide,
    fp32_multiply,
    fp32_divide,
    square_root,
    logarithm,
    sine,
    exponential,
    fp64_multiply,
    fp64_divide,
    tensor,
    texture,
    scheduler,
    l2_cache,
    memory_controller,
    network,
    dram,
    pipeline,
    idle_sms,
    constant,
    static_power,
    other,
};
inline constexpr unsigned components = 34;

/// The name in AccelWattch's report: RFP.
constexpr std::string_view component_name(component c) {
    constexpr std::string_view names[components] = {
        "IBP",     "ICP",     "DCP",        "TCP",        "CCP",        "SHRDP",    "RFP",
        "INTP",    "FPUP",    "DPUP",       "INT_MUL24P", "INT_MUL32P", "INT_MULP", "INT_DIVP",
        "FP_MULP", "FP_DIVP", "FP_SQRTP",   "FP_LGP",     "FP_SINP",    "FP_EXP",   "DP_MULP",
        "DP_DIVP", "TENSORP", "TEXP",       "SCHEDP",     "L2CP",       "MCP",      "NOCP",
        "DRAMP",   "PIPEP",   "IDLE_COREP", "CONSTP",     "STATICP",    "OTHERP"};
    return names[static_cast<unsigned>(c)];
}
/// The component of this name.
constexpr std::optional<component> component_named(std::string_view name) {
    for (unsigned c = 0; c < components; ++c)
        if (component_name(static_cast<component>(c)) == name) return static_cast<component>(c);
    return std::nullopt;
}

/// The components by part of the GPU, for waveforms and timelines.
enum class component_group : std::uint8_t {
    core,  ///< of an SM: front end, registers, functional units
    l1,    ///< data, texture and constant cache
    shared_memory,
    l2,
    network,
    dram,         ///< and its controllers
    leakage,      ///< of SMs
    constant,     ///< clock tree and board
    user_blocks,  ///< what a table adds
};
inline constexpr unsigned component_groups = 9;

constexpr const char* group_name(component_group g) {
    constexpr const char* names[component_groups] = {
        "core", "l1", "shared", "l2", "network", "dram", "static", "constant", "other"};
    return names[static_cast<unsigned>(g)];
}
constexpr component_group group_of(component c) {
    switch (c) {
        case component::data_cache:
        case component::texture_cache:
        case component::constant_cache:
            return component_group::l1;
        case component::shared_memory:
            return component_group::shared_memory;
        case component::l2_cache:
            return component_group::l2;
        case component::network:
            return component_group::network;
        case component::memory_controller:
        case component::dram:
            return component_group::dram;
        case component::idle_sms:
        case component::static_power:
            return component_group::leakage;
        case component::constant:
            return component_group::constant;
        case component::other:
            return component_group::user_blocks;
        default:
            return component_group::core;
    }
}

/// Whether a component takes power without events, whatever the clock.
constexpr bool has_constant_power(component c) {
    return group_of(c) == component_group::leakage || group_of(c) == component_group::constant;
}

/// What is counted: the performance counters of AccelWattch, over the whole GPU.
enum class activity : std::uint8_t {
    instructions,      ///< warp instructions
    scheduled,         ///< warp instructions that the scheduler issued
    instruction_hits,  ///< accesses of instruction caches
    instruction_misses,
    l1_read_hits,  ///< sectors
    l1_read_misses,
    l1_write_hits,
    l1_write_misses,
    texture_hits,
    texture_misses,
    constant_hits,
    constant_misses,
    shared_accesses,  ///< cycles of the banks
    register_reads,   ///< operands times lanes
    register_writes,
    other_operands,
    integer,  ///< thread instructions
    fp32,
    fp64,
    integer_multiply24,
    integer_multiply32,
    integer_multiply,
    integer_divide,
    fp32_multiply,
    fp32_divide,
    square_root,
    logarithm,
    sine,
    exponential,
    fp64_multiply,
    fp64_divide,
    tensor,
    texture,
    dram_reads,  ///< of 32 bytes
    dram_writes,
    dram_precharges,
    l2_read_hits,  ///< sectors
    l2_read_misses,
    l2_write_hits,
    l2_write_misses,
    network_flits,
    pipeline_duty,  ///< thread instructions over those that the result buses take
    idle_sms,       ///< SM cycles without a thread block
    cycles,         ///< core cycles
};
inline constexpr unsigned activities = 44;

/// The name in AccelWattch's XML files: REG_RD.
constexpr std::string_view activity_name(activity a) {
    constexpr std::string_view names[activities] = {
        "TOT_INST",    "FP_INT",        "IC_H",          "IC_M",        "DC_RH",       "DC_RM",
        "DC_WH",       "DC_WM",         "TC_H",          "TC_M",        "CC_H",        "CC_M",
        "SHRD_ACC",    "REG_RD",        "REG_WR",        "NON_REG_OPs", "INT_ACC",     "FP_ACC",
        "DP_ACC",      "INT_MUL24_ACC", "INT_MUL32_ACC", "INT_MUL_ACC", "INT_DIV_ACC", "FP_MUL_ACC",
        "FP_DIV_ACC",  "FP_SQRT_ACC",   "FP_LG_ACC",     "FP_SIN_ACC",  "FP_EXP_ACC",  "DP_MUL_ACC",
        "DP_DIV_ACC",  "TENSOR_ACC",    "TEX_ACC",       "MEM_RD",      "MEM_WR",      "MEM_PRE",
        "L2_RH",       "L2_RM",         "L2_WH",         "L2_WM",       "NOC_A",       "PIPE_A",
        "IDLE_CORE_N", "CYCLES"};
    return names[static_cast<unsigned>(a)];
}
/// The activity of this name.
constexpr std::optional<activity> activity_named(std::string_view name) {
    for (unsigned a = 0; a < activities; ++a)
        if (activity_name(static_cast<activity>(a)) == name) return static_cast<activity>(a);
    return std::nullopt;
}

/// The activity of an interval of simulated time.
struct activity_counts {
    std::array<double, activities> of{};
    double unit_lanes = 0;  ///< active lanes of instructions of functional units
    double unit_warps = 0;  ///< warp instructions of functional units

    double& operator[](activity a) { return of[static_cast<unsigned>(a)]; }
    double operator[](activity a) const { return of[static_cast<unsigned>(a)]; }
    activity_counts& operator+=(const activity_counts& o) {
        for (unsigned a = 0; a < activities; ++a) of[a] += o.of[a];
        unit_lanes += o.unit_lanes;
        unit_warps += o.unit_warps;
        return *this;
    }
    activity_counts& operator-=(const activity_counts& o) {
        for (unsigned a = 0; a < activities; ++a) of[a] -= o.of[a];
        unit_lanes -= o.unit_lanes;
        unit_warps -= o.unit_warps;
        return *this;
    }
};

}  // namespace simtlm::power
