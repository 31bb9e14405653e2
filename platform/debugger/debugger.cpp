// SPDX-License-Identifier: Apache-2.0
#include "platform/debugger/debugger.h"

#include "modules/support/nearest_name.h"
#include "modules/support/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sstream>
#include <utility>

namespace simtlm::platform {

debug_target::~debug_target() = default;

namespace {

constexpr std::uint64_t largest_watch = 64;   // bytes
constexpr std::uint64_t dumped_at_once = 64;  // bytes
constexpr std::size_t warps_listed = 64;

std::vector<std::string> split_words(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string w; in >> w;) words.push_back(std::move(w));
    return words;
}

std::string joined(const std::vector<std::string>& words, std::size_t from) {
    std::string text;
    for (std::size_t i = from; i < words.size(); ++i) text += (text.empty() ? "" : " ") + words[i];
    return text;
}

std::uint64_t whole_of(const std::string& text, const char* what) {
    const auto v = parse_whole(text);
    if (!v) throw command_error(fmt::format("\"{}\" is not a valid {}", text, what));
    return *v;
}

/// Parses the number of a block of the GPU.
unsigned number_of(const std::string& text, const char* what) {
    const std::uint64_t v = whole_of(text, what);
    if (v > std::numeric_limits<unsigned>::max())
        throw command_error(fmt::format("\"{}\" is not a valid {}", text, what));
    return static_cast<unsigned>(v);
}

/// Parses a program counter or address: hexadecimal, with or without 0x, as in listings.
std::uint64_t hexadecimal_of(const std::string& text, const char* what) {
    const std::string digits =
        text.compare(0, 2, "0x") == 0 || text.compare(0, 2, "0X") == 0 ? text.substr(2) : text;
    const auto v = digits.empty() || std::isxdigit(static_cast<unsigned char>(digits[0])) == 0
                       ? std::nullopt
                       : parse_whole("0x" + digits);
    if (!v) throw command_error(fmt::format("\"{}\" is not a valid {}", text, what));
    return *v;
}

std::string index_text(const std::array<std::uint32_t, 3>& i) {
    return fmt::format("({},{},{})", i[0], i[1], i[2]);
}

/// Returns a file name without its folders.
std::string_view base_name(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// Returns whether a location such as "a.ptx:12 (b.cu:3)" refers to a line of a file. An empty file
/// matches any file.
bool names_line(std::string_view where, std::string_view file, std::uint64_t line) {
    const std::string digits = std::to_string(line);
    for (std::size_t colon = where.find(':'); colon != std::string_view::npos;
         colon = where.find(':', colon + 1)) {
        const std::string_view suffix = where.substr(colon + 1);
        if (suffix.compare(0, digits.size(), digits) != 0) continue;
        if (suffix.size() > digits.size() &&
            std::isdigit(static_cast<unsigned char>(suffix[digits.size()])) != 0)
            continue;
        std::string_view path = where.substr(0, colon);
        if (const std::size_t begin = path.rfind('('); begin != std::string_view::npos)
            path = path.substr(begin + 1);
        if (file.empty() || path == file || base_name(path) == base_name(file)) return true;
    }
    return false;
}

/// Parses the value shown for a register: 1.5 for "0x3fc00000 (1.5)", 1 for "true".
std::optional<long double> number_of_register(const std::string& text) {
    if (text == "true") return 1;
    if (text == "false") return 0;
    const std::size_t real = text.find('(');
    char* end = nullptr;
    const char* const begin = text.c_str() + (real == std::string::npos ? 0 : real + 1);
    const long double v = real == std::string::npos && text.compare(0, 2, "0x") == 0
                              ? static_cast<long double>(std::strtoull(begin, &end, 16))
                              : support::read_long_double(begin, &end);
    if (end == begin) return std::nullopt;
    return v;
}

}  // namespace

struct debugger::command {
    const char* name;
    const char* other;  ///< alternative name, or ""
    const char* usage;
    const char* what;
    void (debugger::*act)(const words&);
    const char* following = "";  ///< words that can follow it, for completion
};

const std::vector<debugger::command>& debugger::commands() {
    static constexpr const char* places = "line pc op warp cta kernel end if";
    static const std::vector<command> all = {
        {"s", "step", "s [N]",
         "continues for one core cycle (N); in functional mode, for one instruction",
         &debugger::step},
        {"c", "continue", "c", "continues until something stops it", &debugger::continue_run},
        {"u", "until", "u CYCLE", "continues to a core cycle (instruction)", &debugger::until},
        {"b", "break", "b PLACE [if COND]",
         "stops at FILE:LINE [THREAD], line N, pc HEX, op OPCODE, warp SM:WARP, cta N|X,Y,Z, "
         "kernel NAME|N, end [NAME|N]; b if COND: when a condition becomes true",
         &debugger::set_breakpoint, places},
        {"tb", "tbreak", "tb PLACE [if COND]", "the same, once", &debugger::set_temporary, places},
        {"d", "delete", "d [N...]", "deletes breakpoints and watchpoints; d: all",
         &debugger::remove},
        {"w", "watch", "w ADDRESS|NAME[:BYTES] [r|w|rw] [if COND]",
         "stops at accesses to global memory (w: writes, or a changed value); w %REG "
         "[SM:WARP[:LANE]]: when a register is written",
         &debugger::watch},
        {"l", "list", "l [N]",
         "lists the code around the current instruction of the selected warp, N on each side",
         &debugger::list},
        {"dp", "", "dp [SM]", "dumps the pipeline of an SM", &debugger::dump_pipeline},
        {"dm", "", "dm [ADDRESS|NAME [BYTES]]; dm shared|local OFFSET [BYTES]; dm p N",
         "dumps memory; dm p N: the state of memory partition N", &debugger::dump_memory},
        {"i", "info", "i k|b|w|r|wait [SM[:WARP[:LANE]]]",
         "kernels, breakpoints, warps, registers, what everything waits for", &debugger::info,
         "k b w r wait"},
        {"f", "focus", "f SM:WARP[:LANE]", "selects a warp, for l, i r and p",
         &debugger::choose_warp},
        {"p", "print", "p EXPR",
         "prints a value: cycle, instructions, sm, warp, pc, mask, kernel, cta, registers (%r1), "
         "[ADDRESS]:BYTES, statistics (BLOCK:COUNTER)",
         &debugger::print},
        {"q", "quit", "q", "ends the run; its statistics so far are printed", &debugger::quit},
        {"h", "help", "h", "prints this", &debugger::help}};
    return all;
}

/// Resolves names in expressions: first against the current instruction, then its warp, then the
/// target.
class debugger::scope : public expression_scope {
public:
    scope(const debugger& d, const instruction_event* e) : debugger_(d), event_(e) {
        if (e != nullptr) {
            id_ = e->id;
            owner_ = *e->owner;
            pc_ = e->pc;
            mask_ = e->active_mask;
            known_ = true;
        } else if (const auto w = d.target_.warp(d.focus_)) {
            id_ = w->id;
            owner_ = w->owner;
            pc_ = w->pc;
            mask_ = w->active_mask;
            known_ = true;
        }
    }

