// SPDX-License-Identifier: Apache-2.0
#include "platform/outputs/interval_log.h"

#include "modules/support/display_text.h"
#include "modules/support/output_file.h"
#include "platform/gpu/gpu_blocks.h"
#include "platform/outputs/csv.h"
#include "platform/outputs/sample_database.h"
#include "platform/report/report.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace simtlm::platform {

const std::vector<interval_metric>& interval_metrics() {
    static const std::vector<const char*> slots = {"idle", "scoreboard", "stall", "issue_cycles"};
    static const std::vector<interval_metric> metrics = {
        {"ipc",
         "thread instructions per core cycle",
         "completed, by active lanes",
         "sm",
         {"thread_instructions"},
         {},
         {}},
        {"warp_ipc",
         "warp instructions per core cycle",
         "completed",
         "sm",
         {"warp_instructions"},
         {},
         {}},
        {"resident_warps", "warps", "mean of the interval", "sm", {"warp_cycles"}, {}, {}},
        {"issuing",
         "of scheduler cycles",
         "something was issued",
         "sm",
         {"issue_cycles"},
         {},
         slots},
        {"no_instruction",
         "of scheduler cycles",
         "no warp had a valid instruction",
         "sm",
         {"idle"},
         {},
         slots},
        {"scoreboard_wait",
         "of scheduler cycles",
         "all valid instructions had hazards",
         "sm",
         {"scoreboard"},
         {},
         slots},
        {"pipeline_stall",
         "of scheduler cycles",
         "an instruction was ready, but the pipeline took none",
         "sm",
         {"stall"},
         {},
         slots},
        {"l1d_hit_rate",
         "of accesses",
         "of the L1 data cache",
         "l1d",
         {"accesses"},
         {"misses"},
         {"accesses"}},
        {"l2_hit_rate", "of accesses", "of the L2", "l2", {"accesses"}, {"misses"}, {"accesses"}},
        {"dram_read_bandwidth", "GB/s", "read from DRAM", "dram", {"reads"}, {}, {}, true},
        {"dram_write_bandwidth", "GB/s", "written to DRAM", "dram", {"writes"}, {}, {}, true},
        {"dram_utilisation",
         "of command cycles",
         "data moved",
         "dram",
         {"utilised"},
         {},
         {"cycles"}},
        {"dram_row_hit_rate",
         "of requests",
         "scheduled to an open row",
         "dram",
         {"row_hits"},
         {},
         {"accesses"}},
    };
    return metrics;
}

namespace {

bool matches(const std::string& name, const std::vector<std::string>& globs) {
    for (const std::string& g : globs)
        if (fnmatch(g.c_str(), name.c_str(), 0) == 0) return true;
    return false;
}

/// A sum of cells and its value at the previous sample.
struct followed_sum {
    std::vector<const std::uint64_t*> cells;
    std::uint64_t before = 0;

    std::uint64_t take() {
        std::uint64_t now = 0;
        for (const std::uint64_t* c : cells) now += *c;
        return now - std::exchange(before, now);
    }
};

/// A metric of a unit and its column.
struct followed_metric {
    std::size_t column;
    followed_sum numerator, less, denominator;
    bool has_denominator;
    double scale;             ///< factor, for metrics per core cycle
    bool is_counter = false;  ///< a raw counter
    bool is_state = false;    ///< written as is, not as a difference to the previous sample
    bool per_second = false;  ///< `scale` holds at the initial core clock
};

/// A unit that has a row of its own: the GPU, an SM with its L1, an L2 slice, a DRAM channel.
struct sampled_unit {
    std::string name, kind;
    std::vector<followed_metric> metrics;
};

}  // namespace

class interval_log::recording : public simulation::phase_sequencer::step_observer {
public:
    recording(gpu& device, const interval_config& how)
        : device_(device), how_(how), next_(how.cycles) {
        if (!how.csv.empty()) csv_.emplace(how.csv);
        if (!how.database.empty()) database_.emplace(how.database);
        device.sequencer().observe(this);
    }

    void step_ended(unsigned ticked) override {
        if (finished_ || (ticked & (1u << protocol::core_clock)) == 0) return;
        if (units_.empty() && !begin_or_fail()) return;
        const std::uint64_t now = device_.core_cycles();
        if (now < next_) return;
        sample(now);
        next_ = now - now % how_.cycles + how_.cycles;
    }

    void finish() {
        if (finished_) return;
        finished_ = true;
        if (failed_) {
            if (csv_) csv_->discard();
            return;
        }
        const std::uint64_t now = device_.core_cycles();
        if (now != last_ || samples_ == 0) sample(now);
        support::output_attempts attempt;
        attempt([&] {
            if (csv_) csv_->commit();
        });
        attempt([&] {
            if (database_) database_->commit();
        });
        attempt.finish();
    }

private:
    /// Requesting an unknown counter ends the run in its first step.
    bool begin_or_fail() {
        if (failed_) return false;
        try {
            begin();
        } catch (const support::user_error&) {
            failed_ = true;
            device_.sequencer().fail(std::current_exception());
        }
        return !failed_;
    }

