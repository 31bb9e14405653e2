// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/ptx/instruction_class.h"

#include "modules/ptx/operation.h"

namespace simtlm::execution {

namespace {

using ptx::opcode;
using ptx::state_space;

const char* memory_class(state_space s) {
    switch (s) {
        case state_space::global:
            return "global memory";
        case state_space::shared:
            return "shared memory";
        case state_space::local:
            return "local memory";
        case state_space::param:
            return "parameters";
        case state_space::const_:
            return "constant memory";
        default:
            return "generic memory";
    }
}

const char* arithmetic_class(ptx::type t) {
    if (t == ptx::type::f32) return "single precision";
    if (t == ptx::type::f64) return "double precision";
    return ptx::class_of(t) == ptx::type_class::floating ? "half precision" : "integer";
}

}  // namespace

const char* class_of(const ptx::operation& o) {
    switch (o.op) {
        case opcode::ld:
        case opcode::ldu:
        case opcode::st:
            return memory_class(o.space);
        case opcode::atom:
        case opcode::red:
            return "atomic";
        case opcode::tex:
        case opcode::tld4:
            return "texture";
        case opcode::suld:
        case opcode::sust:
        case opcode::sured:
            return "surface";
        case opcode::bra:
        case opcode::brx_idx:
        case opcode::call:
        case opcode::ret:
        case opcode::exit:
            return "control";
        case opcode::bar_sync:
        case opcode::bar_arrive:
        case opcode::bar_red:
        case opcode::bar_warp_sync:
        case opcode::membar:
        case opcode::fence:
            return "barrier";
        case opcode::mov:
        case opcode::cvta:
            return "move";
        case opcode::cvt:
            return "conversion";
        case opcode::sin:
        case opcode::cos:
        case opcode::ex2:
        case opcode::lg2:
        case opcode::rcp:
        case opcode::rsqrt:
        case opcode::sqrt:
        case opcode::tanh:
            return "special function";
        case opcode::mma:
        case opcode::mma_sp:
        case opcode::wmma_mma:
        case opcode::wmma_load:
        case opcode::wmma_store:
        case opcode::ldmatrix:
            return "matrix";
        default:
            return arithmetic_class(o.first_type());
    }
}

}  // namespace simtlm::execution
