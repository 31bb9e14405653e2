// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/simulation/phase_sequencer.h"
#include "modules/support/output_file.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simtlm::waveforms {

/// The value names of a signal; names may be added while the signal is recorded.
class enumeration {
public:
    /// @param name   unique among the enumerations of a waveform: part of a file's name
    /// @param names  of the values 0, 1, ...
    explicit enumeration(std::string name, std::vector<std::string> names = {});

    /// @return the value with a name; a new value if there is none yet
    std::uint64_t value_of(std::string_view name);
    const std::string& name() const { return name_; }
    const std::vector<std::string>& names() const { return names_; }

private:
    std::string name_;
    std::vector<std::string> names_;
    std::unordered_map<std::string, std::uint64_t> values_;
};

/// Records signals in VCD format (IEEE 1364, 18.2), synchronously to the phase sequencer: a signal
/// is read after every step in which one of its clock domains had an edge, and a changed value is
/// written with the time of that edge. The value at a clock edge thus shows the effect of the cycle
/// that begins with that edge.
///
/// Signals are organised in groups, each with the blocks that can change its signals. Signals of
/// sleeping blocks are not read, so that the cost of recording depends on activity rather than on
/// the size of the design.
///
/// Signals are read through const accessors; blocks are not aware of the recording, and without a
/// waveform it costs nothing. If it outlives the sequencer's last step, finish() must be called
/// before.
class waveform : public simulation::phase_sequencer::step_observer {
public:
    /// Value of a signal that nothing drives; shown as high impedance.
    static constexpr std::uint64_t undriven = std::numeric_limits<std::uint64_t>::max();
    /// A real number as the value of a signal. @param number  not a NaN
    static std::uint64_t bits_of(double number) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &number, sizeof bits);
        return bits;
    }

    /// How the value of a signal is obtained.
    enum class kind : std::uint8_t {
        level,    ///< the value is recorded as read
        counter,  ///< the increment since the previous edge is recorded
        real,     ///< the value is the bits of a double, see bits_of()
    };
    /// A recorded signal.
    struct signal {
        std::string name;    ///< hierarchical, with dots
        unsigned width = 1;  ///< bits; larger values saturate
        kind what = kind::level;
        unsigned domains = 1;  ///< bit d: read after edges of domain d
        unsigned group = 0;    ///< see group(); signals of group 0 are read after every edge
        std::function<std::uint64_t()> read;
        enumeration* names = nullptr;
    };
    /// Parameters of the recording.
    struct settings {
        std::string file;
        std::vector<std::string> scope;  ///< glob patterns of names; empty: everything
        /// Recorded range of cycles of domain 0, `to` excluded.
        std::uint64_t from = 0, to = std::numeric_limits<std::uint64_t>::max();
    };

    /// @throws user_error if the file cannot be created
    waveform(simulation::phase_sequencer& sequencer, settings what);
    ~waveform() override;

    /// Adds the clock of a domain, which is recorded regardless of the scope. @param period
    /// nominal
    void add_clock(unsigned domain, const std::string& name, const sc_core::sc_time& period);
    /// Creates a group of signals that change only in steps in which one of the blocks is active
    /// (see simulation::phase_sequencer::watch()), in the following step, and while `moving`
    /// returns true.
    /// @param blocks  hierarchical names; empty: signals are read after every edge
    /// @return the number of the group
    unsigned group(const std::vector<std::string>& blocks, std::function<bool()> moving = {});
    /// Whether anything below a name may be in the scope; otherwise its signals need not be added.
    bool wants(const std::string& name) const;
    /// Adds a signal if it is in the scope. Call before the simulation starts. @return whether it
    /// is
    bool add(signal s);
    std::size_t signals() const { return signals_.size(); }

    /// Ends the recording: samples the last step and gives the file its name.
    /// @throws user_error if it could not be written
    void finish();
    bool finished() const { return finished_; }
    /// Ends the recording without leaving a file.
    void discard();

    const std::vector<signal>& recorded() const { return signals_; }
    const std::string& file() const { return settings_.file; }
    /// Whether the file is a device, a FIFO or the like.
    bool in_place() const { return out_.in_place(); }
    /// Whether anything has been recorded; the recorded range may be beyond the end of the run.
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
        std::uint64_t half = 0;      // half a period, fs
        std::uint64_t falls_at = 0;  // time of the next falling edge; 0: it is low
        std::uint64_t rose_at = 0;
        bool rose = false;
    };

    struct activity_group {
        std::vector<unsigned> blocks;
        std::function<bool()> moving;
    };
    /// The data used whenever a signal is read, in one host cache line.
    struct reading {
        std::function<std::uint64_t()> read;
        std::uint64_t limit;            // largest value
        std::uint64_t value = unknown;  // last written value
        std::uint64_t counted = 0;      // counters: last read value
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

    simulation::phase_sequencer& sequencer_;
    settings settings_;
    support::output_file out_;
    std::vector<signal> signals_;
    std::vector<std::string> codes_;
    std::vector<activity_group> groups_;
    std::vector<bundle> bundles_;
    std::vector<std::uint64_t> due_;         // bit b: bundle b is due in the next sample
    std::vector<std::uint8_t> samples_due_;  // number of samples for which a bundle stays due
    std::vector<std::vector<std::uint32_t>> bundles_of_;  // by watched block
    std::vector<std::uint32_t> always_;                   // bundles that are always due
    std::vector<std::uint32_t> may_move_;  // bundles of groups with `moving` at the end of the last
                                           // step
    std::map<std::vector<std::string>, unsigned> group_numbers_;  // of groups without `moving`
    std::map<std::pair<unsigned, unsigned>, std::size_t> bundle_numbers_;
    std::array<clock, simulation::phase_sequencer::max_domains> clocks_;
    std::array<std::uint64_t, simulation::phase_sequencer::max_domains>
        edges_{};  // at the last step's end
    std::uint64_t steps_;
    bool started_ = false;
    bool over_ = false;  // the recorded range has ended
    bool finished_ = false;
    static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t first_time_ = none;
    std::uint64_t first_change_ = none;
    std::uint64_t time_ = std::numeric_limits<std::uint64_t>::max();  // last written time
};

}  // namespace simtlm::waveforms