    std::optional<long double> value(const std::string& name) const override {
        if (known_) {
            if (name == "sm") return id_.sm;
            if (name == "warp") return id_.warp;
            if (name == "kernel") return owner_.launch;
            if (name == "cta") return owner_.cta;
            if (name == "cta.x") return owner_.cta_index[0];
            if (name == "cta.y") return owner_.cta_index[1];
            if (name == "cta.z") return owner_.cta_index[2];
            if (name == "pc") return pc_;
            if (name == "mask") return mask_;
            if (name == "lanes") return __builtin_popcount(mask_);
        }
        if (const auto v = debugger_.target_.variable(name)) return v;
        if (!known_) return std::nullopt;
        const auto text = debugger_.register_text(id_, debugger_.lane_, name);
        return text ? number_of_register(*text) : std::nullopt;
    }
    std::optional<std::uint64_t> memory(std::uint64_t address, unsigned bytes) const override {
        std::uint64_t v = 0;
        if (!debugger_.target_.read(program::memory_space::global, id_, debugger_.lane_, address,
                                    bytes, reinterpret_cast<std::byte*>(&v)))
            return std::nullopt;
        return v;
    }

private:
    const debugger& debugger_;
    const instruction_event* event_;
    warp_id id_;
    warp_owner owner_;
    std::uint64_t pc_ = 0;
    std::uint32_t mask_ = 0;
    bool known_ = false;
};

debugger::debugger(const debug_target& target, std::unique_ptr<command_input> input, services how)
    : target_(target),
      input_(std::move(input)),
      how_(std::move(how)),
      interactive_(input_->interactive()) {
    if (!how_.ending) how_.ending = [] { return false; };
    std::vector<std::string> beginnings;
    for (const command& c : commands())
        for (const std::string& name : {std::string(c.name), std::string(c.other)}) {
            if (name.empty()) continue;
            beginnings.push_back(name);
            for (const std::string& word : split_words(c.following))
                beginnings.push_back(name + ' ' + word);
        }
    input_->complete(std::move(beginnings));
}

debugger::~debugger() = default;

void debugger::say(const std::string& text) {
    how_.write(text + "\n");
}

void debugger::begin(const std::string& what) {
    say(what);
    if (interactive_) say("h prints the commands.");
    prompt();
}

void debugger::end() {
    if (detached_) return;
    ended_ = true;
    for (const std::string& r : std::exchange(reasons_, {}))
        say(fmt::format("{} {}: {}", target_.time_unit(), target_.time(), r));
    say(fmt::format("{} {}: the run has ended", target_.time_unit(), target_.time()));
    prompt();
}

/// Recomputes the stop conditions to check.
void debugger::update() {
    bool each_cycle = steps_ != 0 || until_.has_value() || !reasons_.empty();
    follows_instructions_ = false;
    for (const breakpoint& b : breakpoints_) {
        switch (b.what) {
            case kind::condition:
                each_cycle = true;
                break;
            case kind::access:
            case kind::reg:
                each_cycle = follows_instructions_ = true;
                break;
            case kind::kernel:
            case kind::kernel_end:
            case kind::cta:
                break;
            default:
                follows_instructions_ = true;
        }
    }
    if (detached_) each_cycle = follows_instructions_ = false;
    running_freely_ = !each_cycle;
}

void debugger::hit(breakpoint& b, const instruction_event* e, const std::string& what) {
    if (b.condition) {
        try {
            if (!b.condition->holds(scope(*this, e))) return;
        } catch (const command_error& fault) {
            reasons_.push_back(
                fmt::format("the condition of breakpoint {}: {}", b.number, fault.what()));
            b.condition.reset();
        }
    }
    ++b.hits;
    if (e != nullptr) focus_ = e->id;
    reasons_.push_back(fmt::format(
        "{} {}, {}", b.what == kind::access || b.what == kind::reg ? "watchpoint" : "breakpoint",
        b.number, what));
    running_freely_ = false;
}

std::string debugger::event_text(const instruction_event& e) const {
    std::string text = fmt::format("SM {} warp {}, kernel {} ({}) CTA {}: {:#06x} {}", e.id.sm,
                                   e.id.warp, e.owner->launch, e.owner->kernel,
                                   index_text(e.owner->cta_index), e.pc, target_.text(e));
    if (e.active_mask != 0xffffffff) text += fmt::format(", mask {:08x}", e.active_mask);
    if (const std::string where = target_.where(e); !where.empty()) text += "\n  at " + where;
    return text;
}

std::string debugger::view_text(const warp_view& w) const {
    std::string text = fmt::format("SM {} warp {}, kernel {} ({}) CTA {}: {:#06x} {}", w.id.sm,
                                   w.id.warp, w.owner.launch, w.owner.kernel,
                                   index_text(w.owner.cta_index), w.pc, target_.text(w));
    if (!w.state.empty()) text += ", waits for " + w.state;
    if (const std::string where = target_.where(w); !where.empty()) text += "\n  at " + where;
    return text;
}

bool debugger::at_line(breakpoint& b, const instruction_event& e) {
    const auto known = b.at_line.find(e.identity);
    if (known != b.at_line.end()) return known->second;
    const std::string where = target_.where(e);
    bool yes = names_line(where, b.file, b.value);
    // Traces record line numbers but no file names.
    if (where.empty() && e.code != nullptr) yes = e.code->source_line == b.value;
    b.at_line[e.identity] = yes;
    return yes;
}

bool debugger::touches(const breakpoint& b, const instruction_event& e) const {
    if (e.ranges == nullptr || !((b.reads && e.is_load) || (b.writes && e.is_store))) return false;
    return std::any_of(e.ranges->begin(), e.ranges->end(), [&](const memory_range& r) {
        return r.address < b.value + b.bytes && b.value < r.address + r.bytes;
    });
}

bool debugger::matches(breakpoint& b, const instruction_event& e) {
    switch (b.what) {
        case kind::line:
            if (b.thread != 0 &&
                (b.thread < e.owner->first_thread || b.thread >= e.owner->first_thread + 32 ||
                 (e.active_mask >> (b.thread - e.owner->first_thread) & 1) == 0))
                return false;
            return at_line(b, e);
        case kind::pc:
            return e.pc == b.value;
        case kind::opcode:
            return std::strncmp(e.opcode, b.name.c_str(), b.name.size()) == 0;
        case kind::warp:
            return e.id == b.id;
        case kind::access:
            return touches(b, e);
        case kind::reg: {
            if (e.code == nullptr || !(e.id == b.id) || b.name[0] != 'R') return false;
            const auto number = parse_whole(b.name.substr(1));
            if (!number) return false;
            for (unsigned i = 0; i < e.code->n_dst; ++i)
                if (e.code->dst[i] == *number) return true;
            return false;
        }
        default:
            return false;
    }
}

void debugger::instruction(const instruction_event& e) {
    for (breakpoint& b : breakpoints_)
        if (matches(b, e)) hit(b, &e, event_text(e));
}

void debugger::kernel_launched(const kernel_view& k) {
    for (breakpoint& b : breakpoints_) {
        b.at_line.clear();  // the code of another program may have the same addresses
        if (b.what != kind::kernel) continue;
        if (b.name.empty() ? b.value != k.launch : k.name.find(b.name) == std::string::npos)
            continue;
        hit(b, nullptr,
            fmt::format("kernel {} ({}) is launched: grid {}, block {}", k.launch, k.name,
                        index_text(k.grid), index_text(k.block)));
    }
}

void debugger::kernel_ended(const kernel_view& k) {
    for (breakpoint& b : breakpoints_) {
        if (b.what != kind::kernel_end) continue;
        const bool any = b.name.empty() && b.value == 0;
        if (!any &&
            (b.name.empty() ? b.value != k.launch : k.name.find(b.name) == std::string::npos))
            continue;
        hit(b, nullptr, fmt::format("kernel {} ({}) has ended", k.launch, k.name));
    }
}

void debugger::cta_started(warp_id first_warp, const warp_owner& owner) {
    for (breakpoint& b : breakpoints_) {
        if (b.what != kind::cta) continue;
        if (b.by_index ? b.index != owner.cta_index : b.value != owner.cta) continue;
        focus_ = first_warp;
        hit(b, nullptr,
            fmt::format("CTA {} of kernel {} ({}) begins on SM {}", index_text(owner.cta_index),
                        owner.launch, owner.kernel, first_warp.sm));
    }
}

void debugger::notify(const std::string& text) {
    if (detached_) return;
    reasons_.push_back(text);
    running_freely_ = false;
}

/// A conditional breakpoint stops when its condition becomes true; it does not stop again while the
/// condition stays true.
void debugger::check_conditions() {
    for (breakpoint& b : breakpoints_) {
        if (b.what == kind::access || b.what == kind::reg) check_values(b);
        if (b.what != kind::condition) continue;
        bool holds = false;
        try {
            holds = b.condition->holds(scope(*this, nullptr));
        } catch (const command_error&) {
            // A condition on a missing register or warp is false.
        }
        if (std::exchange(b.held, holds) == holds || !holds) continue;
        ++b.hits;
        reasons_.push_back(fmt::format("breakpoint {}, {}", b.number, b.name));
    }
}

void debugger::check_values(breakpoint& b) {
    if (b.what == kind::access && !b.writes) return;
    const auto now = b.what == kind::access ? memory_text(b.value, b.bytes)
                                            : register_text(b.id, b.lane, b.name);
    if (!now) return;
    const std::string before = std::exchange(b.last, *now);
    if (before.empty() || before == *now) return;
    hit(b, nullptr, fmt::format("{}: {} -> {}", b.text, before, *now));
}

/// Checks for a reason to stop. The state must be consistent.
void debugger::stop_if_needed() {
    if (detached_) return;
    check_conditions();
    const bool asked = interrupted_ != 0;
    interrupted_ = 0;
    if (asked) reasons_.emplace_back("interrupted");
    if (until_ && target_.time() >= *until_) {
        until_.reset();
        reasons_.emplace_back();
    }
    if (steps_ != 0 && --steps_ == 0) reasons_.emplace_back();
    if (reasons_.empty()) return;
    steps_ = 0;
    until_.reset();
    for (std::string& r : std::exchange(reasons_, {})) {
        if (r.empty() && target_.sequential())
            if (const auto w = target_.warp(focus_)) r = view_text(*w);
        say(fmt::format("{} {}{}{}", target_.time_unit(), target_.time(), r.empty() ? "" : ": ",
                        r));
    }
    breakpoints_.erase(
        std::remove_if(breakpoints_.begin(), breakpoints_.end(),
                       [](const breakpoint& b) { return b.temporary && b.hits != 0; }),
        breakpoints_.end());
    prompt();
}

void debugger::prompt() {
    const std::string text = "(simtlm) ";
    while (true) {
        prompts_ = true;
        std::optional<std::string> line = input_->read(text, how_.ending);
        prompts_ = false;
        if (!line) {
            // At the end of a script the run continues; on a terminal, end of input means quit.
            if (interactive_ && !ended_ && !how_.ending()) {
                quit({});
            } else {
                detached_ = true;
                breakpoints_.clear();
            }
            break;
        }
        if (!interactive_) say(text + *line);
        const std::size_t comment = line->find('#');
        if (comment != std::string::npos) line->erase(comment);
        if (split_words(*line).empty()) {
            if (!interactive_ || last_command_.empty()) continue;
            line = last_command_;
        }
        last_command_ = *line;
        try {
            resumes_ = false;
            execute(*line);
            if (resumes_) break;
        } catch (const command_error& e) {
            say(e.what());
        }
    }
    update();
}

void debugger::execute(const std::string& line) {
    const words w = split_words(line);
    std::vector<std::string> names;
    for (const command& c : commands()) {
        if (w[0] == c.name || w[0] == c.other) return (this->*c.act)(w);
        names.emplace_back(c.name);
        if (*c.other != '\0') names.emplace_back(c.other);
    }
    const std::string nearest = support::nearest_name(w[0], names);
    throw command_error(fmt::format("there is no command {}{}; h prints them", w[0],
                                    nearest.empty() ? "" : " (did you mean " + nearest + "?)"));
}

void debugger::step(const words& w) {
    if (ended_) throw command_error("the run has ended");
    steps_ = w.size() > 1 ? whole_of(w[1], "number of steps") : 1;
    resumes_ = steps_ != 0;
}

void debugger::continue_run(const words&) {
    resumes_ = true;
}

void debugger::until(const words& w) {
    if (w.size() < 2)
        throw command_error(fmt::format("u N: which {} to continue to?", target_.time_unit()));
    const std::uint64_t at = whole_of(w[1], target_.time_unit());
    if (ended_ || at <= target_.time())
        throw command_error(fmt::format("{} {} lies behind", target_.time_unit(), at));
    until_ = at;
    resumes_ = true;
}

warp_id debugger::parse_warp(const std::string& text, unsigned* lane) const {
    std::istringstream in(text);
    std::vector<unsigned> numbers;
    for (std::string item; std::getline(in, item, ':');)
        numbers.push_back(number_of(item, "warp; SM:WARP or SM:WARP:LANE"));
    if (numbers.size() < 2 || numbers.size() > (lane != nullptr ? 3 : 2))
        throw command_error(fmt::format("\"{}\" is not a warp; SM:WARP{}", text,
                                        lane != nullptr ? " or SM:WARP:LANE" : ""));
    check_sm(numbers[0]);
    if (numbers.size() == 3) {
        if (numbers[2] > 31) throw command_error("lanes are 0 to 31");
        *lane = numbers[2];
    }
    return {numbers[0], numbers[1]};
}

void debugger::check_sm(unsigned sm) const {
    if (sm >= target_.sms())
        throw command_error(fmt::format("there is no SM {}: there are {}", sm, target_.sms()));
}

/// Parses ADDRESS or NAME, optionally followed by :BYTES.
memory_range debugger::parse_address(const std::string& text) const {
    const std::size_t colon = text.find(':');
    const std::string what = text.substr(0, colon);
    memory_range r;
    if (const auto s = target_.symbol(what)) {
        r = {s->address, std::min<std::uint64_t>(s->bytes, 4)};
    } else {
        r = {hexadecimal_of(what, "address (hexadecimal), variable or buffer"), 4};
    }
    if (colon != std::string::npos) r.bytes = whole_of(text.substr(colon + 1), "number of bytes");
    if (r.bytes == 0) throw command_error("the number of bytes is zero");
    return r;
}

void debugger::parse_place(breakpoint& b, const words& w) {
    const auto argument = [&](const char* usage) -> const std::string& {
        if (w.size() < 2) throw command_error(usage);
        return w[1];
    };
    if (w.empty()) throw command_error("where? b FILE:LINE, b pc HEX, b kernel NAME, ...: see h");
    const std::string& what = w[0];
    if (what == "pc" || what[0] == '*') {
        b.what = kind::pc;
        b.value =
            hexadecimal_of(what == "pc" ? argument("b pc HEX") : what.substr(1), "program counter");
    } else if (what == "line") {
        b.what = kind::line;
        b.value = whole_of(argument("b line N"), "line");
    } else if (what == "op") {
        b.what = kind::opcode;
        b.name = argument("b op OPCODE");
    } else if (what == "warp") {
        b.what = kind::warp;
        b.id = parse_warp(argument("b warp SM:WARP"), nullptr);
    } else if (what == "cta") {
        b.what = kind::cta;
        const std::string& index = argument("b cta N or b cta X,Y,Z");
        b.by_index = index.find(',') != std::string::npos;
        std::istringstream in(index);
        std::size_t d = 0;
        for (std::string item; std::getline(in, item, ',') && d < 3; ++d)
            b.index[d] = static_cast<std::uint32_t>(whole_of(item, "place in the grid"));
        if (!b.by_index) b.value = whole_of(index, "thread block");
    } else if (what == "kernel" || what == "end") {
        b.what = what == "end" ? kind::kernel_end : kind::kernel;
        if (what == "end" && w.size() < 2) return;
        const std::string& name = argument("b kernel NAME or b kernel N");
        if (const auto number = parse_whole(name))
            b.value = *number;
        else
            b.name = name;
    } else {
        const std::size_t colon = what.rfind(':');
        if (colon == std::string::npos || colon == 0)
            throw command_error(fmt::format("\"{}\" is not a location; see h", what));
        b.what = kind::line;
        b.file = what.substr(0, colon);
        b.value = whole_of(what.substr(colon + 1), "line");
        if (w.size() > 1) b.thread = whole_of(w[1], "thread");
    }
}

/// Parses the arguments of a breakpoint command: a location, optionally followed by "if" and a
/// condition.
debugger::breakpoint debugger::parse_breakpoint(words w) {
    breakpoint b;
    b.text = joined(w, 0);
    const auto at = std::find(w.begin(), w.end(), "if");
    std::string condition;
    if (at != w.end()) {
        condition = joined(w, static_cast<std::size_t>(at - w.begin()) + 1);
        w.erase(at, w.end());
        b.condition.emplace(condition);
    }
    if (w.empty() && !condition.empty()) {
        b.what = kind::condition;
        b.name = condition;
        try {
            b.held = b.condition->holds(scope(*this, nullptr));
        } catch (const command_error&) {
            b.held = false;  // the names may become valid later
        }
        return b;
    }
    parse_place(b, w);
    return b;
}

void debugger::add(breakpoint b) {
    b.number = ++last_number_;
    const bool watches = b.what == kind::access || b.what == kind::reg;
    say(fmt::format("{} {}: {}", watches ? "watchpoint" : "breakpoint", b.number, b.text));
    breakpoints_.push_back(std::move(b));
}

void debugger::set_breakpoint(const words& w) {
    add(parse_breakpoint(words(w.begin() + 1, w.end())));
}

void debugger::set_temporary(const words& w) {
    breakpoint b = parse_breakpoint(words(w.begin() + 1, w.end()));
    b.temporary = true;
    add(std::move(b));
}

void debugger::remove(const words& w) {
    if (w.size() == 1) breakpoints_.clear();
    for (std::size_t i = 1; i < w.size(); ++i) {
        const std::uint64_t number = whole_of(w[i], "number of a breakpoint");
        const auto at = std::find_if(breakpoints_.begin(), breakpoints_.end(),
                                     [&](const breakpoint& b) { return b.number == number; });
        if (at == breakpoints_.end())
            throw command_error(fmt::format("there is no breakpoint {}", number));
        breakpoints_.erase(at);
    }
}

void debugger::watch(const words& w) {
    const std::string rest = joined(w, 1);
    if (w.size() < 2) throw command_error("w ADDRESS|NAME[:BYTES] [r|w|rw], w %REG [SM:WARP]");
    breakpoint b;
    words before(w.begin() + 1, w.end());
    b.text = rest;
    if (const auto at = std::find(before.begin(), before.end(), "if"); at != before.end()) {
        b.condition.emplace(joined(before, static_cast<std::size_t>(at - before.begin()) + 1));
        before.erase(at, before.end());
        if (before.empty()) throw command_error("watch what?");
    }
    const std::string& what = before[0];
    const bool trace_register = what[0] == 'R' && parse_whole(what.substr(1)).has_value();
    if (what[0] == '%' || trace_register || what.compare(0, 2, "UR") == 0) {
        b.what = kind::reg;
        b.name = what;
        b.id = focus_;
        b.lane = lane_;
        if (before.size() > 1) b.id = parse_warp(before[1], &b.lane);
        b.text = fmt::format("{} of SM {} warp {} lane {}", what, b.id.sm, b.id.warp, b.lane);
        b.last = register_text(b.id, b.lane, b.name).value_or("");
        add(std::move(b));
        return;
    }
    b.what = kind::access;
    const memory_range r = parse_address(what);
    if (r.bytes > largest_watch)
        throw command_error(fmt::format("at most {} bytes can be watched", largest_watch));
    b.value = r.address;
    b.bytes = r.bytes;
    if (before.size() > 1) {
        const std::string& how = before[1];
        if (how != "r" && how != "w" && how != "rw" && how != "wr")
            throw command_error(fmt::format("\"{}\" is not one of r, w, rw", how));
        b.reads = how.find('r') != std::string::npos;
        b.writes = how.find('w') != std::string::npos;
    }
    b.last = memory_text(b.value, b.bytes).value_or("");
    add(std::move(b));
}

void debugger::list(const words& w) {
    const std::uint64_t around = w.size() > 1 ? whole_of(w[1], "number of lines") : 5;
    const auto at = target_.warp(focus_);
    if (!at)
        throw command_error(fmt::format(
            "there is no warp at SM {} warp {}: i w lists the resident ones, f selects one",
            focus_.sm, focus_.warp));
    say(view_text(*at));
    for (const std::string& line :
         target_.listing(*at, static_cast<unsigned>(std::min<std::uint64_t>(around, 1000))))
        say(line);
}

void debugger::dump_pipeline(const words& w) {
    const unsigned sm = w.size() > 1 ? number_of(w[1], "SM") : focus_.sm;
    check_sm(sm);
    how_.write(target_.pipeline(sm));
}

std::optional<std::string> debugger::memory_text(std::uint64_t address, std::uint64_t bytes) const {
    std::array<std::byte, largest_watch> data;
    if (bytes > data.size() ||
        !target_.read(program::memory_space::global, focus_, lane_, address, bytes, data.data()))
        return std::nullopt;
    if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) {
        std::uint64_t v = 0;
        std::memcpy(&v, data.data(), bytes);
        std::string text = fmt::format("{:#0{}x}", v, 2 + 2 * bytes);
        if (bytes == 4) {
            float real;
            std::memcpy(&real, data.data(), 4);
            text += fmt::format(" ({})", v);
            if (std::fabs(real) > 1e-9F && std::fabs(real) < 1e9F) text += fmt::format(" {}", real);
        } else {
            text += fmt::format(" ({})", v);
        }
        return text;
    }
    std::string text;
    for (std::uint64_t i = 0; i < bytes; ++i)
        text += fmt::format("{:02x}", static_cast<unsigned>(data[i]));
    return text;
}

