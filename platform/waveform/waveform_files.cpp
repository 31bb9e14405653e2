// SPDX-License-Identifier: Apache-2.0
#include "platform/waveform/waveform_files.h"

#include "modules/support/error.h"
#include "modules/support/output_file.h"
#include "modules/waveforms/waveform.h"
#include "platform/waveform/waveform_catalogue.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

extern char** environ;

namespace simtlm::platform {

namespace {

// Trace flags in GTKWave's save files (analyzer.h).
enum : unsigned {
    show_hex = 0x2,
    show_decimal = 0x4,
    show_binary = 0x8,
    right_justify = 0x20,
    blank = 0x200,
    file_translated = 0x2000,
    analog_step = 0x8000,
    analog_extension = 0x20000,
    closed = 0x400000,
    group_begin = 0x800000,
    group_end = 0x1000000,
};

unsigned flags_of(display d) {
    switch (d) {
        case display::bit:
            return show_binary | right_justify;
        case display::decimal:
            return show_decimal | right_justify;
        case display::hexadecimal:
            return show_hex | right_justify;
        case display::named:
            return show_decimal | right_justify | file_translated;
        case display::level:
            return show_decimal | right_justify | analog_step;
        case display::real:
            return right_justify | analog_step;
    }
    return show_hex;
}

class save_file {
public:
    explicit save_file(const std::string& name) : out_(name) {}

