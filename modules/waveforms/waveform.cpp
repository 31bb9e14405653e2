// SPDX-License-Identifier: Apache-2.0
#include "modules/waveforms/waveform.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace simtlm::waveforms {

enumeration::enumeration(std::string name, std::vector<std::string> names)
    : name_(std::move(name)) {
    for (std::string& n : names) value_of(n);
}

std::uint64_t enumeration::value_of(std::string_view name) {
    const auto [at, is_new] = values_.try_emplace(std::string(name), names_.size());
    if (is_new) names_.emplace_back(name);
    return at->second;
}

waveform::waveform(simulation::phase_sequencer& sequencer, settings what)
    : sequencer_(sequencer),
      settings_(std::move(what)),
      out_(settings_.file),
      groups_(1),
      steps_(sequencer.steps()) {
    edges_ = sequencer.edges();
    sequencer.observe(this);
}

waveform::~waveform() {
    try {
        finish();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "simtlm: %s\n", e.what());
    }
}

std::string waveform::code_of(std::size_t index) {
    std::string code;
    do {
        code.push_back(static_cast<char>('!' + index % 94));
        index /= 94;
    } while (index-- != 0);
    return code;
}

std::uint64_t waveform::femtoseconds(const sc_core::sc_time& t) {
    static const sc_core::sc_time one(1, sc_core::SC_FS);
    static const bool exact = one.value() == 1;
    return exact ? t.value() : static_cast<std::uint64_t>(t.to_seconds() * 1e15 + 0.5);
}

void waveform::add_clock(unsigned domain, const std::string& name, const sc_core::sc_time& period) {
    clock& c = clocks_.at(domain);
    c.present = true;
    c.name = name;
    c.half = femtoseconds(period) / 2;
}

bool waveform::wants(const std::string& name) const {
    if (settings_.scope.empty()) return true;
    for (const std::string& glob : settings_.scope) {
        // The name itself, an ancestor of it, or a pattern that may match a descendant.
        if (fnmatch(glob.c_str(), name.c_str(), 0) == 0) return true;
        for (std::size_t dot = name.find('.'); dot != std::string::npos;
             dot = name.find('.', dot + 1))
            if (fnmatch(glob.c_str(), name.substr(0, dot).c_str(), 0) == 0) return true;
        const std::size_t wild = glob.find_first_of("*?[");
        const std::size_t fixed =
            std::min(wild == std::string::npos ? glob.size() : wild, name.size());
        if (glob.compare(0, fixed, name, 0, fixed) == 0) return true;
    }
    return false;
}

unsigned waveform::group(const std::vector<std::string>& blocks, std::function<bool()> moving) {
    if (blocks.empty()) return 0;
    const auto number = static_cast<unsigned>(groups_.size());
    if (!moving) {
        const auto [at, is_new] = group_numbers_.try_emplace(blocks, number);
        if (!is_new) return at->second;
    }
    activity_group g;
    for (const std::string& b : blocks) g.blocks.push_back(sequencer_.watch(b));
    g.moving = std::move(moving);
    groups_.push_back(std::move(g));
    return number;
}

waveform::bundle& waveform::bundle_of(unsigned group, unsigned domains) {
    const auto [at, is_new] =
        bundle_numbers_.try_emplace(std::make_pair(group, domains), bundles_.size());
    if (is_new) {
        bundle b;
        b.group = group;
        b.domains = domains;
        bundles_.push_back(std::move(b));
    }
    return bundles_[at->second];
}

bool waveform::add(signal s) {
    const auto matches = [&](const std::string& glob) {
        return fnmatch(glob.c_str(), s.name.c_str(), 0) == 0 ||
               fnmatch((glob + ".*").c_str(), s.name.c_str(), 0) == 0;
    };
    if (!settings_.scope.empty() &&
        std::none_of(settings_.scope.begin(), settings_.scope.end(), matches))
        return false;
    reading r;
    r.read = std::move(s.read);
    r.limit =
        s.width >= 64 || s.what == kind::real ? unknown - 1 : (std::uint64_t{1} << s.width) - 1;
    r.index = static_cast<std::uint32_t>(signals_.size());
    r.counter = s.what == kind::counter;
    bundle_of(s.group, s.domains).readings.push_back(std::move(r));
    codes_.push_back(code_of(signals_.size() + clocks_.size()));
    signals_.push_back(std::move(s));
    return true;
}