    /// Called when the simulation has begun, since all blocks exist only then.
    void begin() {
        list_statistics(device_, blocks_);
        for (const interval_metric& m : interval_metrics())
            columns_.push_back({m.name, m.unit, m.meaning});
        first_power_column_ = columns_.size();
        if (device_.power() != nullptr) {
            columns_.push_back({"power", "W", "of the whole GPU"});
            for (unsigned c = 0; c < power::components; ++c)
                columns_.push_back({power::component_label(c), "W", "of a component"});
        }
        if (device_.config().power.limit) {
            clock_column_ = columns_.size();
            columns_.push_back({"core_clock", "MHz", "mean of the core clock"});
        }
        units_.push_back({std::string(device_.name()), "gpu", {}});
        for (const auto& b : blocks_.blocks())
            if (b.kind == "sm" || b.kind == "l2" || b.kind == "dram")
                units_.push_back({b.name, b.kind == "dram" ? "channel" : b.kind, {}});
        for (sampled_unit& u : units_) add_metrics(u);
        add_power(units_.front());
        add_counters();
        drop_unwanted();
        write_head();
    }

    /// Returns whether a block contributes to the row of a unit.
    bool belongs(const sampled_unit& u, const support::statistics::block& b) const {
        if (u.kind == "gpu") return true;
        return b.name == u.name ||
               (u.kind == "sm" && b.kind == "l1d" && b.name.rfind(u.name + ".", 0) == 0);
    }

    void add_metrics(sampled_unit& u) {
        std::map<std::string, std::vector<const support::statistics::block*>> by_kind;
        for (const auto& b : blocks_.blocks())
            if (belongs(u, b)) by_kind[b.kind].push_back(&b);
        for (std::size_t i = 0; i < interval_metrics().size(); ++i) {
            const interval_metric& m = interval_metrics()[i];
            const auto found = by_kind.find(m.kind);
            if (found == by_kind.end()) continue;
            const auto sum_of = [&](const std::vector<const char*>& names) {
                followed_sum s;
                for (const auto* b : found->second)
                    for (const auto& c : b->cells)
                        for (const char* name : names)
                            if (std::string_view(c.of->name) == name) s.cells.push_back(c.value);
                return s;
            };
            const double gigabytes_per_cycle = device_.config().clocks.core *
                                               device_.config().memory.partition.dram.atom_bytes() *
                                               1e-9;
            u.metrics.push_back({i, sum_of(m.numerator), sum_of(m.less), sum_of(m.denominator),
                                 !m.denominator.empty(), m.bandwidth ? gigabytes_per_cycle : 1.0,
                                 false, false, m.bandwidth});
        }
    }

    /// Adds the power of the whole GPU, and of each component.
    void add_power(sampled_unit& whole) {
        constexpr double pico = 1e-12;
        const double watts = device_.config().clocks.core * pico;
        std::size_t column = first_power_column_;
        const auto follow = [&](const support::statistics::cell& c) {
            whole.metrics.push_back(
                {column++, {{c.value}}, {}, {}, false, watts, false, false, true});
        };
        for (const auto& b : blocks_.blocks()) {
            if (b.kind != "power") continue;
            for (const auto& c : b.cells)
                if (c.label.empty()) follow(c);
            for (const auto& c : b.cells)
                if (!c.label.empty()) follow(c);
        }
    }

    /// Adds the counters of --interval-counters: one column KIND.COUNTER[.CELL] each.
    void add_counters() {
        std::map<std::string, std::size_t> known;
        for (const auto& b : blocks_.blocks())
            for (const auto& c : b.cells) {
                const std::string name =
                    b.kind + "." + c.of->name + (c.label.empty() ? "" : "." + c.label);
                if (!matches(name, how_.counters)) continue;
                const auto [at, fresh] = known.emplace(name, columns_.size());
                if (fresh) columns_.push_back({name, c.of->unit, c.of->meaning});
                for (sampled_unit& u : units_)
                    if (belongs(u, b)) add_counter(u, at->second, c);
            }
        if (known.empty() && !how_.counters.empty())
            throw support::user_error("--interval-counters", "no counter has this name",
                                      "KIND.COUNTER as in docs/statistics.md, such as "
                                      "sm.memory_stalls or dram.*");
    }

    static void add_counter(sampled_unit& u, std::size_t column,
                            const support::statistics::cell& c) {
        if (u.metrics.empty() || u.metrics.back().column != column) {
            for (followed_metric& m : u.metrics)
                if (m.column == column) {
                    if (c.of->how == support::adding::sum) m.numerator.cells.push_back(c.value);
                    return;
                }
            u.metrics.push_back(
                {column, {}, {}, {}, false, 1.0, true, c.of->how != support::adding::sum});
        }
        // Extremes and states of several blocks cannot be added; the first block is used.
        followed_metric& m = u.metrics.back();
        if (!m.is_state || m.numerator.cells.empty()) m.numerator.cells.push_back(c.value);
    }

