// SPDX-License-Identifier: Apache-2.0
#include "platform/outputs/trace_recording.h"

#include "modules/support/error.h"
#include "modules/support/output_file.h"
#include "modules/trace/binary_format.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace simtlm::platform {

namespace fs = std::filesystem;

std::unique_ptr<trace_recording> trace_recording::of(const option_values& values) {
    const std::string& folder = values.text("--record-trace");
    if (folder.empty()) return nullptr;
    const std::string& form = values.text("--record-form");
    if (form != "binary" && form != "text" && form != "text6")
        values.fail("--record-form", "not a trace format", "binary, text or text6");
    std::error_code error;
    fs::create_directories(folder, error);
    if (!fs::is_directory(folder))
        throw support::user_error(folder, "cannot be created as a folder", error.message());
    if (!fs::is_empty(folder, error) || error)
        throw support::user_error(folder, "is not empty", "name a new folder: --record-trace DIR");
    return std::unique_ptr<trace_recording>(
        new trace_recording(folder, form == "text"    ? trace::trace_form::text
                                    : form == "text6" ? trace::trace_form::version_6
                                                      : trace::trace_form::binary));
}

void trace_recording::copied(std::uint64_t address, std::uint64_t bytes) {
    list_.push_back({fmt::format("MemcpyHtoD,0x{:016x},{}\n", address, bytes), {}});
}

std::shared_ptr<program::kernel_source> trace_recording::record(
    std::shared_ptr<program::kernel_source> kernel, std::vector<program::instruction_window> code,
    unsigned binary_version) {
    const std::string file =
        fmt::format("kernel-{}{}", ++kernels_,
                    form_ == trace::trace_form::binary ? trace::binary_suffix : ".traceg");
    const std::string path = (fs::path(folder_) / file).string();
    list_.push_back({file + "\n", path});
    return std::make_shared<trace::execution_recorder>(std::move(kernel), std::move(code),
                                                       binary_version, path, form_, log_);
}

unsigned trace_recording::finish() const {
    if (const std::vector<std::string> errors = log_->errors(); !errors.empty())
        throw support::output_error(errors);
    unsigned unfinished = 0;
    support::output_file list((fs::path(folder_) / "kernelslist.g").string());
    for (const line& l : list_)
        if (l.trace.empty() || log_->is_complete(l.trace))
            list.write(l.text);
        else
            ++unfinished;
    list.commit();
    return unfinished;
}

}  // namespace simtlm::platform