void debugger::dump_memory(const words& w) {
    if (w.size() == 3 && w[1] == "p") {
        how_.write(target_.partition(number_of(w[2], "partition")));
        return;
    }
    program::memory_space space = program::memory_space::global;
    std::size_t argument = 1;
    if (w.size() > 1 && (w[1] == "shared" || w[1] == "local")) {
        space = w[1] == "shared" ? program::memory_space::shared : program::memory_space::local;
        argument = 2;
    }
    std::uint64_t at = next_dump_, bytes = dumped_at_once;
    if (w.size() > argument) {
        const memory_range r = parse_address(w[argument]);
        at = r.address;
        if (w[argument].find(':') != std::string::npos) bytes = r.bytes;
    }
    if (w.size() > argument + 1) bytes = whole_of(w[argument + 1], "number of bytes");
    if (bytes == 0 || bytes > 4096) throw command_error("1 to 4096 bytes at once");
    std::vector<std::byte> data(bytes);
    if (!target_.read(space, focus_, lane_, at, bytes, data.data()))
        throw command_error(fmt::format(
            "memory at {:#x} cannot be read{}", at,
            target_.registers(focus_, 0).empty() && space == program::memory_space::global
                ? ": it is not allocated, or the values are unknown because a trace is replayed"
                : ""));
    for (std::uint64_t i = 0; i < bytes; i += 16) {
        std::string line = fmt::format("{:#014x}:", at + i);
        for (std::uint64_t k = i; k < std::min(i + 16, bytes); k += 4) {
            std::uint32_t v = 0;
            std::memcpy(&v, data.data() + k, std::min<std::uint64_t>(4, bytes - k));
            line += fmt::format(" {:08x}", v);
        }
        say(line);
    }
    next_dump_ = at + bytes;
}

