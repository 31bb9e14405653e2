// SPDX-License-Identifier: Apache-2.0
#include "modules/power/activity_reader.h"

#include "modules/support/error.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace simtlm::power {

namespace {

constexpr double warp_lanes = 32;
constexpr double instruction_pair = 1.0 / 2;  // the L1I of AccelWattch delivers pairs

double* count_of(activity_counts& a, activity of) {
    return &a[of];
}
double* lanes_of(activity_counts& a, activity) {
    return &a.unit_lanes;
}
double* warps_of(activity_counts& a, activity) {
    return &a.unit_warps;
}

/// The functional unit of AccelWattch for an operation, by the label of core_statistics.
struct unit_of_operation {
    const char* label;
    activity unit;
    double idle_lane;  ///< what an idle lane takes unless it is gated, in active lanes
};
constexpr double of_units = 1.0 / 2, of_special_units = 3.0 / 4;
constexpr unit_of_operation units[] = {{"integer", activity::integer, of_units},
                                       {"uniform", activity::integer, of_units},
                                       {"integer_multiply", activity::integer_multiply, of_units},
                                       {"fp16", activity::fp32, of_units},
                                       {"fp16_multiply", activity::fp32_multiply, of_units},
                                       {"fp32", activity::fp32, of_units},
                                       {"conversion", activity::fp32, of_units},
                                       {"fp32_multiply", activity::fp32_multiply, of_units},
                                       {"fp64", activity::fp64, of_units},
                                       {"fp64_multiply", activity::fp64_multiply, of_units},
                                       {"square_root", activity::square_root, of_special_units},
                                       {"logarithm", activity::logarithm, of_special_units},
                                       {"sine", activity::sine, of_special_units},
                                       {"exponential", activity::exponential, of_special_units},
                                       {"reciprocal", activity::exponential, of_special_units},
                                       {"texture", activity::texture, of_special_units}};

/// Multiply-adds per lane of the instruction of Volta (HMMA.884) whose energy TENSOR_ACC is.
constexpr double products_per_lane = 8;

/// Energy of a multiply-add, relative to that of 16-bit operands: by their number of bits, and of
/// FP64 by the size of the multiplier. @param label  b16
double weight_of_product(const std::string& label) {
    if (label == "b64") return 8;
    return std::strtod(label.c_str() + 1, nullptr) / 16;
}

}  // namespace

double activity_reader::group::sum() const {
    std::uint64_t total = 0;
    for (const std::uint64_t* cell : cells) total += *cell;
    return static_cast<double>(total);
}

activity_reader::activity_reader(const support::statistics& list, const gpu_parameters& parameters,
                                 const std::vector<std::string>& also, const std::string& below)
    : parameters_(parameters), also_(also.size()) {
    for (const support::statistics::block& b : list.blocks())
        has_l0_ = has_l0_ || b.kind == "modern";
    for (const support::statistics::block& b : list.blocks()) {
        if (!below.empty() && b.name != below && b.name.rfind(below + ".", 0) != 0) continue;
        for (const support::statistics::cell& c : b.cells) {
            add_cell(b.kind, c.of->name, c.label, c.value);
            if (also.empty()) continue;
            const std::string whole = b.kind + "." + c.of->name;
            for (std::size_t i = 0; i < also.size(); ++i)
                if (also[i] == whole || also[i] == whole + "." + c.label)
                    also_[i].push_back(c.value);
        }
    }
    if (!below.empty()) return;
    for (std::size_t i = 0; i < also.size(); ++i)
        if (also_[i].empty())
            throw support::user_error("energy table", "no block counts " + also[i],
                                      "KIND.COUNTER[.CELL] as in docs/statistics.md");
}

void activity_reader::add(activity to, double weight, const std::uint64_t* cell) {
    for (group& g : groups_)
        if (g.to == count_of && g.of == to && g.weight == weight) {
            g.cells.push_back(cell);
            return;
        }
    groups_.push_back({count_of, to, weight, {cell}});
}

void activity_reader::add_lanes(double weight, const std::uint64_t* cell, bool lanes) {
    auto* const to = lanes ? lanes_of : warps_of;
    for (group& g : groups_)
        if (g.to == to && g.weight == weight) {
            g.cells.push_back(cell);
            return;
        }
    groups_.push_back({to, activity::cycles, weight, {cell}});
}

void activity_reader::add_operation(std::string_view label, const std::uint64_t* cell, bool lanes) {
    const auto* const unit = std::find_if(std::begin(units), std::end(units),
                                          [&](const auto& u) { return label == u.label; });
    if (unit == std::end(units)) {
        if (label == "tensor") add_lanes(1, cell, lanes);
        return;
    }
    add_lanes(1, cell, lanes);
    const double idle = parameters_.lanes_gated ? 0 : unit->idle_lane;
    if (lanes)
        add(unit->unit, 1 - idle, cell);
    else if (idle != 0)
        add(unit->unit, idle * warp_lanes, cell);
}

