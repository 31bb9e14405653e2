// SPDX-License-Identifier: Apache-2.0
#include "modules/power/energy_table.h"
#include "modules/support/error.h"
#include "modules/support/fnv1a.h"
#include "modules/support/text_file.h"

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

namespace simtlm::power {

namespace {

/// Energy of an access as McPAT computes it for the GPU that all published XML files describe: the
/// probed increase of power per access (Kandiah et al., AccelWattch; GPGPU-Sim 4.2). It depends
/// neither on the clock nor on the number of SMs.
struct base_energy {
    activity per;
    component part;
    double picojoules;
};
constexpr base_energy base_energies[] = {
    {activity::instructions, component::instruction_buffer, 0.587836},
    {activity::scheduled, component::scheduler, 3.71392},
    {activity::instruction_hits, component::instruction_cache, 17.4323},
    {activity::instruction_misses, component::instruction_cache, 68.3247},
    {activity::l1_read_hits, component::data_cache, 46.1322},
    {activity::l1_read_hits, component::memory_controller, 5.36046},
    {activity::l1_read_misses, component::data_cache, 25.5361},
    {activity::l1_read_misses, component::memory_controller, 5.36046},
    {activity::l1_write_hits, component::data_cache, 47.909},
    {activity::l1_write_hits, component::memory_controller, 6.99016},
    {activity::l1_write_misses, component::data_cache, 15.2657},
    {activity::l1_write_misses, component::memory_controller, 6.99016},
    {activity::texture_hits, component::texture_cache, 73.9082},
    {activity::texture_hits, component::memory_controller, 5.36046},
    {activity::texture_misses, component::texture_cache, 79.6267},
    {activity::texture_misses, component::memory_controller, 5.36046},
    {activity::constant_hits, component::constant_cache, 49.8143},
    {activity::constant_hits, component::memory_controller, 5.36046},
    {activity::constant_misses, component::constant_cache, 37.8984},
    {activity::constant_misses, component::memory_controller, 5.36046},
    {activity::shared_accesses, component::shared_memory, 144.367},
    {activity::register_reads, component::register_file, 24.8622},
    {activity::register_writes, component::register_file, 15.1968},
    {activity::other_operands, component::register_file, 9.73223},
    {activity::integer, component::integer, 0.461872},
    {activity::fp32, component::fp32, 18.8535},
    {activity::fp64, component::fp64, 18.8535},
    {activity::integer_multiply24, component::integer_multiply24, 38.6739},
    {activity::integer_multiply32, component::integer_multiply32, 38.6739},
    {activity::integer_multiply, component::integer_multiply, 38.6739},
    {activity::integer_divide, component::integer_divide, 38.6739},
    {activity::fp32_multiply, component::fp32_multiply, 38.6739},
    {activity::fp32_divide, component::fp32_divide, 38.6739},
    {activity::square_root, component::square_root, 38.6739},
    {activity::logarithm, component::logarithm, 38.6739},
    {activity::sine, component::sine, 38.6739},
    {activity::exponential, component::exponential, 38.6739},
    {activity::fp64_multiply, component::fp64_multiply, 38.6739},
    {activity::fp64_divide, component::fp64_divide, 38.6739},
    {activity::tensor, component::tensor, 38.6739},
    {activity::texture, component::texture, 38.6739},
    {activity::dram_reads, component::dram, 77470.6},
    {activity::dram_reads, component::memory_controller, 2023.81},
    {activity::dram_writes, component::dram, 35466.5},
    {activity::dram_writes, component::memory_controller, 2025.5},
    {activity::dram_precharges, component::dram, 38475},
    {activity::l2_read_hits, component::l2_cache, 54.5557},
    {activity::l2_read_misses, component::l2_cache, 1.87159},
    {activity::l2_write_hits, component::l2_cache, 65.3931},
    {activity::l2_write_misses, component::l2_cache, 106.321},
    {activity::network_flits, component::network, 2.68308},
    {activity::pipeline_duty, component::pipeline, 243.366},
};
constexpr double idle_memory_controller_watts = 0.55022;
/// FNV-1a of "name=value;" of all parameters that the published files have in common.
constexpr std::uint64_t published_gpu = 0xee0490696a64ebd8;

constexpr const char* remedy =
    "the accelwattch_*.xml of a configuration of GPGPU-Sim 4.2 or newer, with other factors but "
    "the "
    "same description of the GPU below them";

/// The parameters of a file: factors by name, and a checksum of the rest.
struct xml_parameters {
    std::map<std::string, double> factors;
    std::uint64_t rest = support::fnv1a_basis;
    std::string file;

