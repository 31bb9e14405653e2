// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/sass/instruction.h"
#include "modules/trace_import/protobuf_trace.pb.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace simtlm::test {

/// A static instruction of a protobuf trace.
struct protobuf_line {
    std::string opcode;
    std::vector<std::string> operands;
    std::optional<sass::instruction_word> word;
    bool has_result = false;
};

/// A trace as the tracer of Huerta et al. (MICRO 2025) writes it, whose parts can be modified
/// before it is written.
class protobuf_folder {
public:
    trace_import::messages::trace trace;
    nlohmann::json code = {{"benchmark_name", "test"}, {"kernels", nlohmann::json::array()}};
    std::map<std::string, trace_import::messages::thread_block> blocks;  ///< by file

    /// Adds a function.
    void add_function(int id, const std::string& name, unsigned architecture,
                      const std::vector<protobuf_line>& lines) {
        nlohmann::json instructions = nlohmann::json::array();
        bool has_words = true;
        for (const protobuf_line& line : lines) {
            nlohmann::json operands = nlohmann::json::array();
            for (const std::string& o : line.operands) operands.push_back({{"operand_string", o}});
            nlohmann::json words = nlohmann::json::array();
            if (line.word)
                words = {fmt::format("{:#018x}", line.word->low),
                         fmt::format("{:#018x}", line.word->high)};
            has_words = has_words && line.word;
            instructions.push_back(
                {{"pc_string_hex", fmt::format("{:04x}", 16 * instructions.size())},
                 {"op_code", line.opcode},
                 {"num_destination_registers", line.has_result ? 1 : 0},
                 {"encoded_instruction", words},
                 {"operands", operands}});
        }
        code["kernels"].push_back({{"kernel_name", name + "___0"},
                                   {"architecture_version", architecture},
                                   {"is_captured_from_binary", has_words},
                                   {"unique_function_id", id},
                                   {"function_address", 0x7000 + 0x1000 * id},
                                   {"instructions", instructions}});
    }

    void add_copy(std::int64_t stream, std::uint64_t address, std::uint64_t bytes,
                  std::int64_t device = 0) {
        stream_of(device, stream).add_events(fmt::format("MemcpyHtoD,{:#018x},{}", address, bytes));
    }

    /// Adds a launch of a grid of `grid` blocks of `block` threads.
    trace_import::messages::kernel_launch& add_launch(int id, int function, const std::string& name,
                                                      int grid, int block, std::int64_t stream = 0,
                                                      std::int64_t device = 0) {
        auto& s = stream_of(device, stream);
        s.add_events(fmt::format("kernel-{}.trace", id));
        auto& k = *s.add_kernels();
        k.set_id(id);
        k.set_name(name + "___0");
        k.set_function(function);
        k.set_registers(32);
        k.set_shared_base(0x7f0000000000);
        k.set_local_base(0x7f0002000000);
        set(*k.mutable_grid(), grid, 1, 1);
        set(*k.mutable_block(), block, 1, 1);
        return k;
    }

    static std::string block_file(int kernel, int x, int y = 0, int z = 0, std::int64_t stream = 0,
                                  std::int64_t device = 0) {
        return fmt::format(
            "threadblocks/device_{0}/stream_{1}/kernel_{2}/d_{0}_s_{1}_k_{2}_{3},{4},{5}.pb",
            device, stream, kernel, x, y, z);
    }

    /// A thread block, added if it does not exist.
    trace_import::messages::thread_block& block(int kernel, int x, int y = 0, int z = 0,
                                                std::int64_t stream = 0, std::int64_t device = 0) {
        auto& b = blocks[block_file(kernel, x, y, z, stream, device)];
        set(*b.mutable_index(), x, y, z);
        return b;
    }

    /// Appends the execution of an instruction to a warp.
    static trace_import::messages::instruction& execute(trace_import::messages::thread_block& block,
                                                        int warp, int function, std::uint32_t pc,
                                                        std::uint32_t active = 0xffffffff,
                                                        std::uint32_t guard = 0xffffffff) {
        auto& w = (*block.mutable_warps())[warp];
        w.set_id(warp);
        auto& i = *w.add_instructions();
        i.set_pc(pc);
        i.set_function(function);
        i.set_active_mask(active);
        i.set_guard_mask(active & guard);
        return i;
    }

    static void add_list(trace_import::messages::instruction& i,
                         const std::vector<std::uint64_t>& addresses, int width = 4) {
        auto& a = *i.add_operands();
        a.set_width(width);
        a.set_form(0);
        for (const std::uint64_t v : addresses) a.add_values(static_cast<std::int64_t>(v));
    }
    static void add_stride(trace_import::messages::instruction& i, std::uint64_t base, int stride,
                           int width = 4) {
        auto& a = *i.add_operands();
        a.set_width(width);
        a.set_form(1);
        a.set_base(base);
        a.set_stride(stride);
    }
    static void add_distances(trace_import::messages::instruction& i, std::uint64_t base,
                              const std::vector<std::int64_t>& distances, int width = 4) {
        auto& a = *i.add_operands();
        a.set_width(width);
        a.set_form(2);
        a.set_base(base);
        for (const std::int64_t d : distances) a.add_values(d);
    }

    /// Writes all files.
    void write(const std::string& folder) const {
        write(folder, "dynamic_trace.pb", trace.SerializeAsString());
        write(folder, "extra_info/enhanced_execution_info.json", code.dump());
        for (const auto& [file, b] : blocks) write(folder, file, b.SerializeAsString());
    }
    static void write(const std::string& folder, const std::string& file,
                      const std::string& contents) {
        const std::filesystem::path path = std::filesystem::path(folder) / file;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << contents;
    }

    static void set(trace_import::messages::extent& e, int x, int y, int z) {
        e.set_x(x);
        e.set_y(y);
        e.set_z(z);
    }

private:
    trace_import::messages::stream& stream_of(std::int64_t device, std::int64_t stream) {
        auto& d = (*trace.mutable_devices())[device];
        d.set_id(static_cast<std::uint32_t>(device));
        auto& s = (*d.mutable_streams())[stream];
        s.set_id(stream);
        return s;
    }
};

}  // namespace simtlm::test
