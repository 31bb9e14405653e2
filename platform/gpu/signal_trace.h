// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/waveforms/signal_list.h"
#include "platform/gpu/gpu_signals.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

namespace simtlm::platform {

/// Records signals of a GPU in a SystemC trace file (sc_trace_file) that the caller opens and
/// closes: one variable per signal, updated after the phases of a step that may change it. An
/// undriven signal gets an out-of-range value, which a VCD file shows as x.
class signal_trace final : public waveforms::signal_list, private simulation::step_observer {
public:
    /// @param scope  hierarchical name; signals with this name and below it are traced
    signal_trace(gpu& device, sc_core::sc_trace_file& file, std::string scope);

    std::size_t signals() const { return entries_.size() + real_entries_.size(); }

    bool wants(const std::string& name) const override {
        return is_below(name, scope_) || is_below(scope_, name);
    }
    void group(const std::string&) override {}
    void changed_by(const std::vector<std::string>&, std::function<bool()>) override {}
    void level(const std::string& name, unsigned width, unsigned domains, display shown,
               reader read, waveforms::enumeration* names) override;
    void events(const std::string& name, unsigned width, unsigned domain, reader read) override;
    void real(const std::string& name, unsigned domains, std::function<double()> read) override;

private:
    struct entry {
        reader read;
        unsigned domains;  // bit d: may change at edges of clock domain d
        std::uint64_t largest;
        bool counter;
        std::uint64_t counted;  // value at the last sample
        sc_dt::uint64 value;    // variable registered with the trace file
    };

    static bool is_below(const std::string& name, const std::string& scope) {
        return name.compare(0, scope.size(), scope) == 0 &&
               (name.size() == scope.size() || name[scope.size()] == '.');
    }
    /// A real number.
    struct real_entry {
        std::function<double()> read;
        unsigned domains;
        double value;
    };
    void add(const std::string& name, unsigned width, entry e);
    void phases_ended(unsigned ticked) override;
    void step_ended(unsigned) override {}

    sc_core::sc_trace_file& file_;
    std::string scope_;
    std::deque<entry> entries_;  // deques, because addresses must stay valid
    std::deque<real_entry> real_entries_;
    std::optional<gpu_signals> signals_;
};

/// Implements clocked_module::trace() for the blocks of a GPU.
class gpu_tracer final : public simulation::block_tracer {
public:
    explicit gpu_tracer(gpu& device) : device_(device) {}

    /// Registers the signals immediately if elaboration has ended, otherwise at its end.
    void trace(sc_core::sc_trace_file& file, const sc_core::sc_object& block) override;
    /// Called when elaboration has ended.
    void elaborated();

private:
    struct request {
        sc_core::sc_trace_file* file;
        std::string block;
    };
    void start(const request& what);
    std::string scope_of(const std::string& block) const;

    gpu& device_;
    bool elaborated_ = false;
    std::vector<request> requests_;
    std::deque<signal_trace> traces_;
};

}  // namespace simtlm::platform