void waveform::write_header() {
    out_.write(
        "$comment simtlm: the value at a clock edge is what the cycle that begins with it "
        "did $end\n$timescale 1 fs $end\n");
    struct variable {
        std::string name;
        unsigned width;
        std::string code;
        bool real = false;
    };
    std::vector<variable> all;
    for (std::size_t d = 0; d < clocks_.size(); ++d) {
        clocks_[d].code = code_of(d);
        if (clocks_[d].present) all.push_back({clocks_[d].name, 1, clocks_[d].code});
    }
    for (std::size_t i = 0; i < signals_.size(); ++i)
        all.push_back(
            {signals_[i].name, signals_[i].width, codes_[i], signals_[i].what == kind::real});
    // Each scope is opened once: signals are ordered by scope, and otherwise as they were added.
    const auto scope_of = [](const std::string& n) {
        std::vector<std::string> parts;
        std::size_t from = 0;
        for (std::size_t dot = n.find('.'); dot != std::string::npos; dot = n.find('.', from)) {
            parts.push_back(n.substr(from, dot - from));
            from = dot + 1;
        }
        return parts;
    };
    std::stable_sort(all.begin(), all.end(), [&](const variable& a, const variable& b) {
        return scope_of(a.name) < scope_of(b.name);
    });
    std::vector<std::string> open;
    const auto move_to = [&](const std::vector<std::string>& scope) {
        std::size_t same = 0;
        while (same < open.size() && same < scope.size() && open[same] == scope[same]) ++same;
        for (; open.size() > same; open.pop_back()) out_.write("$upscope $end\n");
        for (; open.size() < scope.size(); open.push_back(scope[open.size()]))
            out_.write("$scope module " + scope[open.size()] + " $end\n");
    };
    for (const variable& v : all) {
        move_to(scope_of(v.name));
        const std::string leaf = v.name.substr(v.name.rfind('.') + 1);
        out_.write((v.real ? "$var real 64" : "$var wire " + std::to_string(v.width)) + ' ' +
                   v.code + ' ' + leaf);
        if (v.width > 1) out_.write(" [" + std::to_string(v.width - 1) + ":0]");
        out_.write(" $end\n");
    }
    move_to({});
    out_.write("$enddefinitions $end\n");
}

void waveform::write_time(std::uint64_t time) {
    if (time == time_) return;
    time_ = time;
    out_.put('#');
    out_.write_number(time);
    out_.put('\n');
}

void waveform::write_value(const reading& r) {
    std::array<char, 72> text{};
    if (signals_[r.index].what == kind::real) {
        double number = 0;
        std::memcpy(&number, &r.value, sizeof number);
        std::snprintf(text.data(), text.size(), "r%.10g ", number);
        return out_.write(text.data() + codes_[r.index] + '\n');
    }
    char* end = text.data();
    const bool is_vector = signals_[r.index].width > 1;
    if (is_vector) *end++ = 'b';
    if (r.value == undriven) {
        *end++ = 'z';
    } else {
        unsigned bit = r.value != 0 ? 64 - static_cast<unsigned>(__builtin_clzll(r.value)) : 1;
        while (bit-- > 0) *end++ = static_cast<char>('0' + (r.value >> bit & 1u));
    }
    if (is_vector) *end++ = ' ';
    out_.write({text.data(), static_cast<std::size_t>(end - text.data())});
    out_.write(codes_[r.index]);
    out_.put('\n');
}

void waveform::write_falls(std::uint64_t before) {
    while (true) {
        clock* first = nullptr;
        for (clock& c : clocks_)
            if (c.falls_at != 0 && c.falls_at < before &&
                (first == nullptr || c.falls_at < first->falls_at))
                first = &c;
        if (first == nullptr) return;
        write_time(first->falls_at);
        first->falls_at = 0;
        out_.put('0');
        out_.write(first->code);
        out_.put('\n');
    }
}

void waveform::read_baseline() {
    for (bundle& b : bundles_)
        for (reading& r : b.readings) r.counted = r.read();
}

/// Determines which bundles the activity of a block makes due. Called at the first sample, when all
/// blocks exist.
void waveform::follow_blocks() {
    due_.resize((bundles_.size() + 63) / 64);
    samples_due_.resize(bundles_.size());
    for (std::uint32_t b = 0; b < bundles_.size(); ++b) {
        const activity_group& g = groups_[bundles_[b].group];
        bool always = g.blocks.empty();
        for (const unsigned block : g.blocks) {
            always |= !sequencer_.has_processes(block);
            if (bundles_of_.size() <= block) bundles_of_.resize(block + 1);
            bundles_of_[block].push_back(b);
        }
        if (always) always_.push_back(b);
        if (g.moving) may_move_.push_back(b);
        set_due(b);
    }
}