    void line(const std::string& text) {
        out_.write(text);
        out_.put('\n');
    }
    void flags(unsigned f) {
        if (f != flags_) line(fmt::format("@{:x}", f));
        flags_ = f;
    }
    void begin(const std::string& group, bool is_closed) {
        flags(group_begin | blank | (is_closed ? closed : 0u));
        line("-" + group);
    }
    void end(const std::string& group, bool is_closed) {
        flags(group_end | blank | (is_closed ? closed : 0u));
        line("-" + group);
    }
    void commit() { out_.commit(); }

private:
    support::output_file out_;
    unsigned flags_ = 0;
};

}  // namespace

std::string find_vcd2fst() {
    const char* path = std::getenv("PATH");
    std::string folders = path != nullptr ? path : "";
    for (std::size_t from = 0; from <= folders.size();) {
        const std::size_t colon = std::min(folders.find(':', from), folders.size());
        const std::string tool = folders.substr(from, colon - from) + "/vcd2fst";
        if (access(tool.c_str(), X_OK) == 0) return tool;
        from = colon + 1;
    }
    throw support::user_error("--vcd", "an FST file needs vcd2fst, which is not on PATH",
                              "install GTKWave (apt install gtkwave), or name a .vcd file");
}

void convert_to_fst(const std::string& converter, const std::string& vcd, const std::string& fst) {
    const support::output_target target(fst);
    std::string part;
    ::close(target.open(part));
    const char* arguments[] = {converter.c_str(), vcd.c_str(), part.c_str(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1 /* O_WRONLY */, 0);
    pid_t child = 0;
    int status = 0;
    const int error = posix_spawn(&child, converter.c_str(), &actions, nullptr,
                                  const_cast<char**>(arguments), environ);
    posix_spawn_file_actions_destroy(&actions);
    const std::string remedy = "the waveform is in " + vcd;
    if (error != 0)
        throw support::output_error(
            fst, "vcd2fst cannot be started: " + std::string(std::strerror(error)), remedy);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        std::remove(part.c_str());
        throw support::output_error(fst, "vcd2fst has failed", remedy);
    }
    target.replace_by(part);
}

std::string translation_file(const std::string& dump, const std::string& enumeration) {
    return dump + "." + enumeration + ".translate";
}

void check_translations(const std::string& dump, const waveform_catalogue& catalogue) {
    for (const waveforms::enumeration& e : catalogue.enumerations())
        support::output_target(translation_file(dump, e.name())).check();
}

void write_save_file(const std::string& dump, const waveforms::waveform& wave,
                     const waveform_catalogue& catalogue, double core_period) {
    const std::string absolute = std::filesystem::absolute(dump).lexically_normal().string();
    std::map<const waveforms::enumeration*, std::string> translate;
    support::output_attempts attempt;
    for (const waveforms::enumeration& e : catalogue.enumerations()) {
        bool used = false;
        for (const waveforms::waveform::signal& s : wave.recorded()) used |= s.names == &e;
        if (!used || e.names().empty()) continue;
        attempt([&] {
            support::output_file out(translation_file(dump, e.name()));
            for (std::size_t i = 0; i < e.names().size(); ++i)
                out.write(fmt::format("{} {}\n", i, e.names()[i]));
            out.commit();
        });
        translate[&e] = translation_file(absolute, e.name());
    }

    save_file save(dump + ".gtkw");
    save.line("[*] simtlm");
    save.line(fmt::format("[dumpfile] \"{}\"", absolute));
    save.line(fmt::format("[savefile] \"{}.gtkw\"", absolute));
    // Start where activity begins: there is none during the first launch latency.
    const std::uint64_t lead = static_cast<std::uint64_t>(core_period) * 4;
    const std::uint64_t start =
        wave.has_samples()
            ? std::max(wave.first_time(), wave.first_change() - std::min(lead, wave.first_change()))
            : 0;
    save.line(fmt::format("[timestart] {}", start));
    save.line("[size] 1600 1000");
    // The zoom is the logarithm of the time per 200 pixels: eight core cycles, wide enough for
    // text.
    save.line(fmt::format("*-{:.6f} {} -1 -1 -1 -1", std::log2(core_period * 8), start));
    save.line("[sst_width] 220");
    save.line("[signals_width] 340");
    save.line("[sst_expanded] 1");
    save.begin("clocks", false);
    for (const std::string& c : catalogue.clocks()) {
        save.flags(flags_of(display::bit));
        save.line(c);
    }
    save.end("clocks", false);

    // The first SM and the first partition are expanded; the others of their kind are collapsed.
    std::vector<std::pair<std::string, bool>> open;
    std::map<char, std::string> first;
    const auto parts_of = [](const std::string& group) {
        std::vector<std::string> parts;
        for (std::size_t from = 0; from <= group.size();) {
            const std::size_t slash = std::min(group.find('/', from), group.size());
            parts.push_back(group.substr(from, slash - from));
            from = slash + 1;
        }
        return parts;
    };
    std::vector<std::string> scope;
    const auto move_to = [&](const std::vector<std::string>& next, bool folded) {
        std::size_t same = 0;
        while (same < scope.size() && same < next.size() && scope[same] == next[same]) ++same;
        while (scope.size() > same) {
            save.end(open.back().first, open.back().second);
            open.pop_back();
            scope.pop_back();
        }
        while (scope.size() < next.size()) {
            const bool fold = folded && scope.empty();
            scope.push_back(next[scope.size()]);
            open.emplace_back(scope.back(), fold);
            save.begin(scope.back(), fold);
        }
    };
    for (const waveform_catalogue::entry& e : catalogue.entries()) {
        const waveforms::waveform::signal& s = wave.recorded()[e.signal];
        const std::vector<std::string> group = parts_of(e.group);
        const bool is_sm = group[0].find(".sm") != std::string::npos;
        const char kind = is_sm ? 's' : group[0][0];
        first.try_emplace(kind, group[0]);
        move_to(group, first[kind] != group[0]);
        unsigned flags = flags_of(e.shown);
        const auto names = translate.find(s.names);
        if (s.names != nullptr && names == translate.end()) flags &= ~unsigned{file_translated};
        save.flags(flags);
        if (names != translate.end()) save.line("^1 " + names->second);
        save.line(s.width > 1 ? fmt::format("{}[{}:0]", s.name, s.width - 1) : s.name);
        if (e.shown == display::level || e.shown == display::real) {
            save.flags(analog_extension);
            save.line("-");
        }
    }
    move_to({}, false);
    attempt([&] { save.commit(); });
    attempt.finish();
}

}  // namespace simtlm::platform
