// SPDX-License-Identifier: Apache-2.0
#include "platform/study/source_view.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

namespace simtlm::platform::study {

namespace {

namespace fs = std::filesystem;

using text_lines = std::vector<std::string>;

std::optional<text_lines> lines_of(const fs::path& file) {
    std::error_code error;
    constexpr std::uintmax_t most = std::uintmax_t{64} << 20;
    if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > most) return std::nullopt;
    std::ifstream in(file);
    if (!in) return std::nullopt;
    text_lines lines;
    for (std::string line; std::getline(in, line);) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        lines.push_back(std::move(line));
    }
    return lines;
}

/// Finds and caches source files: those given by the user, and inputs of the run whose contents are
/// those that the run recorded. Paths in a statistics file are not followed otherwise, because the
/// page would disclose files of the reader that the author of the statistics file has chosen.
class source_files {
public:
    source_files(const statistics_run& run, const source_choice& choice)
        : given_(choice.given), checksum_(choice.checksum) {
        for (const json& f : run.document()["provenance"].value("inputs", json::array())) {
            const std::string role = f.value("role", ""), path = f.value("path", "");
            if (role != "program" && role != "source") continue;
            recorded_[path] = f.value("xxh128", "");
            if (role == "program") programs_.push_back(path);
        }
    }
    /// The PTX that a run has executed.
    const text_lines* ptx() {
        for (const std::string& p : programs_)
            if (fs::path(p).extension() == ".ptx")
                if (const text_lines* lines = recorded(p)) return lines;
        for (const std::string& g : given_)
            if (fs::path(g).extension() == ".ptx")
                if (const text_lines* lines = open(g)) return lines;
        return nullptr;
    }
    /// The only source file that was given, for traces, which record line numbers without a file.
    const text_lines* only_source() {
        const text_lines* found = nullptr;
        for (const std::string& g : given_) {
            std::error_code error;
            if (fs::is_directory(g, error) || fs::path(g).extension() == ".ptx") continue;
            if (found != nullptr) return nullptr;
            found = open(g);
        }
        return found;
    }
    /// A file named by a `.file` directive.
    const text_lines* named(const std::string& name) {
        const fs::path base = fs::path(name).filename();
        for (const std::string& g : given_) {
            std::error_code error;
            if (!fs::is_directory(g, error)) {
                if (fs::path(g).filename() == base)
                    if (const text_lines* lines = open(g)) return lines;
            } else if (const text_lines* lines = open((fs::path(g) / base).string())) {
                return lines;
            }
        }
        return recorded(name);
    }

private:
    const text_lines* open(const std::string& path) {
        const auto [at, fresh] = files_.emplace(path, std::nullopt);
        if (fresh) at->second = lines_of(path);
        return at->second ? &*at->second : nullptr;
    }
    const text_lines* recorded(const std::string& path) {
        const auto at = recorded_.find(path);
        if (at == recorded_.end() || at->second.empty()) return nullptr;
        if (!checksum_ || at->second != checksum_(path)) return nullptr;
        return open(path);
    }
    std::vector<std::string> given_, programs_;
    std::function<std::string(const std::string&)> checksum_;
    std::map<std::string, std::string> recorded_;  ///< checksums of inputs
    std::map<std::string, std::optional<text_lines>> files_;
};

/// Source location of each line of a PTX text, from its `.loc` and `.file` directives.
struct ptx_locations {
    std::map<std::uint32_t, std::string> files;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> at;  ///< by PTX line: file and line

