// SPDX-License-Identifier: Apache-2.0
#include "sc_main/progress.h"

#include "modules/support/display_text.h"
#include "sc_main/standard_streams.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace simtlm {

namespace {

std::size_t terminal_width() {
    struct winsize size {};
    constexpr std::size_t usual = 80;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : usual;
}

/// Shortens "void at::f<int>(float*)" to "at::f".
std::string short_name(const std::string& kernel) {
    std::string name = support::demangled(kernel);
    if (name.rfind("void ", 0) == 0) name.erase(0, 5);
    name = name.substr(0, name.find_first_of("<(", 1));
    constexpr std::size_t longest = 32;
    if (name.size() > longest) name = "..." + name.substr(name.size() - (longest - 3));
    return support::printable(name);
}

}  // namespace

progress::progress(const platform::run_config& config, std::uint64_t kernels, std::uint64_t ctas)
    : terminal_(isatty(STDERR_FILENO) != 0),
      stdout_is_terminal_(isatty(STDOUT_FILENO) != 0),
      enabled_(!config.quiet &&
               (config.progress == platform::progress_mode::on ||
                (config.progress == platform::progress_mode::automatic && terminal_))),
      period_(config.progress_period),
      kernels_(kernels),
      ctas_(ctas),
      next_(started_ + period_) {}

void progress::show(const run_position& p) {
    const clock::time_point now = clock::now();
    const std::chrono::duration<double> elapsed = now - started_;
    const std::chrono::duration<double> since_last = now - last_;
    const auto cycles = static_cast<double>(std::max<std::uint64_t>(p.cycles, 1));
    std::vector<std::string> parts = {
        kernels_ == 0
            ? fmt::format("kernel {}", p.kernels_done + 1)
            : fmt::format("kernel {} of {}", std::min(p.kernels_done + 1, kernels_), kernels_)};
    if (p.ctas_done != 0 && kernels_ != 0) {
        const double share = static_cast<double>(p.ctas_done) / static_cast<double>(ctas_);
        parts.push_back(short_time(elapsed.count() * (1 / share - 1)) + " left");
    }
    if (!p.running.empty()) parts.push_back(names_of(p.running));
    parts.push_back(kernels_ == 0 ? fmt::format("CTA {}", p.ctas_done)
                                  : fmt::format("CTA {} of {}", p.ctas_done, ctas_));
    parts.push_back(fmt::format("cycle {}", p.cycles));
    parts.push_back(fmt::format("IPC {:.1f}", static_cast<double>(p.thread_instructions) / cycles));
    parts.push_back(
        short_number(static_cast<double>(p.warp_instructions - last_warp_instructions_) /
                     since_last.count()) +
        "warp insn/s");
    line_ = fitting(parts, terminal_ ? terminal_width() : 0);
    if (terminal_)
        overwrite_line(line_);
    else
        print_error(line_ + "\n");
    shown_ = terminal_;
    last_ = now;
    last_warp_instructions_ = p.warp_instructions;
    next_ = now + period_;
}

void progress::clear() {
    if (!shown_) return;
    overwrite_line({});
    shown_ = false;
}

void progress::end() {
    clear();
    line_.clear();
    enabled_ = false;
}

void progress::clear_line() {
    if (stdout_is_terminal_) clear();
}

void progress::restore() {
    if (!terminal_ || shown_ || line_.empty()) return;
    print_error(line_);
    shown_ = true;
}

std::string fitting(const std::vector<std::string>& parts, std::size_t width) {
    std::string line;
    for (const std::string& part : parts) {
        const std::string longer = line.empty() ? part : line + ", " + part;
        if (width == 0 || longer.size() < width) line = longer;
    }
    return line.empty() ? parts.front().substr(0, std::max<std::size_t>(width, 2) - 1) : line;
}

std::string names_of(const std::vector<std::string>& kernels) {
    constexpr std::size_t most = 3;
    std::string names;
    for (std::size_t i = 0; i < std::min(kernels.size(), most); ++i)
        names += (i == 0 ? "" : " | ") + short_name(kernels[i]);
    if (kernels.size() > most) names += fmt::format(" and {} more", kernels.size() - most);
    return names;
}

std::string short_number(double value) {
    constexpr const char* units[] = {"", "k ", "M ", "G "};
    unsigned unit = 0;
    while (value >= 1000 && unit + 1 < std::size(units)) {
        value /= 1000;
        ++unit;
    }
    const int digits = value >= 100 || unit == 0 ? 0 : value >= 10 ? 1 : 2;
    return fmt::format("{:.{}f} {}", value, digits, units[unit]);
}

std::string short_time(double seconds) {
    const auto s = static_cast<std::uint64_t>(seconds + 0.5);
    if (s < 60) return fmt::format("{} s", s);
    if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
    return fmt::format("{} h {} min", s / 3600, s % 3600 / 60);
}

}  // namespace simtlm
