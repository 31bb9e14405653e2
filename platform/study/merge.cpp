// SPDX-License-Identifier: Apache-2.0
#include "platform/study/merge.h"

#include "modules/support/display_text.h"
#include "modules/support/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace simtlm::platform::study {

namespace {

/// How a printed value of the whole run is derived from those of partial runs.
enum class merge_rule { sum, maximum };

struct value_pattern {
    const char* glob;
    merge_rule rule;
};

constexpr value_pattern value_patterns[] = {
    {"gpu_tot_sim_cycle", merge_rule::sum},
    {"gpu_tot_sim_insn", merge_rule::sum},
    {"gpu_tot_issued_cta", merge_rule::sum},
    {"gpu_stall_*", merge_rule::sum},
    {"*_total_cache_accesses", merge_rule::sum},
    {"*_total_cache_misses", merge_rule::sum},
    {"*_total_cache_pending_hits", merge_rule::sum},
    {"*_total_cache_reservation_fails", merge_rule::sum},
    {"total_dl1_misses", merge_rule::sum},
    {"total_dl1_accesses", merge_rule::sum},
    {"*stats_breakdown[*", merge_rule::sum},
    {"traffic_breakdown_*", merge_rule::sum},
    {"ctas_completed", merge_rule::sum},
    {"warp_slot_issue[*", merge_rule::sum},
    {"gpgpu_n_*", merge_rule::sum},
    {"gpgpu_stall_shd_mem[*", merge_rule::sum},
    {"gpu_reg_bank_conflict_stalls", merge_rule::sum},
    {"warp_occ.*", merge_rule::sum},
    {"single_issue_nums.*", merge_rule::sum},
    {"dual_issue_nums.*", merge_rule::sum},
    {"total dram reads", merge_rule::sum},
    {"total dram writes", merge_rule::sum},
    {"dram_cycles", merge_rule::sum},
    {"dram_n_*", merge_rule::sum},
    {"icnt_total_pkts_*", merge_rule::sum},
    {"*_Network_injected_packets_num", merge_rule::sum},
    {"*_Network_cycles", merge_rule::sum},
    {"warp_insn[*", merge_rule::sum},
    {"maxmflatency", merge_rule::maximum},
    {"max_icnt2mem_latency", merge_rule::maximum},
    {"maxmrqlatency", merge_rule::maximum},
    {"max_icnt2sh_latency", merge_rule::maximum},
    {"L2_queue_max[*", merge_rule::maximum},
};

const value_pattern* pattern_of(const std::string& name) {
    for (const value_pattern& p : value_patterns)
        if (glob_matches(p.glob, name)) return &p;
    return nullptr;
}

json added(const json& a, const json& b, const std::string& how) {
    if (a.is_null()) return b;
    if (!a.is_number() || !b.is_number()) return b;
    if (how == "maximum") return a.get<double>() >= b.get<double>() ? a : b;
    if (how == "minimum") return a.get<double>() <= b.get<double>() ? a : b;
    if (how == "last") return b;
    if (a.is_number_unsigned() && b.is_number_unsigned())
        return a.get<std::uint64_t>() + b.get<std::uint64_t>();
    return a.get<double>() + b.get<double>();
}

/// Position of a kernel in the list.
std::uint64_t place_of(const statistics_run& run, const json& kernel) {
    const kernel_key key = kernel_key::of(kernel);
    const std::uint64_t place = key.list_number != 0 ? key.list_number : key.kernel_id;
    if (place == 0)
        throw support::user_error(
            run.file(),
            fmt::format("kernel '{}' has neither a position in a list nor a tracer's number",
                        key.name),
            "merge runs of command lists, or of programs");
    return place;
}

void check_same_model(const statistics_run& first, const statistics_run& other) {
    auto a = model_options(first), b = model_options(other);
    std::set<std::string> names;
    for (const auto& [name, value] : a) names.insert(name);
    for (const auto& [name, value] : b) names.insert(name);
    for (const std::string& name : names)
        if (a[name] != b[name])
            throw support::user_error(
                other.file(),
                fmt::format("{} is '{}', but '{}' in {}", name, b[name], a[name], first.file()),
                "merge runs of one GPU, or use --allow-options");
}

/// Checksums of the input files of a run, by role and path.
std::map<std::string, std::string> checksums_of(const statistics_run& run) {
    std::map<std::string, std::string> sums;
    for (const json& f : run.document()["provenance"].value("inputs", json::array()))
        if (f.is_object() && f.contains("xxh128")) {
            const std::string role = f.value("role", "");
            // There is only one of these, so its path is ignored.
            const bool alone = role == "command list" || role == "program";
            sums[alone ? role : role + " " + f.value("path", "")] = f["xxh128"].get<std::string>();
        }
    return sums;
}

void check_same_inputs(const statistics_run& first, const statistics_run& other) {
    const auto sums = checksums_of(first);
    for (const auto& [name, sum] : checksums_of(other)) {
        const auto at = sums.find(name);
        if (at != sums.end() && at->second != sum)
            throw support::user_error(
                other.file(), fmt::format("its {} differs from that of {}", name, first.file()),
                "merge runs of one list");
    }
}

struct placed_kernel {
    std::uint64_t place;
    std::size_t run;
    const json* kernel;
};

/// Keeps each kernel only of the run that begins earliest; the others are moved to `warming`.
std::vector<placed_kernel> without_overlap(const std::vector<statistics_run>& runs,
                                           const std::vector<placed_kernel>& all,
                                           std::vector<placed_kernel>& warming) {
    std::vector<std::uint64_t> begin(runs.size(), ~std::uint64_t{0});
    for (const placed_kernel& k : all) begin[k.run] = std::min(begin[k.run], k.place);
    std::vector<placed_kernel> kept;
    for (const placed_kernel& k : all) {
        if (kept.empty() || kept.back().place != k.place) {
            kept.push_back(k);
            continue;
        }
        const bool earlier = begin[k.run] < begin[kept.back().run];
        warming.push_back(earlier ? kept.back() : k);
        if (earlier) kept.back() = k;
    }
    return kept;
}

/// Checks that the kernels that warmed the caches of a run precede its first kept kernel.
void check_order(const std::vector<statistics_run>& runs, const std::vector<placed_kernel>& kept,
                 const std::vector<placed_kernel>& warming) {
    std::vector<std::uint64_t> warm_until(runs.size());
    for (const placed_kernel& k : warming)
        warm_until[k.run] =
            std::max(warm_until[k.run], k.kernel->value("end_cycle", std::uint64_t{0}));
    for (const placed_kernel& k : kept)
        if (k.kernel->value("launched_at", std::uint64_t{0}) < warm_until[k.run])
            throw support::user_error(
                runs[k.run].file(),
                fmt::format("kernel {} has run concurrently with one that is also in another run",
                            kernel_key::of(*k.kernel).text()),
                "merge runs without a kernel in common, or -gpgpu_max_concurrent_kernel 1");
}

std::vector<placed_kernel> placed_kernels(const std::vector<statistics_run>& runs,
                                          const merge_options& options,
                                          std::vector<placed_kernel>& warming) {
    std::vector<placed_kernel> all;
    for (std::size_t r = 0; r < runs.size(); ++r)
        for (const json& k : runs[r].kernels()) {
            if (!k.value("finished", true))
                throw support::user_error(
                    runs[r].file(),
                    fmt::format("kernel {} did not complete", kernel_key::of(k).text()),
                    "run it again without a limit");
            all.push_back({place_of(runs[r], k), r, &k});
        }
    std::stable_sort(all.begin(), all.end(), [](const placed_kernel& a, const placed_kernel& b) {
        return a.place < b.place;
    });
    if (options.overlap) {
        all = without_overlap(runs, all, warming);
        check_order(runs, all, warming);
    }
    for (std::size_t i = 1; i < all.size(); ++i) {
        if (all[i].place == all[i - 1].place)
            throw support::user_error(
                runs[all[i].run].file(),
                fmt::format("kernel {} is in {} too", kernel_key::of(*all[i].kernel).text(),
                            runs[all[i - 1].run].file()),
                "merge runs without a kernel in common, or use --overlap");
        if (!options.allow_gaps && all[i].place != all[i - 1].place + 1)
            throw support::user_error(
                "command line",
                all[i].place == all[i - 1].place + 2
                    ? fmt::format("kernel {} is in none of the runs", all[i].place - 1)
                    : fmt::format("kernels {} to {} are in none of the runs", all[i - 1].place + 1,
                                  all[i].place - 1),
                "name the runs that contain them, or use --allow-gaps");
    }
    return all;
}

/// Order of the runs by their first kernels; runs without kernels last.
std::vector<std::size_t> order_of(const std::vector<statistics_run>& runs,
                                  const std::vector<placed_kernel>& kernels) {
    std::vector<std::size_t> order;
    for (const placed_kernel& k : kernels)
        if (std::find(order.begin(), order.end(), k.run) == order.end()) order.push_back(k.run);
    for (std::size_t r = 0; r < runs.size(); ++r)
        if (std::find(order.begin(), order.end(), r) == order.end()) order.push_back(r);
    return order;
}

json total_of(const std::vector<statistics_run>& runs, json& without) {
    json total = json::object();
    std::set<std::string> left;
    for (const statistics_run& run : runs)
        for (const auto& [name, value] : run.total().items()) {
            const value_pattern* p = pattern_of(name);
            if (p == nullptr) {
                left.insert(name);
                continue;
            }
            json& sum = total[name];
            sum = added(sum, value, p->rule == merge_rule::maximum ? "maximum" : "sum");
        }
    const auto ratio = [&](const std::string& name, const std::string& over,
                           const std::string& under) {
        if (!total.contains(over) || !total.contains(under)) return;
        const double u = number_in(total, under);
        total[name] = u != 0 ? number_in(total, over) / u : 0.0;
        left.erase(name);
    };
    ratio("gpu_tot_ipc", "gpu_tot_sim_insn", "gpu_tot_sim_cycle");
    for (const char* cache : {"L1I", "L1D", "L1C", "L1T", "L2"}) {
        const std::string c = std::string(cache) + "_total_cache_";
        if (number_in(total, c + "accesses") != 0)
            ratio(c + "miss_rate", c + "misses", c + "accesses");
    }
    if (number_in(total, "total_dl1_accesses") != 0)
        ratio("total_dl1_miss_rate", "total_dl1_misses", "total_dl1_accesses");
    without = json(left);
    return total;
}

/// Totals derived from the kernels alone, because the runs have counted other kernels too.
json total_of(const std::vector<statistics_run>& runs, const std::vector<placed_kernel>& kernels,
              json& without) {
    std::uint64_t cycles = 0, instructions = 0, ctas = 0;
    for (const placed_kernel& k : kernels) {
        cycles += k.kernel->value("gpu_sim_cycle", std::uint64_t{0});
        instructions += k.kernel->value("gpu_sim_insn", std::uint64_t{0});
        ctas += k.kernel->value("ctas", std::uint64_t{0});
    }
    json total = {
        {"gpu_tot_sim_cycle", cycles},
        {"gpu_tot_sim_insn", instructions},
        {"gpu_tot_ipc",
         cycles != 0 ? static_cast<double>(instructions) / static_cast<double>(cycles) : 0.0},
        {"gpu_tot_issued_cta", ctas}};
    std::set<std::string> left;
    for (const statistics_run& run : runs)
        for (const auto& [name, value] : run.total().items())
            if (!total.contains(name)) left.insert(name);
    without = json(left);
    return total;
}

/// The rule for adding a counter, from the table in the file.
std::string rule_of(const json& meanings, const std::string& kind, const std::string& counter) {
    const auto of_kind = meanings.find(kind);
    if (of_kind == meanings.end() || !of_kind->contains(counter)) return "sum";
    return (*of_kind)[counter].value("adds", "sum");
}

json blocks_of(const std::vector<statistics_run>& runs, const std::vector<std::size_t>& order,
               const json& meanings) {
    // A map, because ordered_json searches its thousands of keys linearly.
    std::map<std::string, json> by_name;
    std::vector<std::string> names;
    for (const std::size_t r : order) {
        const json& document = runs[r].document();
        if (!document.contains("blocks")) continue;
        for (const auto& [name, block] : document["blocks"].items()) {
            const auto [at, fresh] = by_name.emplace(name, block);
            if (fresh) {
                names.push_back(name);
                continue;
            }
            const std::string kind = block.value("kind", "");
            json& counters = at->second["counters"];
            for (const auto& [counter, value] : block["counters"].items()) {
                const std::string how = rule_of(meanings, kind, counter);
                json& sum = counters[counter];
                if (!sum.is_null() && sum.is_object() != value.is_object())
                    throw support::user_error(
                        runs[r].file(),
                        fmt::format("blocks.{}.counters.{} is not of the type that it has in "
                                    "another run",
                                    support::printable(name), support::printable(counter)),
                        "merge runs of the same version of simtlm");
                if (!value.is_object()) {
                    sum = added(sum, value, how);
                    continue;
                }
                for (const auto& [cell, number] : value.items())
                    sum[cell] = added(sum.contains(cell) ? sum[cell] : json(), number, how);
            }
        }
    }
    json blocks = json::object();
    auto& listed = blocks.get_ref<json::object_t&>();
    for (const std::string& name : names) listed.emplace_back(name, std::move(by_name.at(name)));
    return blocks;
}

json histograms_of(const std::vector<statistics_run>& runs) {
    json sums = json::object();
    for (const statistics_run& run : runs) {
        const auto at = run.document().find("histograms");
        if (at == run.document().end() || !at->is_object()) continue;
        for (const auto& [name, values] : at->items()) {
            json& sum = sums[name];
            if (sum.is_null()) sum = json::array();
            for (std::size_t i = 0; i < values.size(); ++i) {
                if (i == sum.size()) sum.push_back(0u);
                sum[i] = added(sum[i], values[i], "sum");
            }
        }
    }
    return sums;
}

}  // namespace