/// Makes a bundle due for the next two samples: a value that is shown in one cycle is removed in
/// the next.
void waveform::set_due(std::size_t b) {
    samples_due_[b] = 2;
    due_[b / 64] |= std::uint64_t{1} << b % 64;
}

void waveform::note_activity() {
    for (const unsigned block : sequencer_.active_blocks())
        if (block < bundles_of_.size())
            for (const std::uint32_t b : bundles_of_[block]) set_due(b);
    for (const std::uint32_t b : always_) set_due(b);
    for (const std::uint32_t b : may_move_)
        if (groups_[bundles_[b].group].moving()) set_due(b);
}

void waveform::step_ended(unsigned ticked) {
    ++steps_;
    edges_ = sequencer_.edges();
    if (over_) return;
    // The index of the last core cycle that has begun.
    const std::uint64_t begun = sequencer_.cycle(0) + (ticked & 1u);
    const std::uint64_t cycle = begun != 0 ? begun - 1 : 0;
    if (cycle < settings_.from) {
        if (cycle + 1 == settings_.from) read_baseline();
        return;
    }
    if (cycle >= settings_.to) {
        over_ = true;
        return;
    }
    sample(ticked);
}

void waveform::sample(unsigned ticked) {
    const std::uint64_t time = femtoseconds(sequencer_.step_time());
    const bool first = !started_;
    if (first) {
        started_ = true;
        first_time_ = time;
        write_header();
        follow_blocks();
    }
    note_activity();
    write_falls(time);
    write_time(time);
    if (first) out_.write("$dumpvars\n");
    sample_clocks(ticked, time, first);
    const std::uint64_t before = out_.size();
    for (std::size_t w = 0; w < due_.size(); ++w)
        for (std::uint64_t bits = due_[w]; bits != 0; bits &= bits - 1) {
            const std::size_t number = w * 64 + static_cast<unsigned>(__builtin_ctzll(bits));
            bundle& b = bundles_[number];
            const bool is_due = (b.domains & ticked) != 0;
            if (!is_due && !first) continue;
            sample(b, is_due);
            if (is_due && --samples_due_[number] == 0) due_[w] &= ~(bits & -bits);
        }
    if (!first && first_change_ == none && out_.size() != before) first_change_ = time;
    if (first) out_.write("$end\n");
}

void waveform::sample_clocks(unsigned ticked, std::uint64_t time, bool first) {
    for (unsigned d = 0; d < clocks_.size(); ++d) {
        clock& c = clocks_[d];
        const bool rises = (ticked >> d & 1u) != 0;
        if (!c.present || (!rises && !first)) continue;
        if (rises) {
            if (c.rose) c.half = (time - c.rose_at) / 2;
            if (c.falls_at != 0) out_.write("0" + c.code + "\n");
            c.rose = true;
            c.rose_at = time;
            c.falls_at = time + c.half;
        }
        out_.put(rises ? '1' : '0');
        out_.write(c.code);
        out_.put('\n');
    }
}

/// @param ticked  whether one of the bundle's domains had an edge; false only in the very first
///                sample
void waveform::sample(bundle& b, bool ticked) {
    for (reading& r : b.readings) {
        std::uint64_t value = r.read();
        if (r.counter) {
            const std::uint64_t before = std::exchange(r.counted, value);
            value = ticked ? value - before : 0;
        }
        if (value != undriven) value = std::min(value, r.limit);
        if (value == r.value) continue;
        r.value = value;
        write_value(r);
    }
}

void waveform::discard() {
    finished_ = over_ = true;
    out_.discard();
}

void waveform::finish() {
    if (finished_) return;
    finished_ = true;
    const auto& seen = sequencer_.observed();
    if (seen.steps > steps_) {  // step_ended() of the last step is only called when another begins
        unsigned ticked = 0;
        for (unsigned d = 0; d < edges_.size(); ++d)
            if (seen.edges[d] != edges_[d]) ticked |= 1u << d;
        if (started_)
            for (std::size_t b = 0; b < bundles_.size(); ++b)
                set_due(b);  // the values are not all
                             // known yet
        step_ended(ticked);
    }
    over_ = true;
    if (!started_) {
        started_ = true;
        write_header();
    }
    write_falls(std::numeric_limits<std::uint64_t>::max());
    out_.commit();
}

}  // namespace simtlm::waveforms
