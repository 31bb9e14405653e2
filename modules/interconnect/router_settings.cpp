// SPDX-License-Identifier: Apache-2.0
#include "modules/interconnect/router_settings.h"

#include "modules/support/error.h"
#include "modules/support/number_text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <locale>
#include <set>
#include <sstream>

namespace simtlm::interconnect {

namespace {

/// Keys that control booksim's own traffic and reports, or parts of it that GPGPU-Sim does not use.
const std::set<std::string>& meaningless_keys() {
    static const std::set<std::string> keys = {"network_count",
                                               "traffic",
                                               "packet_size",
                                               "packet_size_rate",
                                               "injection_rate",
                                               "injection_process",
                                               "injection_rate_uses_flits",
                                               "burst_alpha",
                                               "burst_beta",
                                               "burst_r1",
                                               "perm_seed",
                                               "batch_size",
                                               "batch_count",
                                               "max_outstanding_requests",
                                               "use_read_write",
                                               "write_fraction",
                                               "read_request_size",
                                               "write_request_size",
                                               "read_reply_size",
                                               "write_reply_size",
                                               "read_request_subnet",
                                               "write_request_subnet",
                                               "read_reply_subnet",
                                               "write_reply_subnet",
                                               "warmup_periods",
                                               "sample_period",
                                               "max_samples",
                                               "measure_stats",
                                               "pair_stats",
                                               "latency_thres",
                                               "warmup_thres",
                                               "acc_warmup_thres",
                                               "stopping_thres",
                                               "acc_stopping_thres",
                                               "sim_count",
                                               "include_queuing",
                                               "seed",
                                               "print_activity",
                                               "print_csv_results",
                                               "deadlock_warn_timeout",
                                               "viewer_trace",
                                               "watch_file",
                                               "watch_flits",
                                               "watch_packets",
                                               "watch_transactions",
                                               "watch_out",
                                               "stats_out",
                                               "sim_power",
                                               "power_output_file",
                                               "tech_file",
                                               "channel_width",
                                               "channel_sweep",
                                               "MATLAB_OUTPUT",
                                               "DISPLAY_LAT_DIST",
                                               "DISPLAY_HOP_DIST",
                                               "DISPLAY_PAIR_LATENCY",
                                               "enable_link_stats",
                                               "output_extra_latency",
                                               "output_delay",
                                               "alloc_iters",
                                               "x",
                                               "y",
                                               "xr",
                                               "yr",
                                               "fail_seed",
                                               "in_ports",
                                               "out_ports",
                                               "class_priority",
                                               "spec_sw_allocator",
                                               "spec_check_elig",
                                               "spec_check_cred",
                                               "spec_mask_by_reqs",
                                               "vct"};
    return keys;
}

/// Keys of which only one value is supported; other values are reported as errors rather than
/// ignored.
struct fixed_key {
    const char* key;
    const char* value;
};
constexpr fixed_key fixed_keys[] = {{"router", "iq"},
                                    {"sim_type", "gpgpusim"},
                                    {"subnets", "2"},
                                    {"classes", "1"},
                                    {"speculative", "0"},
                                    {"noq", "0"},
                                    {"priority", "none"},
                                    {"buffer_policy", "private"},
                                    {"arb_type", "round_robin"},
                                    {"vc_prioritize_empty", "0"},
                                    {"vc_shuffle_requests", "0"},
                                    {"vc_priority_donation", "0"},
                                    {"c", "1"},
                                    {"link_failures", "0"},
                                    {"perfect_icnt", "0"},
                                    {"fixed_lat_per_hop", "0"},
                                    {"channel_file", ""},
                                    {"network_file", ""}};

/// The key and value pairs of a file; keeps track of the keys that have been read.
class reader {
public:
    explicit reader(const router_config& config) : config_(config) {}