json merge(const std::vector<statistics_run>& runs, const merge_options& options) {
    for (const statistics_run& r : runs) {
        if (!options.allow_options) check_same_model(runs.front(), r);
        check_same_inputs(runs.front(), r);
    }
    std::vector<placed_kernel> warming;
    const std::vector<placed_kernel> kernels = placed_kernels(runs, options, warming);
    const std::vector<std::size_t> order = order_of(runs, kernels);
    // Offset of cycle 0 of each run: the end of the previous runs minus its warm-up.
    // Unsigned, so that the offset of a run that begins with a long warm-up wraps.
    std::vector<std::uint64_t> offset(runs.size());
    std::uint64_t begin = 0;
    for (const std::size_t r : order) {
        std::uint64_t warm = 0, own = 0;
        for (const placed_kernel& k : warming)
            if (k.run == r) warm += k.kernel->value("gpu_sim_cycle", std::uint64_t{0});
        for (const placed_kernel& k : kernels)
            if (k.run == r) own += k.kernel->value("gpu_sim_cycle", std::uint64_t{0});
        offset[r] = begin - warm;
        begin += warming.empty() ? static_cast<std::uint64_t>(runs[r].cycles()) : own;
    }

    const json& first = runs[order.front()].document();
    json document;
    document["schema"] = first["schema"];
    document["simtlm"] = first.value("simtlm", "");
    document["provenance"] = first["provenance"];
    json merged;
    merged["runs"] = json::array();
    document["ended"] = "finished";
    for (const std::size_t r : order) {
        merged["runs"].push_back({{"file", runs[r].file()},
                                  {"kernels", runs[r].kernels().size()},
                                  {"provenance", runs[r].document()["provenance"]}});
        if (runs[r].ended() != "finished") document["ended"] = runs[r].ended();
    }
    for (const char* name : {"origins", "config", "gpu"})
        if (first.contains(name)) document[name] = first[name];
    if (warming.empty()) {
        document["total"] = total_of(runs, merged["without"]);
    } else {
        document["total"] = total_of(runs, kernels, merged["without"]);
        merged["warmed_by"] = json::array();
        for (const placed_kernel& k : warming)
            merged["warmed_by"].push_back({{"file", runs[k.run].file()}, {"kernel", k.place}});
    }
    document["merged"] = std::move(merged);
    document["histograms"] = warming.empty() ? histograms_of(runs) : json::object();
    json list = json::array();
    for (const placed_kernel& k : kernels) {
        json kernel = *k.kernel;
        kernel["launch_uid"] = list.size() + 1;
        for (const char* cycle : {"launched_at", "start_cycle", "end_cycle"})
            if (kernel.contains(cycle))
                kernel[cycle] = kernel[cycle].get<std::uint64_t>() + offset[k.run];
        list.push_back(std::move(kernel));
    }
    document["kernels"] = std::move(list);
    document["counters"] = first.value("counters", json::object());
    document["blocks"] =
        warming.empty() ? blocks_of(runs, order, document["counters"]) : json::object();
    return document;
}

}  // namespace simtlm::platform::study