void activity_reader::add_sm(std::string_view name, std::string_view label,
                             const std::uint64_t* cell) {
    if (name == "warp_instructions") {
        add(activity::instructions, 1, cell);
        add(activity::scheduled, 1, cell);
        if (parameters_.perfect_instruction_cache && !has_l0_)
            add(activity::instruction_hits, instruction_pair, cell);
    } else if (name == "thread_instructions") {
        add(activity::pipeline_duty, 1 / (warp_lanes * parameters_.result_buses), cell);
    } else if (name == "cycles") {
        add(activity::idle_sms, -1, cell);
    } else if (name == "source_registers") {
        add(activity::register_reads, warp_lanes, cell);
    } else if (name == "destination_registers") {
        add(activity::register_writes, warp_lanes, cell);
    } else if (name == "shared_accesses") {
        add(activity::shared_accesses, 1, cell);
    } else if (name == "tensor_products") {
        add(activity::tensor, weight_of_product(std::string(label)) / products_per_lane, cell);
    } else if (name == "warp_operations" || name == "thread_operations") {
        add_operation(label, cell, name == "thread_operations");
    }
}

void activity_reader::add_cache(std::string_view kind, std::string_view label,
                                const std::uint64_t* cell) {
    const std::size_t dot = label.find('.');
    const std::string_view type = label.substr(0, dot), outcome = label.substr(dot + 1);
    const bool writes = type == "GLOBAL_ACC_W" || type == "LOCAL_ACC_W" || type == "L1_WRBK_ACC";
    const bool hit = outcome == "HIT", late = outcome == "HIT_RESERVED",
               merged = outcome == "MSHR_HIT";
    const bool miss = outcome == "MISS" || outcome == "SECTOR_MISS";
    if (kind == "l1d") {
        // An access that joins a pending miss has the outcome HIT_RESERVED, or that of a miss if
        // the line has been replaced, and counts as MSHR_HIT, too. It is a hit.
        if (hit || merged) add(writes ? activity::l1_write_hits : activity::l1_read_hits, 1, cell);
        if (miss || merged || (late && !parameters_.quirk_merges_reduce_misses))
            add(writes ? activity::l1_write_misses : activity::l1_read_misses, merged ? -1 : 1,
                cell);
    } else if (kind == "l1t") {
        if (hit || late) add(activity::texture_hits, 1, cell);
        if (miss) add(activity::texture_misses, 1, cell);
    } else if (kind == "l1c") {
        if (hit || late || miss) add(activity::constant_hits, 1, cell);
    } else if (kind == "l1i") {
        if ((hit || late) && !has_l0_) add(activity::instruction_hits, 1, cell);
        if (miss) add(activity::instruction_misses, 1, cell);
    } else if (kind == "l2" && type != "L2_WRBK_ACC" && type != "L2_WR_ALLOC_R") {
        if (hit || late) add(writes ? activity::l2_write_hits : activity::l2_read_hits, 1, cell);
        if (miss) add(writes ? activity::l2_write_misses : activity::l2_read_misses, 1, cell);
    }
}

void activity_reader::add_cell(std::string_view kind, std::string_view name, std::string_view label,
                               const std::uint64_t* cell) {
    const double accesses = parameters_.dram_access_bytes / 32.0;
    if (kind == "sm")
        add_sm(name, label, cell);
    else if (kind == "modern" && name == "l0_fetches")
        add(activity::instruction_hits, instruction_pair, cell);
    else if (name == "outcomes")
        add_cache(kind, label, cell);
    else if (kind == "network_half" && name == "flit_hops")
        add(activity::network_flits, 1, cell);
    else if (kind == "dram" && (name == "reads" || name == "allocate_reads"))
        add(activity::dram_reads, accesses, cell);
    else if (kind == "dram" && (name == "writes" || name == "write_backs"))
        add(activity::dram_writes, accesses, cell);
    else if (kind == "dram" && name == "precharges")
        add(activity::dram_precharges, 1, cell);
}

activity_counts activity_reader::read(std::uint64_t core_cycles) const {
    activity_counts a;
    const auto cycles = static_cast<double>(core_cycles);
    a[activity::cycles] = cycles;
    a[activity::idle_sms] = cycles * parameters_.sms;
    for (const group& g : groups_) *g.to(a, g.of) += g.weight * g.sum();
    return a;
}

std::vector<double> activity_reader::read_also() const {
    std::vector<double> values;
    for (const auto& cells : also_) {
        std::uint64_t total = 0;
        for (const std::uint64_t* cell : cells) total += *cell;
        values.push_back(static_cast<double>(total));
    }
    return values;
}

}  // namespace simtlm::power
