// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/cta_cluster_source.h"
#include "modules/trace/executed_text.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace simtlm::support {
class output_attempts;
class output_file;
}  // namespace simtlm::support

namespace simtlm::trace {

/// Format of a recorded trace. Machine code is written in the format of Accel-Sim's tracer.
enum class trace_form : std::uint8_t {
    text,       ///< of machine code: tracer version 5
    version_6,  ///< of machine code: tracer version 6
    binary,
};

/// The traces that have been recorded completely, and errors. Thread-safe.
class recording_log {
public:
    /// The recording of a kernel has ended. @param errors  if it could not be written
    void ended(const std::string& file, bool written, const support::output_attempts& errors);
    bool is_complete(const std::string& file) const;
    std::vector<std::string> errors() const;

private:
    mutable std::mutex mutex_;
    std::set<std::string> complete_;
    std::vector<std::string> errors_;
};

/// Records a kernel while it is executed: a kernel source that forwards another one unchanged and
/// writes the execution of its warps as a kernel trace (executed_code.h). Thread blocks are written
/// in the order in which they were returned by next_cta(), each when it and all earlier ones have
/// ended.
class execution_recorder final : public program::clustered_kernel {
public:
    /// @param kernel   its warps must be executed ones
    /// @param code     all code that it can execute, by function
    /// @param version  binary version of the GPU, for the header
    /// @param file     output, which appears when the kernel has ended
    /// @param form     of the output
    /// @param log      notified when the kernel has ended
    execution_recorder(std::shared_ptr<program::kernel_source> kernel,
                       std::vector<program::instruction_window> code, unsigned version,
                       std::string file, trace_form form, std::shared_ptr<recording_log> log);
    ~execution_recorder() override;

    const program::kernel_descriptor& descriptor() const override { return kernel_->descriptor(); }
    program::dim3 cta_cluster_shape() const override { return cluster_; }
    void start() override { kernel_->start(); }
    std::unique_ptr<program::cta> next_cta() override;
    void recycle(std::unique_ptr<program::cta> block) override;
    std::vector<std::string> take_warnings() override { return kernel_->take_warnings(); }
    std::vector<std::string> take_notes() override { return kernel_->take_notes(); }

private:
    class warp;
    class block;

    std::string header() const;
    bool is_machine_code() const;
    void write(const std::string& text);
    void finish();

    std::shared_ptr<program::kernel_source> kernel_;
    program::dim3 cluster_{1, 1, 1};  ///< CTAs per cluster
    std::vector<program::instruction_window> code_;
    unsigned binary_version_;
    std::string file_;
    trace_form form_;
    traced_form traced_;
    std::shared_ptr<recording_log> log_;
    std::unique_ptr<support::output_file> out_;
    std::uint64_t handed_out_ = 0;
    std::uint64_t written_ = 0;
    bool has_details_ = false;  ///< of asynchronous instructions, which only text can contain
    std::map<std::uint64_t, std::string> waiting_;  ///< blocks that ended before earlier ones
};

}  // namespace simtlm::trace
