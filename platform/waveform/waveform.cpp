// SPDX-License-Identifier: Apache-2.0
#include "platform/waveform/waveform.h"

#include "modules/support/output_target.h"
#include "modules/waveforms/waveform.h"
#include "platform/gpu/gpu_blocks.h"
#include "platform/waveform/waveform_catalogue.h"
#include "platform/waveform/waveform_files.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

namespace simtlm::platform {

namespace {

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool is_fst(const std::string& file) {
    return ends_with(file, ".fst");
}

/// Name of the VCD dump from which an FST file is made. It is an unused name, because the user did
/// not request this file.
std::string dump_for(const std::string& file) {
    if (!is_fst(file)) return file;
    const support::output_target target(file);
    if (target.in_place())
        throw support::user_error(file, "is not a regular file, as required for FST",
                                  "name a .vcd file");
    std::string dump = file + ".vcd";
    if (std::filesystem::exists(dump))
        throw support::user_error(
            dump, "already exists: " + file + " is created from a file with this name",
            "move it, or name another FST file");
    return dump;
}

waveforms::waveform::settings settings_of(const run_config& how, const std::string& file) {
    waveforms::waveform::settings s;
    s.file = file;
    s.scope = how.vcd_scope;
    s.from = how.vcd_window.from;
    s.to = how.vcd_window.to;
    return s;
}

}  // namespace

struct waveform_writer::recording {
    recording(gpu& d, const run_config& how)
        : device(d),
          from(how.vcd_window.from),
          target(how.vcd),
          fst(is_fst(how.vcd)),
          converter(fst ? find_vcd2fst() : std::string()),
          wave(d.sequencer(), settings_of(how, dump_for(how.vcd))),
          catalogue(d, wave),
          core_period(sc_core::sc_time(1.0 / d.config().clocks.core, sc_core::SC_SEC)) {
        if (wave.signals() == 0) {
            wave.discard();
            throw support::user_error("--vcd-scope", "matches no signal",
                                      "names look like " + std::string(d.name()) +
                                          ".cluster0.sm0.scheduler0.pc; see docs/waveforms.md");
        }
        if (wave.in_place()) return;
        try {
            check_translations(target, catalogue);
        } catch (...) {
            wave.discard();
            throw;
        }
    }

    void finish() {
        if (wave.finished()) return;
        wave.finish();
        std::string shown = wave.file();
        if (fst) {
            convert_to_fst(converter, wave.file(), target);
            std::remove(wave.file().c_str());
            shown = target;
        }
        if (wave.in_place()) return;
        write_save_file(shown, wave, catalogue, core_period.to_seconds() * 1e15);
    }

    std::string remark() const {
        if (wave.has_samples()) return {};
        return beyond_the_end("--vcd-window", target, from, device.core_cycles());
    }

    gpu& device;
    std::uint64_t from;  // start of the window
    std::string target;
    bool fst;
    std::string converter;
    waveforms::waveform wave;
    waveform_catalogue catalogue;
    sc_core::sc_time core_period;
};

waveform_writer::waveform_writer(gpu& device, const run_config& how)
    : recording_(std::make_unique<recording>(device, how)) {}

waveform_writer::~waveform_writer() {
    try {
        finish();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "simtlm: %s\n", e.what());
    }
}

void waveform_writer::finish() {
    recording_->finish();
}

std::string waveform_writer::remark() const {
    return recording_->remark();
}

std::size_t waveform_writer::signals() const {
    return recording_->wave.signals();
}

std::string beyond_the_end(const std::string& option, const std::string& file, std::uint64_t from,
                           std::uint64_t end) {
    return fmt::format(
        "{}: the window begins at core cycle {} and the run ended at {}: {} is empty", option, from,
        end, file);
}

std::vector<std::string> waveform_side_files(const std::string& file) {
    if (file.empty() || support::output_target(file).in_place()) return {};
    std::vector<std::string> files = {file + ".gtkw"};
    if (is_fst(file)) files.push_back(file + ".vcd");
    for (const char* const names : waveforms::value_list_names)
        files.push_back(translation_file(file, names));
    return files;
}

std::unique_ptr<waveform_writer> attach_waveforms(gpu& device, const run_config& how) {
    if (how.vcd.empty()) return nullptr;
    return std::make_unique<waveform_writer>(device, how);
}

}  // namespace simtlm::platform
