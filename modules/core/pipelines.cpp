// SPDX-License-Identifier: Apache-2.0
#include "modules/core/pipelines.h"

#include <algorithm>
#include <utility>

namespace simtlm::core {

using program::op_class;

namespace {

using class_list = std::vector<op_class>;

pipeline_config row(const char* name, const char* label, class_list classes, class_list stands_in,
                    pipeline_config::visits order) {
    pipeline_config p;
    p.name = name;
    p.label = label;
    p.classes = std::move(classes);
    p.stands_in = std::move(stands_in);
    p.order = order;
    p.pool_option = name;
    p.units_option = std::string("-gpgpu_num_") + name + "_units";
    return p;
}

pipeline_config specialized(unsigned number) {
    const auto cls = static_cast<op_class>(static_cast<unsigned>(op_class::spec1) + number);
    const std::string text = std::to_string(number + 1);
    pipeline_config p = row(("spec" + text).c_str(), "", {cls}, {}, {});
    p.units_option = "-specialized_unit_" + text;
    p.pool_option.clear();
    p.specialized = true;
    p.present = false;
    p.id_oc = p.oc_ex = 0;
    return p;
}

bool has(const class_list& list, op_class c) {
    return std::find(list.begin(), list.end(), c) != list.end();
}

}  // namespace

std::vector<pipeline_config> built_in_pipelines() {
    // Classes without units of their own are executed as integer instructions.
    const class_list integer = {op_class::alu, op_class::integer, op_class::branch, op_class::call,
                                op_class::ret, op_class::barrier, op_class::exit};
    std::vector<pipeline_config> table = {
        row("sp", "SP", {op_class::sp}, integer, {0, 0, 0}),
        row("dp", "DP", {op_class::dp}, {}, {4, 1, 1}),
        row("int", "INT", integer, {}, {5, 5, 5}),
        row("sfu", "SFU", {op_class::sfu}, {op_class::dp}, {1, 3, 2}),
        row("tensor", "tensor", {op_class::tensor}, {}, {3, 2, 3}),
        row("mem", "memory", {op_class::load, op_class::store, op_class::memory_barrier}, {},
            {2, 4, 4}),
    };
    table[pipe_sp].units = table[pipe_sfu].units = 1;
    table[pipe_sp].min_units = table[pipe_sfu].min_units = 1;
    table[pipe_tensor].units_option = "-gpgpu_num_tensor_core_units";
    table[pipe_tensor].pool_option = "tensor_core";
    table[pipe_tensor].id_oc = table[pipe_tensor].oc_ex = 0;
    table[pipe_mem].units_option.clear();
    table[pipe_mem].to_memory = true;
    for (unsigned i = 0; i < program::max_specialized_units; ++i) table.push_back(specialized(i));
    return table;
}

unsigned route(const std::vector<pipeline_config>& table, op_class c) {
    for (const auto list : {&pipeline_config::classes, &pipeline_config::stands_in})
        for (unsigned p = 0; p < table.size(); ++p)
            if (table[p].usable() && has(table[p].*list, c)) return p;
    return static_cast<unsigned>(table.size());
}

}  // namespace simtlm::core