    void read(const boost::property_tree::ptree& node) {
        for (const auto& [tag, child] : node) {
            if (tag == "param" || tag == "stat")
                add(child.get("<xmlattr>.name", std::string()),
                    child.get("<xmlattr>.value", std::string()));
            read(child);
        }
    }

private:
    static bool is_factor(const std::string& name) {
        const std::optional<activity> a = activity_named(name);
        return (a && *a != activity::cycles && *a != activity::idle_sms) ||
               name.rfind("static_", 0) == 0 || name == "constant_power" ||
               name == "idle_core_power" || name == "modeled_chip_voltage_ref";
    }
    void add(const std::string& name, const std::string& value) {
        if (is_factor(name)) {
            char* end = nullptr;
            const double number = std::strtod(value.c_str(), &end);
            if (value.empty() || *end != 0 || !(number >= 0))
                throw support::user_error(file, fmt::format("{} is \"{}\"", name, value),
                                          "a number that is at least 0");
            factors[name] = number;
            return;
        }
        rest = support::fnv1a(name + "=" + value + ";", rest);
    }
};

bool is_functional_unit(activity a) {
    return a >= activity::integer && a <= activity::texture;
}

}  // namespace

energy_table read_accelwattch_xml(const std::string& file) {
    std::istringstream text(support::read_text_file(file, remedy));
    boost::property_tree::ptree tree;
    try {
        boost::property_tree::read_xml(text, tree);
    } catch (const boost::property_tree::xml_parser_error& e) {
        throw support::user_error(fmt::format("{}:{}", file, e.line()), e.message(), remedy);
    }
    xml_parameters p;
    p.file = file;
    p.read(tree);
    const auto factor = [&](const std::string& name, double otherwise) {
        const auto at = p.factors.find(name);
        return at != p.factors.end() ? at->second : otherwise;
    };
    if (p.factors.count("constant_power") == 0)
        throw support::user_error(file, "is not a file of AccelWattch: it has no constant_power",
                                  remedy);
    if (p.rest != published_gpu)
        throw support::user_error(
            file, "describes another GPU than the published files, for which McPAT is needed",
            remedy);
    energy_table table;
    table.status = "validated";
    table.board_on_core_rail = true;
    for (const base_energy& b : base_energies) {
        const double scale = factor(std::string(activity_name(b.per)), 1);
        table.terms.push_back({b.part, b.per, {}, scale * b.picojoules});
        if (is_functional_unit(b.per)) table.report_scale[static_cast<unsigned>(b.per)] = scale;
    }
    for (unsigned m = 0; m < unit_mixes; ++m) {
        const std::string name = "static_" + std::string(unit_mix_name(static_cast<unit_mix>(m)));
        table.of_mix[m] = {factor(name + "_flane", 0), factor(name + "_addlane", 0)};
    }
    table.constant_watts = factor("constant_power", 0);
    table.idle_sm_watts = factor("idle_core_power", 0);
    table.memory_controller_watts = idle_memory_controller_watts;
    table.reference_volts = factor("modeled_chip_voltage_ref", 1);
    if (table.reference_volts == 0)
        throw support::user_error(file, "modeled_chip_voltage_ref is 0", "a voltage");
    return table;
}

}  // namespace simtlm::power
