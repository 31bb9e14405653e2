// SPDX-License-Identifier: Apache-2.0
#include "modules/trace_import/import.h"

#include "modules/host_threads/parallel_for.h"
#include "modules/support/error.h"
#include "modules/support/output_file.h"
#include "modules/trace_import/kernel_import.h"
#include "modules/trace_import/message_file.h"
#include "modules/trace_import/protobuf_trace.pb.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace simtlm::trace_import {

namespace fs = std::filesystem;

namespace {

constexpr const char* trace_file_name = "dynamic_trace.pb";
constexpr const char* code_file_name = "extra_info/enhanced_execution_info.json";

/// An event of a stream: a line of the command list, or a kernel.
struct stream_event {
    std::string line;
    const messages::kernel_launch* kernel = nullptr;
    std::int64_t stream = 0;
};

/// Whether a text is "MemcpyHtoD,0xADDRESS,BYTES", or of the other direction.
bool is_copy(std::string_view text) {
    const auto take = [&](int base) {
        std::uint64_t v = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v, base);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        return error == std::errc();
    };
    if (text.substr(0, 13) != "MemcpyHtoD,0x" && text.substr(0, 13) != "MemcpyDtoH,0x")
        return false;
    text.remove_prefix(13);
    if (!take(16) || text.substr(0, 1) != ",") return false;
    text.remove_prefix(1);
    return take(10) && text.empty();
}

/// The number of "kernel-7.trace", or of a path that ends so; -1: it is none.
std::int64_t kernel_of(std::string_view text) {
    text.remove_prefix(text.rfind('/') + 1);
    constexpr std::string_view begin = "kernel-", end = ".trace";
    if (text.size() <= begin.size() + end.size() || text.substr(0, begin.size()) != begin ||
        text.substr(text.size() - end.size()) != end)
        return -1;
    text = text.substr(begin.size(), text.size() - begin.size() - end.size());
    std::int64_t id = -1;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    return error == std::errc() && stop == text.data() + text.size() ? id : -1;
}

/// The trace file with the order of its events.
class trace_reader {
public:
    explicit trace_reader(std::string file) : file_(std::move(file)) {
        read_message(file_, "a trace recorded with the tracer of Huerta et al.", trace_);
    }

    const std::string& file() const { return file_; }

    /// Chooses a device. @param wanted  none: the only one with kernels
    void choose(const std::optional<std::int64_t>& wanted) {
        std::set<std::int64_t> with_kernels;
        for (const auto& [id, d] : trace_.devices())
            for (const auto& [stream, s] : d.streams())
                if (!s.kernels().empty()) with_kernels.insert(id);
        if (with_kernels.empty()) fail("contains no kernels", record_again);
        std::string list;
        for (const std::int64_t id : with_kernels) list += fmt::format(" {}", id);
        if (wanted ? with_kernels.count(*wanted) == 0 : with_kernels.size() > 1)
            fail(wanted ? fmt::format("contains no kernels of device {}", *wanted)
                        : "contains kernels of several devices",
                 "choose one of these with --device:" + list);
        device_ = wanted.value_or(*with_kernels.begin());
    }
    std::int64_t device() const { return device_; }

    /// The functions that are launched, on any device.
    std::set<int> kernels(const static_code& code) const {
        std::set<int> ids;
        for (const auto& [id, d] : trace_.devices())
            for (const auto& [stream, s] : d.streams())
                for (const messages::kernel_launch& k : s.kernels())
                    if (const static_function* const f = code.find(k.function(), k.name()))
                        ids.insert(f->id);
        return ids;
    }

    /// All events in one order: kernels by number, copies before the next kernel of their stream.
    std::vector<stream_event> events(std::vector<std::string>& warnings) const {
        std::map<std::int64_t, std::deque<stream_event>> waiting;
        for (const auto& [id, s] : trace_.devices().at(device_).streams())
            waiting[id] = events_of(id, s, warnings);
        std::vector<stream_event> all;
        for (;;) {
            std::deque<stream_event>* next = nullptr;
            int number = 0;
            for (auto& [id, queue] : waiting) {
                const auto kernel = std::find_if(queue.begin(), queue.end(),
                                                 [](const auto& e) { return e.kernel != nullptr; });
                if (kernel == queue.end()) continue;
                if (next != nullptr && kernel->kernel->id() >= number) continue;
                next = &queue;
                number = kernel->kernel->id();
            }
            if (next == nullptr) break;
            bool found = false;
            while (!found) {
                found = next->front().kernel != nullptr;
                all.push_back(std::move(next->front()));
                next->pop_front();
            }
        }
        for (auto& [id, queue] : waiting)
            for (stream_event& e : queue) all.push_back(std::move(e));
        return all;
    }

private:
    std::deque<stream_event> events_of(std::int64_t id, const messages::stream& s,
                                       std::vector<std::string>& warnings) const {
        std::map<std::int64_t, const messages::kernel_launch*> launches;
        for (const messages::kernel_launch& k : s.kernels())
            if (k.id() < 1 || !launches.emplace(k.id(), &k).second)
                fail(fmt::format("stream {} has kernel {} twice", id, k.id()), record_again);
        std::deque<stream_event> list;
        for (const std::string& text : s.events()) {
            const std::int64_t kernel = kernel_of(text);
            if (is_copy(text)) {
                list.push_back({text, nullptr, id});
            } else if (kernel >= 0) {
                const auto at = launches.find(kernel);
                if (at == launches.end())
                    fail(fmt::format("stream {} launches kernel {} again or without a description",
                                     id, kernel),
                         record_again);
                list.push_back({{}, at->second, id});
                launches.erase(at);
            } else {
                warnings.push_back(fmt::format("{}: an event of stream {} is ignored: {}", file_,
                                               id, text.substr(0, 60)));
            }
        }
        if (!launches.empty())
            fail(fmt::format("kernel {} is in no event of stream {}", launches.begin()->first, id),
                 record_again);
        return list;
    }