void debugger::list_breakpoints() {
    if (breakpoints_.empty()) say("there are no breakpoints");
    for (const breakpoint& b : breakpoints_)
        say(fmt::format("{:>3} {}{}, hit {} {}", b.number, b.text, b.temporary ? " (once)" : "",
                        b.hits, b.hits == 1 ? "time" : "times"));
}

void debugger::list_kernels() {
    const auto all = target_.kernels();
    if (all.empty()) say("no kernel runs");
    for (const kernel_view& k : all)
        say(fmt::format(
            "kernel {} ({}): grid {}, block {}, since {} {}; of {} CTAs, {} running, {} done",
            k.launch, k.name, index_text(k.grid), index_text(k.block), target_.time_unit(), k.since,
            k.ctas, k.ctas_running, k.ctas_done));
}

void debugger::list_warps(const words& w) {
    std::optional<unsigned> sm;
    if (w.size() > 2) {
        sm = number_of(w[2], "SM");
        check_sm(*sm);
    }
    const auto all = target_.warps(sm);
    if (all.empty()) say("no warp is resident");
    std::size_t shown = 0;
    for (const warp_view& v : all) {
        if (++shown > warps_listed && !sm) break;
        say((v.id == focus_ ? "* " : "  ") + view_text(v));
    }
    if (shown > warps_listed && !sm)
        say(fmt::format("and {} more: i w SM lists those of an SM", all.size() - warps_listed));
}