    explicit ptx_locations(const text_lines& ptx) {
        std::pair<std::uint32_t, std::uint32_t> now{0, 0};
        at.push_back(now);
        for (const std::string& line : ptx) {
            std::size_t i = line.find_first_not_of(" \t");
            if (i != std::string::npos && line.compare(i, 5, ".loc ") == 0) {
                char* end = nullptr;
                now.first = static_cast<std::uint32_t>(std::strtoul(&line[i + 5], &end, 10));
                now.second = static_cast<std::uint32_t>(std::strtoul(end, &end, 10));
            } else if (i != std::string::npos && line.compare(i, 6, ".file\t") == 0) {
                note_file(line, i + 6);
            } else if (i != std::string::npos && line.compare(i, 6, ".file ") == 0) {
                note_file(line, i + 6);
            } else if (line.find(".entry") != std::string::npos ||
                       line.find(".func") != std::string::npos) {
                now = {0, 0};
            }
            at.push_back(now);
        }
    }
    void note_file(const std::string& line, std::size_t from) {
        const auto number = static_cast<std::uint32_t>(std::strtoul(&line[from], nullptr, 10));
        const std::size_t open = line.find('"', from), close = line.find('"', open + 1);
        if (open != std::string::npos && close != std::string::npos)
            files[number] = line.substr(open + 1, close - open - 1);
    }
};

double sum_of(const json& row, const char* name, std::initializer_list<const char*> labels) {
    const auto at = row.find(name);
    if (at == row.end() || !at->is_object()) return 0;
    double all = 0;
    for (const char* l : labels) all += at->value(l, 0.0);
    return all;
}

void add(const json& from, kernel_source_view::row& to, bool& blames) {
    const auto value = [&](const char* name) { return from.value(name, 0.0); };
    to.issues += value("issues");
    to.threads += value("threads");
    to.waited += value("waited");
    to.awaited += value("awaited");
    blames = blames || from.contains("awaited");
    const auto waits = from.find("waits");
    if (waits != from.end() && waits->is_object())
        for (const auto& [reason, cycles] : waits->items())
            if (cycles.is_number()) to.waits[reason] += cycles.get<double>();
    to.latency += value("latency");  // divided by the issues at the end
    to.transactions += value("transactions");
    to.memory_issues += value("memory_issues");
    to.shared_cycles += value("shared_cycles");
    to.shared_issues += value("shared_issues");
    to.dram_bytes += value("dram_bytes");
    if (const auto energy = from.find("energy"); energy != from.end() && energy->is_object())
        for (const auto& [component, picojoules] : energy->items())
            if (picojoules.is_number()) to.picojoules += picojoules.get<double>();
    const auto accesses = {"HIT", "HIT_RESERVED", "MISS", "SECTOR_MISS", "MSHR_HIT"};
    const auto misses = {"MISS", "SECTOR_MISS"};
    to.l1_accesses += sum_of(from, "l1", accesses);
    to.l1_misses += sum_of(from, "l1", misses);
    to.l2_accesses += sum_of(from, "l2", accesses);
    to.l2_misses += sum_of(from, "l2", misses);
}

/// The file name without folders of "folder/file.cu:12", including the line.
std::string without_folder(const std::string& source) {
    return fs::path(source).filename().string();
}

/// Splits "folder/file.cu:12" into file and line; the line is 0 if there is none.
std::pair<std::string, std::uint32_t> file_and_line(const std::string& source) {
    const std::size_t colon = source.rfind(':');
    if (colon == std::string::npos) return {source, 0};
    return {source.substr(0, colon),
            static_cast<std::uint32_t>(std::strtoul(source.c_str() + colon + 1, nullptr, 10))};
}

std::string trimmed(const std::string& text) {
    const std::size_t from = text.find_first_not_of(" \t");
    return from == std::string::npos ? ""
                                     : text.substr(from, text.find_last_not_of(" \t") + 1 - from);
}

void find_text(kernel_source_view& view, source_files& files, const ptx_locations* locations,
               const text_lines* ptx) {
    const text_lines* lines = ptx != nullptr ? ptx : files.only_source();
    for (kernel_source_view::row& r : view.rows) {
        if (!r.source.empty()) {
            const auto [file, line] = file_and_line(r.source);
            r.source = without_folder(r.source);
            const text_lines* source = files.named(file);
            if (source != nullptr && line != 0 && line <= source->size())
                view.source_text[r.source] = trimmed((*source)[line - 1]);
        }
        if (r.line == 0) continue;
        if (lines != nullptr && r.line <= lines->size())
            view.text[r.line] = trimmed((*lines)[r.line - 1]);
        if (!r.source.empty() || locations == nullptr || r.line >= locations->at.size()) continue;
        const auto [file, line] = locations->at[r.line];
        const auto name = locations->files.find(file);
        if (line == 0 || name == locations->files.end()) continue;
        r.source = fs::path(name->second).filename().string() + ":" + std::to_string(line);
        const text_lines* source = files.named(name->second);
        if (source != nullptr && line <= source->size())
            view.source_text[r.source] = trimmed((*source)[line - 1]);
    }
}

