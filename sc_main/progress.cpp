// SPDX-License-Identifier: Apache-2.0
#include "sc_main/progress.h"

#include "sc_main/standard_streams.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace simtlm {

progress::progress(const platform::run_config& config, std::uint64_t kernels, std::uint64_t ctas)
    : terminal_(isatty(STDERR_FILENO) != 0),
      enabled_(!config.quiet &&
               (config.progress == platform::progress_mode::on ||
                (config.progress == platform::progress_mode::automatic && terminal_))),
      period_(std::max(config.progress_period, 1u)),
      kernels_(kernels),
      ctas_(ctas),
      next_(started_ + period_) {}

void progress::show(const run_position& p) {
    const clock::time_point now = clock::now();
    const std::chrono::duration<double> elapsed = now - started_;
    const std::chrono::duration<double> since_last = now - last_;
    const auto cycles = static_cast<double>(std::max<std::uint64_t>(p.cycles, 1));
    std::string line = fmt::format(
        "kernel {} of {}, CTA {} of {}, cycle {}, IPC {:.1f}, {}warp insn/s",
        std::min(p.kernels_done + 1, kernels_), kernels_, p.ctas_done, ctas_, p.cycles,
        static_cast<double>(p.thread_instructions) / cycles,
        short_number(static_cast<double>(p.warp_instructions - last_warp_instructions_) /
                     since_last.count()));
    if (p.ctas_done != 0) {
        const double share = static_cast<double>(p.ctas_done) / static_cast<double>(ctas_);
        line += fmt::format(", {} left", short_time(elapsed.count() * (1 / share - 1)));
    }
    tell(terminal_ ? "\r\033[K" + line : line + "\n");
    shown_ = terminal_;
    last_ = now;
    last_warp_instructions_ = p.warp_instructions;
    next_ = now + period_;
}

void progress::clear() {
    if (!shown_) return;
    tell("\r\033[K");
    shown_ = false;
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