std::optional<std::string> debugger::register_text(warp_id id, unsigned lane,
                                                   const std::string& name) const {
    const std::string all = target_.registers(id, lane);
    // Registers of machine code are listed without the % prefix of PTX registers.
    if (name.size() > 1 && name[0] == '%' && std::isupper(static_cast<unsigned char>(name[1])) != 0)
        return register_text(id, lane, name.substr(1));
    const std::string wanted = "    " + name + " = ";
    std::size_t at = all.compare(0, wanted.size(), wanted) == 0 ? 0 : all.find("\n" + wanted);
    if (at == std::string::npos) return std::nullopt;
    at = all.find(" = ", at) + 3;
    return all.substr(at, all.find('\n', at) - at);
}

void debugger::show_registers(const words& w) {
    warp_id id = focus_;
    unsigned lane = lane_;
    if (w.size() > 2) id = parse_warp(w[2], &lane);
    const std::string text = target_.registers(id, lane);
    if (text.empty())
        throw command_error(target_.warp(id)
                                ? "values are unknown: a trace is replayed"
                                : fmt::format("there is no warp at SM {} warp {}", id.sm, id.warp));
    say(fmt::format("registers of SM {} warp {} lane {}", id.sm, id.warp, lane));
    how_.write(text);
}

void debugger::info(const words& w) {
    const std::string what = w.size() > 1 ? w[1] : "";
    if (what == "k" || what == "kernels")
        list_kernels();
    else if (what == "b" || what == "breakpoints")
        list_breakpoints();
    else if (what == "w" || what == "warps")
        list_warps(w);
    else if (what == "r" || what == "registers")
        show_registers(w);
    else if (what == "wait")
        how_.write(target_.waits());
    else
        throw command_error(
            "i k (kernels), b (breakpoints), w [SM] (warps), r [SM:WARP[:LANE]] "
            "(registers), or wait");
}

