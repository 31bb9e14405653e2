// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/output_file.h"
#include "modules/kernel/phase_sequencer.h"

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simtlm::kernel {

/// The names of a signal's values; may grow while the signal is recorded.
class enumeration {
public:
    /// @param name   distinguishes it among those of a waveform: part of a file's name
    /// @param names  of the values 0, 1, ...
    explicit enumeration(std::string name, std::vector<std::string> names = {});

    /// The value of a name; a new one if it has none.
    std::uint64_t value_of(std::string_view name);
    const std::string& name() const { return name_; }
    const std::vector<std::string>& names() const { return names_; }

private:
    std::string name_;
    std::vector<std::string> names_;
    std::unordered_map<std::string, std::uint64_t> values_;
};

/// A recorder of signals in the VCD format (IEEE 1364, 18.2), at the pace of the phase sequencer: a
/// signal is read after every step in which one of its clock domains had an edge, and its value is
/// written, at the time of that edge, when it has changed. So the value at a clock edge is what the
/// cycle that begins with that edge did.
///
/// Signals come in groups, which name the blocks that can change them. Where these blocks sleep
/// nothing is read, so that a recording costs what happens and not what there is.
///
/// Signals are read from outside through const accessors: a block does not know that it is watched,
/// and a waveform that is not made costs nothing. Must not outlive the sequencer's last step
/// without finish().
class waveform : public phase_sequencer::step_observer {
public:
    /// Value of a signal that nothing drives; shown as high impedance.
    static constexpr std::uint64_t undriven = std::numeric_limits<std::uint64_t>::max();

    enum class kind : std::uint8_t {
        level,    ///< the value that was read
        counter,  ///< by how much the value has grown since the edge before
    };
    struct signal {
        std::string name;    ///< hierarchical, with dots
        unsigned width = 1;  ///< bits; larger values are cut off at the largest
        kind what = kind::level;
        unsigned domains = 1;  ///< bit d: read after edges of domain d
        unsigned group = 0;    ///< of group(); the first is read after every edge
        std::function<std::uint64_t()> read;
        enumeration* names = nullptr;
    };
    struct settings {
        std::string file;
        std::vector<std::string> scope;  ///< globs over names; empty: everything
        /// Cycles of domain 0 that are recorded, `to` excluded.
        std::uint64_t from = 0, to = std::numeric_limits<std::uint64_t>::max();
    };

    /// @throws user_error when the file cannot be created
    waveform(phase_sequencer& sequencer, settings what);
    ~waveform() override;

    /// The clock of a domain; recorded whatever the scope. @param period  nominal
    void add_clock(unsigned domain, const std::string& name, const sc_core::sc_time& period);
    /// What signals depend on: they change only in steps in which one of the blocks is active (see
    /// phase_sequencer::watch()), in the step after those, and while `moving` says so.
    /// @param blocks  hierarchical names; without any, signals are read after every edge
    unsigned group(const std::vector<std::string>& blocks, std::function<bool()> moving = {});
    /// Whether anything below a name may be in the scope: saves making its signals.
    bool wants(const std::string& name) const;
    /// Records a signal from the start, if it is in the scope. @return whether it is
    bool add(signal s);
    std::size_t signals() const { return signals_.size(); }

    /// Ends the recording: the last step is sampled and the file gets its name.
    /// @throws user_error when it could not be written
    void finish();
    bool finished() const { return finished_; }
    /// Ends it and leaves no file.
    void discard();

    const std::vector<signal>& recorded() const { return signals_; }
    const std::string& file() const { return settings_.file; }
    /// The file is a device, a FIFO or the like.
    bool in_place() const { return out_.in_place(); }
    /// Whether anything has been recorded: a window may lie beyond the end of the run.
    bool has_samples() const { return first_time_ != none; }
    /// Time of the first sample, and of the first one in which a signal changed, in units of the
    /// file (femtoseconds). @pre has_samples()
    std::uint64_t first_time() const { return first_time_; }
    std::uint64_t first_change() const {
        return first_change_ != none ? first_change_ : first_time_;
    }

private:
    static constexpr std::uint64_t unknown = undriven - 1;  // not written yet
    struct clock {
        bool present = false;
        std::string code;
        std::string name;
        std::uint64_t half = 0;      // of a period, fs
        std::uint64_t falls_at = 0;  // 0: it is low
        std::uint64_t rose_at = 0;
        bool rose = false;
    };

    struct activity_group {
        std::vector<unsigned> blocks;
        std::function<bool()> moving;
    };
    /// What is looked at whenever a signal is read: one line of the host's cache.
    struct reading {
        std::function<std::uint64_t()> read;
        std::uint64_t limit;            // largest value
        std::uint64_t value = unknown;  // written last
        std::uint64_t counted = 0;      // counters: read last
        std::uint32_t index;            // of the signal
        bool counter;
    };
    /// Signals of one group with the same domains.
    struct bundle {
        unsigned group;
        unsigned domains;
        std::vector<reading> readings;
    };

    void step_ended(unsigned ticked) override;
    void follow_blocks();
    void note_activity();
    void set_due(std::size_t bundle);
    void sample(unsigned ticked);
    void sample_clocks(unsigned ticked, std::uint64_t time, bool first);
    void sample(bundle& b, bool ticked);
    void read_baseline();
    bundle& bundle_of(unsigned group, unsigned domains);
    void write_header();
    void write_time(std::uint64_t time);
    void write_value(const reading& r);
    void write_falls(std::uint64_t before);
    static std::string code_of(std::size_t index);
    static std::uint64_t femtoseconds(const sc_core::sc_time& t);

    phase_sequencer& sequencer_;
    settings settings_;
    output_file out_;
    std::vector<signal> signals_;
    std::vector<std::string> codes_;
    std::vector<activity_group> groups_;
    std::vector<bundle> bundles_;
    std::vector<std::uint64_t> due_;                              // bit b: bundle b is due
    std::vector<std::uint8_t> samples_due_;                       // by bundle
    std::vector<std::vector<std::uint32_t>> bundles_of_;          // by watched block
    std::vector<std::uint32_t> always_;                           // bundles that are always due
    std::vector<std::uint32_t> may_move_;                         // of groups with `moving`
    std::map<std::vector<std::string>, unsigned> group_numbers_;  // of groups without `moving`
    std::map<std::pair<unsigned, unsigned>, std::size_t> bundle_numbers_;
    std::array<clock, phase_sequencer::max_domains> clocks_;
    std::array<std::uint64_t, phase_sequencer::max_domains> edges_{};  // at the last step's end
    std::uint64_t steps_;
    bool started_ = false;
    bool over_ = false;  // the window has passed
    bool finished_ = false;
    static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t first_time_ = none;
    std::uint64_t first_change_ = none;
    std::uint64_t time_ = std::numeric_limits<std::uint64_t>::max();  // written last
};

}  // namespace simtlm::kernel
