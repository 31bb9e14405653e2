// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/execution_ports.h"

namespace simtlm::core::sub_core_pipeline {

const char* unit_name(unit u) {
    constexpr const char* names[unit_count_of_sub_cores] = {
        "fma",    "fma_lite", "alu",    "half",      "xu",    "fp64",
        "tensor", "uniform",  "branch", "predicate", "memory"};
    return names[static_cast<unsigned>(u)];
}

unit execution_ports::unit_of(program::scheduling_class c) {
    using program::scheduling_class;
    switch (c) {
        case scheduling_class::fp32:
        case scheduling_class::imad:
        case scheduling_class::imad_wide:
            return unit::fma;
        case scheduling_class::alu:
        case scheduling_class::alu64:
            return unit::alu;
        case scheduling_class::half:
            return unit::half;
        case scheduling_class::uniform:
            return unit::uniform;
        case scheduling_class::fp64:
            return unit::fp64;
        case scheduling_class::mma:
            return unit::tensor;
        case scheduling_class::xu:
        case scheduling_class::xu64:
            return unit::xu;
        case scheduling_class::special:  // votes, status registers, mbarriers, commands to engines
            return unit::predicate;
        case scheduling_class::branch:
        case scheduling_class::barrier:
            return unit::branch;
        case scheduling_class::memory:
        case scheduling_class::shuffle:
            return unit::memory;
        case scheduling_class::unknown:
            break;
    }
    return unit::alu;
}

execution_config ampere_execution() {
    using program::scheduling_class;
    execution_config c;
    c[scheduling_class::alu] = {4, 2};
    c[scheduling_class::alu64] = {6, 2};
    c[scheduling_class::fp32] = {4, 2};
    c[scheduling_class::imad] = {4, 2};
    c[scheduling_class::imad_wide] = {5, 2};
    c[scheduling_class::half] = {5, 2};
    c[scheduling_class::uniform] = {4, 2};
    c[scheduling_class::fp64] = {40, 32};
    c[scheduling_class::mma] = {32, 16};
    c[scheduling_class::xu] = {18, 8};
    c[scheduling_class::special] = {20, 2};
    c[scheduling_class::branch] = {8, 1};
    c[scheduling_class::barrier] = {10, 1};
    c[scheduling_class::memory] = {32, 1};
    c[scheduling_class::shuffle] = {24, 1};
    c.second_fp32_pipe = true;
    return c;
}

}  // namespace simtlm::core::sub_core_pipeline