    [[noreturn]] void fail(const std::string& what, const std::string& remedy) const {
        throw support::user_error(file_, what, remedy);
    }

    std::string file_;
    messages::trace trace_;
    std::int64_t device_ = 0;
};

/// Creates the folder of the results.
void prepare(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (!fs::is_directory(folder))
        throw support::user_error(folder.string(), "cannot be created as a folder",
                                  "name one that is writable");
    if (!fs::is_empty(folder, error) || error)
        throw support::user_error(folder.string(), "is not empty", "name a new folder");
}

/// A kernel to be converted.
struct conversion {
    const stream_event* event = nullptr;
    std::string file;  ///< in the new folder
    imported_kernel result;
};

class importer {
public:
    importer(const fs::path& from, const fs::path& folder, const import_options& options)
        : from_(from),
          folder_(folder),
          jobs_(options.jobs),
          trace_((from / trace_file_name).string()) {
        trace_.choose(options.device);
        code_.emplace((from / code_file_name).string());
        described_.emplace(*code_,
                           options.opcodes != nullptr ? options.opcodes
                                                      : std::make_shared<const isa::opcode_tables>(
                                                            isa::opcode_tables::builtin()),
                           trace_.kernels(*code_));
        warnings_ = described_->warnings();
        events_ = trace_.events(warnings_);
        for (const stream_event& e : events_)
            if (e.kernel != nullptr)
                kernels_.push_back({&e, fmt::format("kernel-{}.traceg", e.kernel->id()), {}});
    }

    import_result run() {
        prepare(folder_);
        try {
            convert_all();
        } catch (...) {
            std::error_code ignored;
            for (const conversion& c : kernels_) fs::remove(folder_ / c.file, ignored);
            throw;
        }
        import_result r;
        r.list = (folder_ / "kernelslist.g").string();
        support::output_file list(r.list);
        auto next = kernels_.begin();
        for (const stream_event& e : events_)
            list.write((e.kernel != nullptr ? (next++)->file : e.line) + "\n");
        list.commit();
        std::set<std::string> reported;
        for (const conversion& c : kernels_) {
            ++r.kernels;
            r.blocks += c.result.blocks;
            r.instructions += c.result.instructions;
            for (const std::string& w : c.result.warnings)
                if (reported.insert(w).second) warnings_.push_back(w);
        }
        r.warnings = std::move(warnings_);
        return r;
    }

private:
    /// The file of a thread block as named by the tracer.
    std::string block_file_of(const stream_event& e, std::uint32_t x, std::uint32_t y,
                              std::uint32_t z) const {
        const std::int64_t device = trace_.device();
        const int id = e.kernel->id();
        return (from_ / "threadblocks" / fmt::format("device_{}", device) /
                fmt::format("stream_{}", e.stream) / fmt::format("kernel_{}", id) /
                fmt::format("d_{}_s_{}_k_{}_{},{},{}.pb", device, e.stream, id, x, y, z))
            .string();
    }

    void convert(conversion& c) const {
        const stream_event& e = *c.event;
        c.result = import_kernel(
            *described_, *e.kernel, static_cast<std::uint64_t>(e.stream),
            [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
                return block_file_of(e, x, y, z);
            },
            trace_.file(), (folder_ / c.file).string());
    }

    void convert_all() {
        host_threads::parallel_for(jobs_, kernels_.size(),
                                   [&](std::size_t i) { convert(kernels_[i]); });
    }

    fs::path from_, folder_;
    unsigned jobs_;
    trace_reader trace_;
    std::optional<static_code> code_;
    std::optional<described_code> described_;
    std::vector<stream_event> events_;
    std::vector<conversion> kernels_;
    std::vector<std::string> warnings_;
};

}  // namespace

import_result import_protobuf_trace(const std::string& from, const std::string& folder,
                                    const import_options& options) {
    std::error_code ignored;
    fs::path source(from);
    if (!fs::is_directory(source, ignored)) {
        if (source.filename() != trace_file_name)
            throw support::user_error(from, "is neither a folder nor a dynamic_trace.pb",
                                      "name the folder that the tracer has written");
        source = source.parent_path().empty() ? fs::path(".") : source.parent_path();
    }
    return importer(source, folder, options).run();
}

}  // namespace simtlm::trace_import