void debugger::choose_warp(const words& w) {
    if (w.size() > 1) {
        unsigned lane = 0;
        focus_ = parse_warp(w[1], &lane);
        lane_ = lane;
    }
    const auto v = target_.warp(focus_);
    say(v ? view_text(*v) + fmt::format("\n  lane {}", lane_)
          : fmt::format("there is no warp at SM {} warp {} now", focus_.sm, focus_.warp));
}

void debugger::print(const words& w) {
    const std::string rest = joined(w, 1);
    if (rest.empty()) throw command_error("p EXPR: which value?");
    // A register is printed in the format of its program.
    if (rest[0] == '%' || rest[0] == 'R' || rest[0] == 'P' || rest[0] == 'U')
        if (const auto text = register_text(focus_, lane_, rest)) {
            say(*text);
            return;
        }
    if (const auto s = target_.symbol(rest)) {
        say(fmt::format("{:#x}, {} bytes", s->address, s->bytes));
        return;
    }
    say(value_text(expression(rest).evaluate(scope(*this, nullptr))));
}

void debugger::quit(const words&) {
    detached_ = true;
    breakpoints_.clear();
    if (!ended_ && how_.quit) how_.quit();
    resumes_ = true;
}

void debugger::help(const words&) {
    for (const command& c : commands())
        say(fmt::format("{}{}{}\n        {}", c.usage, *c.other != '\0' ? "   or " : "", c.other,
                        c.what));
    say("An empty line repeats the last command; # begins a comment; conditions and values are "
        "written as in C.");
}

}  // namespace simtlm::platform