/// Adds the instructions of a launch to a view. @param row_at  row of each PC
void add_launch(const json& instructions, kernel_source_view& view,
                std::map<std::uint64_t, std::size_t>& row_at) {
    ++view.launches;
    for (const json& i : instructions) {
        const auto pc = i.value("pc", std::uint64_t{0});
        const auto [row, fresh] = row_at.emplace(pc, view.rows.size());
        if (fresh) {
            kernel_source_view::row& r = view.rows.emplace_back();
            r.pc = pc;
            r.opcode = i.value("opcode", "");
            r.text = i.value("text", "");
            r.source = i.value("source", "");
            r.line = static_cast<std::uint32_t>(i.value("line", std::uint64_t{0}));
        }
        add(i, view.rows[row->second], view.blames);
    }
}

/// Views of all launches, and of each launch of the kernels that have several.
std::vector<kernel_source_view> gather(const statistics_run& run) {
    struct sum {
        kernel_source_view view;
        std::map<std::uint64_t, std::size_t> row_at;
    };
    std::vector<sum> sums;
    std::map<std::string, std::size_t> place;
    std::vector<kernel_source_view> launches;
    std::size_t rows = 0;
    for (std::size_t n = 0; n < run.kernels().size(); ++n) {
        const json& k = run.kernels()[n];
        const auto instructions = k.find("instructions");
        if (instructions == k.end() || !instructions->is_array()) continue;
        const kernel_key key = kernel_key::of(k);
        const auto [at, fresh] = place.emplace(key.name, sums.size());
        if (fresh) sums.emplace_back().view.kernel = key.name;
        add_launch(*instructions, sums[at->second].view, sums[at->second].row_at);
        rows += instructions->size();
        constexpr std::size_t max_rows = 20000;
        if (rows > max_rows) continue;
        kernel_source_view& one = launches.emplace_back();
        one.kernel = key.name;
        one.launch = key.list_number != 0 ? key.list_number : key.launch_uid;
        one.kernel_index = n;
        std::map<std::uint64_t, std::size_t> row_at;
        add_launch(*instructions, one, row_at);
    }
    std::vector<kernel_source_view> views;
    for (sum& s : sums) views.push_back(std::move(s.view));
    for (kernel_source_view& v : launches)
        if (views[place.at(v.kernel)].launches > 1) views.push_back(std::move(v));
    return views;
}

}  // namespace

std::vector<kernel_source_view> source_views(const statistics_run& run,
                                             const source_choice& sources) {
    std::vector<kernel_source_view> views = gather(run);
    bool lines = false;
    for (const kernel_source_view& v : views)
        for (const kernel_source_view::row& r : v.rows) lines = lines || r.line != 0;
    source_files files(run, sources);
    // Lines refer to the PTX if PTX was executed, and to the source for machine code.
    const bool executed = std::any_of(views.begin(), views.end(), [](const auto& v) {
        return !v.rows.empty() && !v.rows[0].opcode.empty() &&
               std::islower(static_cast<unsigned char>(v.rows[0].opcode[0])) != 0;
    });
    const text_lines* ptx = executed ? files.ptx() : nullptr;
    std::optional<ptx_locations> locations;
    if (ptx != nullptr) locations.emplace(*ptx);
    for (kernel_source_view& view : views) {
        std::sort(view.rows.begin(), view.rows.end(),
                  [](const auto& a, const auto& b) { return a.pc < b.pc; });
        for (kernel_source_view::row& r : view.rows)
            if (r.issues > 0) r.latency /= r.issues;
        if (lines) view.line_kind = executed ? "PTX" : "source";
        find_text(view, files, locations ? &*locations : nullptr, ptx);
    }
    return views;
}

}  // namespace simtlm::platform::study