    void drop_unwanted() {
        std::vector<sampled_unit> kept;
        for (sampled_unit& u : units_)
            if (matches(u.name, how_.scope)) kept.push_back(std::move(u));
        if (kept.empty())
            throw support::user_error("--interval-scope",
                                      "no SM, L2 slice or channel has this name",
                                      "globs separated by commas, such as gpu,*.dram*");
        units_ = std::move(kept);
    }

    void write_head() {
        if (csv_) {
            csv_->write("cycle,cycles,launch_uid,kernel,unit,kind");
            for (const column& c : columns_) csv_->write("," + csv::quoted(c.name));
            csv_->put('\n');
        }
        if (!database_) return;
        for (std::size_t u = 0; u < units_.size(); ++u)
            database_->add_unit(u, units_[u].name, units_[u].kind);
        for (std::size_t c = 0; c < columns_.size(); ++c)
            database_->add_statistic(c, columns_[c].name, columns_[c].unit, columns_[c].meaning);
    }

    /// @param clock  mean core clock of the interval, relative to the initial one
    double value_of(followed_metric& m, std::uint64_t cycles, double clock) {
        if (m.is_state) return static_cast<double>(*m.numerator.cells.front());
        const auto number = static_cast<double>(m.numerator.take() - m.less.take());
        if (m.is_counter) return number;
        const auto over = static_cast<double>(m.has_denominator ? m.denominator.take() : cycles);
        return over == 0 ? csv::absent : m.scale * (m.per_second ? clock : 1) * number / over;
    }

    /// The first launched of the running kernels.
    const dispatch::running_kernel* kernel_now() const {
        const dispatch::running_kernel* first = nullptr;
        for (const auto& k : device_.commands().ctas().running())
            if (k && (first == nullptr || k->context.launch < first->context.launch))
                first = k.get();
        return first;
    }

    void sample(std::uint64_t now) {
        if (units_.empty()) begin();
        update_counters(device_);
        const std::uint64_t cycles = now - last_;
        const double hertz = device_.core_hertz(last_, now);
        const dispatch::running_kernel* const kernel = kernel_now();
        const std::uint64_t launch = kernel != nullptr ? kernel->context.launch : 0;
        const std::string name =
            kernel != nullptr ? support::demangled(kernel->descriptor.name) : std::string();
        if (database_) database_->begin_sample(samples_, now, cycles, launch, name);
        const std::string head =
            fmt::format("{},{},{},{},", now, cycles, launch != 0 ? std::to_string(launch) : "",
                        launch != 0 ? csv::quoted(name) : "");
        std::vector<double> row(columns_.size());
        for (std::size_t i = 0; i < units_.size(); ++i) {
            row.assign(columns_.size(), csv::absent);
            for (followed_metric& m : units_[i].metrics)
                row[m.column] = value_of(m, cycles, hertz / device_.config().clocks.core);
            if (i == 0 && clock_column_ != 0 && units_[i].kind == "gpu")
                row[clock_column_] = hertz * 1e-6;
            write_row(i, head, row);
        }
        last_ = now;
        ++samples_;
    }

    void write_row(std::size_t unit, const std::string& head, const std::vector<double>& row) {
        if (csv_) {
            csv_->write(head);
            csv_->write(fmt::format("{},{}", units_[unit].name, units_[unit].kind));
        }
        for (std::size_t c = 0; c < row.size(); ++c) {
            if (csv_) csv_->put(',');
            if (std::isnan(row[c])) continue;
            if (csv_) csv_->write(fmt::format("{}", row[c]));
            if (database_) database_->add(unit, c, row[c]);
        }
        if (csv_) csv_->put('\n');
    }

    struct column {
        std::string name, unit, meaning;
    };

    gpu& device_;
    const interval_config how_;
    std::optional<support::output_file> csv_;
    std::optional<sample_database> database_;
    support::statistics blocks_;
    std::vector<column> columns_;
    std::vector<sampled_unit> units_;
    std::size_t first_power_column_ = 0;           ///< in columns_
    std::size_t clock_column_ = 0;                 ///< 0: the clock is constant
    std::uint64_t next_, last_ = 0, samples_ = 0;  ///< core cycles
    bool finished_ = false, failed_ = false;
};

interval_log::interval_log(gpu& device, const interval_config& how)
    : recording_(std::make_unique<recording>(device, how)) {}

interval_log::~interval_log() {
    try {
        finish();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "simtlm: %s\n", e.what());
    }
}

void interval_log::finish() {
    recording_->finish();
}

std::unique_ptr<interval_log> attach_interval_log(gpu& device, const interval_config& how) {
    if (how.csv.empty() && how.database.empty()) return nullptr;
    return std::make_unique<interval_log>(device, how);
}

}  // namespace simtlm::platform
