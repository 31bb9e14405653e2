// SPDX-License-Identifier: Apache-2.0
#include "platform/debugger/debugger.h"

#include "tests/fuzz/targets/fuzz_input.h"

#include <cstring>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace simtlm;
using namespace simtlm::platform;

/// One warp on the first of two SMs, and 256 bytes of memory at 0x1000.
class small_target final : public debug_target {
public:
    small_target() {
        warp_.owner.launch = 1;
        warp_.owner.kernel = "kernel";
        warp_.owner.first_thread = 1;
        warp_.pc = 0x10;
        warp_.active_mask = 0xff;
        warp_.code = &code_;
        code_.opcode = "LDG.E";
        code_.pc = 0x10;
        code_.source_line = 3;
    }
    /// An instruction that loads or stores.
    instruction_event event(bool store) const {
        instruction_event e;
        e.owner = &warp_.owner;
        e.pc = warp_.pc;
        e.active_mask = warp_.active_mask;
        e.opcode = "LDG.E";
        e.identity = &code_;
        e.code = &code_;
        e.is_load = !store;
        e.is_store = store;
        e.ranges = &ranges_;
        return e;
    }
    void advance() { ++time_; }

    std::uint64_t time() const override { return time_; }
    const char* time_unit() const override { return "core cycle"; }
    unsigned sms() const override { return 2; }
    std::vector<kernel_view> kernels() const override { return {kernel()}; }
    static kernel_view kernel() {
        kernel_view k;
        k.launch = 1;
        k.name = "kernel";
        return k;
    }
    std::vector<warp_view> warps(std::optional<unsigned> sm) const override {
        if (sm && *sm >= sms()) std::abort();
        return sm && *sm != 0 ? std::vector<warp_view>{} : std::vector<warp_view>{warp_};
    }
    std::optional<warp_view> warp(warp_id id) const override {
        if (!(id == warp_.id)) return std::nullopt;
        return warp_;
    }
    const warp_owner& owner() const { return warp_.owner; }
    std::string where(const instruction_event&) const override { return "a.ptx:3 (b.cu:7)"; }
    std::string text(const instruction_event&) const override { return "LDG.E R1, [R2]"; }
    std::string where(const warp_view&) const override { return "a.ptx:3 (b.cu:7)"; }
    std::string text(const warp_view&) const override { return "LDG.E R1, [R2]"; }
    std::vector<std::string> listing(const warp_view&, unsigned around) const override {
        if (around > 1000000) std::abort();
        return {"=> LDG.E R1, [R2]"};
    }
    std::string registers(warp_id id, unsigned lane) const override {
        if (lane >= 32) std::abort();
        if (!(id == warp_.id)) return {};
        return "    R1 = 0x3fc00000 (1.5)\n    %r2 = 0x7\n    P0 = true\n";
    }
    bool read(program::memory_space space, warp_id, unsigned lane, std::uint64_t address,
              std::size_t bytes, std::byte* to) const override {
        if (lane >= 32) std::abort();
        if (space != program::memory_space::global || address < 0x1000 || address >= 0x1100 ||
            bytes > 0x1100 - address)
            return false;
        std::memset(to, static_cast<int>(time_), bytes);
        return true;
    }
    std::optional<memory_range> symbol(const std::string& name) const override {
        if (name != "table") return std::nullopt;
        return memory_range{0x1000, 0x100};
    }
    std::optional<long double> variable(const std::string& name) const override {
        if (name == "cycle") return time_;
        if (name == "gpu.sm0:issued") return 12;
        return std::nullopt;
    }
    std::string pipeline(unsigned sm) const override {
        if (sm >= sms()) std::abort();
        return "pipeline\n";
    }
    std::string partition(unsigned) const override { return "partition\n"; }
    std::string waits() const override { return "nothing\n"; }

private:
    warp_view warp_;
    program::static_instruction code_;
    std::vector<memory_range> ranges_ = {{0x1000, 8}, {0xfffffffffffffff0, 16}};
    std::uint64_t time_ = 0;
};

}  // namespace

/// A session: one command per line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    small_target target;
    std::size_t written = 0;
    bool quits = false;
    debugger d(target, command_input::lines(std::move(lines)),
               {[&](std::string_view text) { written += text.size(); }, [&] { quits = true; }, {}});
    d.begin("fuzz");
    d.kernel_launched(target.kernel());
    d.cta_started({}, target.owner());
    for (unsigned i = 0; i < 64 && !quits; ++i) {
        target.advance();
        if (d.follows_instructions()) d.instruction(target.event(i % 2 == 0));
        d.tick();
    }
    d.kernel_ended(target.kernel());
    d.end();
    return 0;
}