    [[noreturn]] void fail(const std::string& key, const std::string& what,
                           const std::string& remedy = {}) const {
        const auto line = config_.lines.find(key);
        const std::string where =
            line == config_.lines.end() ? "" : ":" + std::to_string(line->second);
        throw support::user_error(config_.file + where, key + ": " + what, remedy);
    }
    std::string text(const std::string& key, const std::string& otherwise) {
        read_.insert(key);
        const auto found = config_.values.find(key);
        if (found == config_.values.end()) return otherwise;
        std::string v = found->second;
        if (v.size() >= 2 && v.front() == '"' && v.back() == '"') v = v.substr(1, v.size() - 2);
        return v;
    }
    double real(const std::string& key, double otherwise) {
        const std::string v = text(key, "");
        if (v.empty()) return otherwise;
        char* end = nullptr;
        const double number = support::read_double(v.c_str(), &end);
        if (*end != '\0' || !std::isfinite(number)) fail(key, "'" + v + "' is not a number");
        return number;
    }
    int whole(const std::string& key, int otherwise, int least, int most = 1 << 20) {
        const std::string v = text(key, "");
        return v.empty() ? otherwise : whole_of(key, v, least, most);
    }
    int whole_of(const std::string& key, const std::string& v, int least, int most) const {
        char* end = nullptr;
        const long number = std::strtol(v.c_str(), &end, 10);
        if (v.empty() || *end != '\0') fail(key, "'" + v + "' is not an integer");
        if (number < least || number > most)
            fail(key, v + " is out of range",
                 std::to_string(least) + " to " + std::to_string(most));
        return static_cast<int>(number);
    }
    unsigned count(const std::string& key, unsigned otherwise, int least) {
        return static_cast<unsigned>(whole(key, static_cast<int>(otherwise), least));
    }
    bool flag(const std::string& key) { return whole(key, 0, 0) > 0; }
    std::vector<unsigned> list(const std::string& key) {
        std::string v = text(key, "");
        for (char& c : v)
            if (c == '{' || c == '}' || c == ',') c = ' ';
        std::istringstream in(v);
        in.imbue(std::locale::classic());
        std::vector<unsigned> numbers;
        unsigned number = 0;
        while (in >> number) numbers.push_back(number);
        if (!in.eof() || v.find('-') != std::string::npos)
            fail(key, "'" + v + "' is not a list of node numbers");
        return numbers;
    }
    void check_rest() const {
        for (const auto& [key, value] : config_.values) {
            if (read_.count(key) != 0 || meaningless_keys().count(key) != 0) continue;
            const auto* fixed = std::find_if(std::begin(fixed_keys), std::end(fixed_keys),
                                             [&k = key](const fixed_key& f) { return k == f.key; });
            if (fixed == std::end(fixed_keys)) fail(key, "unknown key");
            if (value != fixed->value && value != '"' + std::string(fixed->value) + '"')
                fail(key, "'" + value + "' is not supported", std::string("only ") + fixed->value);
        }
    }

private:
    const router_config& config_;
    std::set<std::string> read_;
};

allocator_settings read_allocator(reader& in, const std::string& key) {
    std::string name = in.text(key, "islip");
    allocator_settings a;
    const std::size_t paren = name.find('(');
    const std::string parameter = paren == std::string::npos ? "" : name.substr(paren + 1);
    name = name.substr(0, paren);
    if (name == "islip") {
        constexpr int max_iterations = 1024;
        if (!parameter.empty())
            a.iterations = static_cast<unsigned>(
                in.whole_of(key, parameter.substr(0, parameter.rfind(')')), 1, max_iterations));
    } else if (name == "separable_input_first") {
        a.algorithm = allocator_settings::kind::separable_input_first;
        if (!parameter.empty() && parameter != "round_robin)")
            in.fail(key, "only the round_robin arbiter is supported");
    } else {
        in.fail(key, "unknown allocator '" + name + "'", "islip or separable_input_first");
    }
    return a;
}

vc_range read_range(reader& in, const std::string& type, int first, int last, unsigned vcs) {
    const int half = static_cast<int>(vcs) / 2;
    const bool reply = type.find("reply") != std::string::npos;
    first = in.whole(type + "_begin_vc", first, -1);
    last = in.whole(type + "_end_vc", last, -1);
    if (first < 0) first = reply ? half : 0;
    if (last < 0) last = reply ? static_cast<int>(vcs) - 1 : half - 1;
    if (last < first) in.fail(type + "_end_vc", "the range of virtual channels is empty");
    if (last >= static_cast<int>(vcs))
        in.fail(type + "_end_vc", "there are only " + std::to_string(vcs) + " virtual channels",
                "raise num_vcs");
    return {static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(last)};
}

/// Memory nodes of GPGPU-Sim's built-in layouts, for meshes of 4x4, 6x6, 8x8, 11x11.
std::vector<unsigned> known_layout(unsigned clusters, unsigned memories) {
    if (clusters == 8 && memories == 8) return {1, 3, 4, 6, 9, 11, 12, 14};
    if (clusters == 28 && memories == 8) return {3, 7, 10, 12, 23, 25, 28, 32};
    if (clusters == 56 && memories == 8) return {3, 15, 17, 29, 36, 47, 49, 61};
    if (clusters == 110 && memories == 11) return {12, 20, 25, 28, 57, 60, 63, 92, 95, 100, 108};
    return {};
}

std::vector<unsigned> place_nodes(reader& in, const interconnect_config& config, unsigned nodes) {
    const unsigned used = config.clusters + config.memories;
    if (used > nodes)
        in.fail("k", std::to_string(nodes) + " nodes are too few for " +
                         std::to_string(config.clusters) + " clusters and " +
                         std::to_string(config.memories) + " sub-partitions");
    std::vector<unsigned> node_of;
    const std::vector<unsigned> listed = in.list("memory_node_map");
    if (in.whole("use_map", 1, 0) == 0) {
        for (unsigned i = 0; i < used; ++i) node_of.push_back(i);
        return node_of;
    }
    const std::vector<unsigned> memory_nodes =
        listed.empty() ? known_layout(config.clusters, config.memories) : listed;
    if (memory_nodes.empty())
        in.fail("use_map", "no layout is known for this number of clusters and sub-partitions",
                "give memory_node_map, or use_map = 0");
    if (memory_nodes.size() != config.memories)
        in.fail("memory_node_map", "must name " + std::to_string(config.memories) + " nodes");
    const std::set<unsigned> taken(memory_nodes.begin(), memory_nodes.end());
    if (taken.size() != memory_nodes.size() || *taken.rbegin() >= nodes)
        in.fail("memory_node_map", "names a node twice, or one that does not exist");
    for (unsigned node = 0; node_of.size() < config.clusters; ++node)
        if (taken.count(node) == 0) node_of.push_back(node);
    if (node_of.back() >= nodes) in.fail("memory_node_map", "leaves too few nodes for clusters");
    node_of.insert(node_of.end(), memory_nodes.begin(), memory_nodes.end());
    return node_of;
}

unsigned power(unsigned base, unsigned exponent) {
    unsigned result = 1;
    while (exponent-- != 0) result *= base;
    return result;
}

void read_topology(reader& in, router_settings& s) {
    const std::string topology = in.text("topology", "torus");
    const std::string routing = in.text("routing_function", "none");
    bool known = false;
    if (topology == "fly") {
        s.topology = topology_kind::fly;
        known = routing == "dest_tag";
    } else if (topology == "mesh") {
        s.topology = topology_kind::mesh;
        known = routing == "dor" || routing == "dim_order";
    } else if (topology == "torus") {
        s.topology = topology_kind::torus;
        known = routing == "dim_order";
    } else {
        in.fail("topology", "unknown topology '" + topology + "'", "fly, mesh or torus");
    }
    if (!known)
        in.fail("routing_function", "'" + routing + "' is not supported on a " + topology,
                "dest_tag on a fly, dim_order on a mesh or torus");
    s.k = static_cast<unsigned>(in.whole("k", 8, 1, 4096));
    s.n = static_cast<unsigned>(in.whole("n", 2, 1, 12));
    double nodes = 1;
    for (unsigned i = 0; i < s.n; ++i) nodes *= s.k;
    if (nodes > 65536) in.fail("n", "more than 65536 nodes");
    s.use_noc_latency = in.whole("use_noc_latency", 1, 0) == 1;
}

}  // namespace

router_settings interpret_router_config(const interconnect_config& config) {
    reader in(config.router);
    router_settings s;
    if (const auto perfect = config.router.values.find("perfect_icnt");
        perfect != config.router.values.end() && perfect->second != "0")
        in.fail("perfect_icnt", "'" + perfect->second + "' is not supported",
                "a network without contention is -network_mode 3");
    read_topology(in, s);

    s.vcs = static_cast<unsigned>(in.whole("num_vcs", 16, 1, 64));
    const int shared = in.whole("buf_size", -1, -1);
    s.vc_buffer = in.count("vc_buf_size", 8, 1);
    if (shared > 0) s.vc_buffer = static_cast<unsigned>(shared) / s.vcs;
    if (s.vc_buffer == 0) in.fail("buf_size", "leaves no flit per virtual channel");
    s.input_buffer = in.count("input_buffer_size", 0, 0);
    if (s.input_buffer == 0) s.input_buffer = 9;
    s.ejection_buffer = in.count("ejection_buffer_size", 0, 0);
    if (s.ejection_buffer == 0) s.ejection_buffer = s.vc_buffer;
    if (s.ejection_buffer < s.vc_buffer)
        in.fail("ejection_buffer_size", "smaller than vc_buf_size, by which flits are sent");
    s.boundary_buffer = in.count("boundary_buffer_size", 16, 1);
    s.output_buffer = in.whole("output_buffer_size", -1, -1);
    if (s.output_buffer == 0) in.fail("output_buffer_size", "nothing could leave", "-1");
    s.flit_bytes = in.count("flit_size", 32, 1);

    s.read_request = read_range(in, "read_request", 0, 5, s.vcs);
    s.write_request = read_range(in, "write_request", 2, 7, s.vcs);
    s.read_reply = read_range(in, "read_reply", 8, 13, s.vcs);
    s.write_reply = read_range(in, "write_reply", 10, 15, s.vcs);
    if (s.topology == topology_kind::torus && s.k > 1)
        for (const vc_range& r : {s.read_request, s.write_request, s.read_reply, s.write_reply})
            if (r.first == r.last)
                in.fail("num_vcs", "a torus needs two virtual channels per packet type");

    s.wait_for_tail_credit = in.flag("wait_for_tail_credit");
    s.vc_busy_when_full = in.flag("vc_busy_when_full");
    s.hold_switch_for_packet = in.flag("hold_switch_for_packet");
    s.credit_delay = in.count("credit_delay", 0, 0);
    s.routing_delay = in.count("routing_delay", 1, 0);
    s.vc_alloc_delay = in.count("vc_alloc_delay", 1, 1);
    s.sw_alloc_delay = in.count("sw_alloc_delay", 1, 1);
    s.crossbar_delay = in.count("st_prepare_delay", 0, 0) + in.count("st_final_delay", 1, 0);
    if (s.crossbar_delay == 0) in.fail("st_final_delay", "the switch must take a cycle");
    s.input_speedup = in.count("input_speedup", 1, 1);
    s.output_speedup = in.count("output_speedup", 1, 1);
    s.internal_speedup = in.real("internal_speedup", 1.0);
    if (!(s.internal_speedup >= 1 && s.internal_speedup <= 64))
        in.fail("internal_speedup", "out of range", "1 to 64");
    s.vc_allocator = read_allocator(in, "vc_allocator");
    s.sw_allocator = read_allocator(in, "sw_allocator");

    s.node_of = place_nodes(in, config, power(s.k, s.n));
    in.check_rest();

    const unsigned largest = (8 + 128 + s.flit_bytes - 1) / s.flit_bytes;
    for (const auto& [key, size] : {std::pair{"input_buffer_size", s.input_buffer},
                                    std::pair{"boundary_buffer_size", s.boundary_buffer}})
        if (size < largest)
            in.fail(key, "cannot hold a packet of 136 bytes",
                    "at least " + std::to_string(largest) + " flits");
    return s;
}

}  // namespace simtlm::interconnect
