// SPDX-License-Identifier: Apache-2.0
// Compares memories of a GPU: the built-in DRAM, an ideal approximately timed memory, one that
// implements only b_transport, and DRAMSys if it is installed. Every trace runs on one GPU per
// memory, all in one simulation; a table shows cycles, bandwidth, latency and protocol violations
// found by the checkers.
//
//     memory_bandwidth TRACES [--preset NAME] [--dramsys CONFIGURATION.json] [TRACE ...]

#include "expect.h"
#include "gpu_driver.h"
#include "ideal_memory.h"

#include <simtlm/platform/gpu/gpu_blocks.h>
#include <simtlm/simtlm.h>

#ifdef HAVE_DRAMSYS
#if __has_include(<DRAMSys/DRAMSys.h>)
#include <DRAMSys/DRAMSys.h>
#else
#include <DRAMSys/simulation/DRAMSys.h>  // up to version 5.2
#endif
#endif

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace platform_example;
using sc_core::sc_time;

struct arguments {
    std::string traces = "traces", preset = "TINY", dramsys;
    bool wants_dramsys = false;
    std::vector<std::string> names;
};

arguments parse(int argc, char** argv) {
    arguments a;
    if (argc > 1) a.traces = argv[1];
    for (int i = 2; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--preset" && i + 1 < argc)
            a.preset = argv[++i];
        else if (word == "--dramsys" && i + 1 < argc) {
            a.wants_dramsys = true;
            a.dramsys = argv[++i];
        } else
            a.names.push_back(word);
    }
    if (a.names.empty()) a.names = {"vecadd", "reduction"};
    return a;
}

/// Latency of the requests that pass a memory socket, and its protocol checker.
struct watched_pins {
    explicit watched_pins(const std::string& name) : checker(name.c_str()) {}
    simtlm::base_protocol_checker<> checker;
};

/// A GPU with one kind of memory behind all its channels.
class bench : public sc_core::sc_module {
public:
    bench(const sc_core::sc_module_name& name, const std::string& preset, std::string kind)
        : sc_module(name),
          kind_(std::move(kind)),
          gpu("gpu", simtlm::configure({"--preset", preset, "--any-binary-version"}, CONFIGS)),
          cpu(
              "cpu", [this](host_processor& p) { run(p); }, [] {}) {
        cpu.socket.bind(gpu.host);
        cpu.interrupt.bind(irq_);
        gpu.irq.bind(irq_);
        sc_core::sc_spawn([this] { sample(); });
    }

    /// Binds a memory to every channel. @param make  by channel: returns an object with a `socket`
    template <class Memory>
    void attach(const std::function<std::unique_ptr<Memory>(const std::string&)>& make,
                const simtlm::external_memory& how) {
        gpu.set_external_memory(how);
        for (unsigned c = 0; c < gpu.memory.size(); ++c) {
            const std::string n = std::to_string(c);
            std::shared_ptr<Memory> memory = make("memory" + n);
            pins.push_back(std::make_unique<watched_pins>("checker" + n));
            gpu.memory[c].bind(pins.back()->checker.target);
            pins.back()->checker.initiator.bind(socket_of(*memory));
            memories_.push_back(std::move(memory));
        }
    }

    void load(const std::string& list) {
        const simtlm::trace_set set = gpu.load_trace_set(list);
        for (unsigned k = 0; k < set.kernels.size(); ++k) kernels_.push_back(set.first_kernel + k);
    }
    bool finished() const { return cpu.finished(); }
    const std::string& memory_kind() const { return kind_; }
    std::uint64_t cycles() const { return cycles_; }
    std::uint64_t instructions() const { return instructions_; }
    std::uint64_t bytes() const {
        std::uint64_t n = 0;
        for (const auto& c : gpu.channels())
            for (const auto& b : c->counted().traffic) n += b.reads + b.writes;
        return n * gpu.config().memory.partition.dram.atom_bytes();
    }
    /// Mean rate in GB/s while data were moving, and the maximum over the samples.
    double mean_rate() const {
        return moving_ != 0 ? static_cast<double>(bytes()) / (moving_ * window_ns) : 0;
    }
    double best_rate() const { return static_cast<double>(best_) / window_ns; }
    /// Peak rate of all sockets in GB/s: one atom per burst.
    double peak_rate() const {
        const auto& d = gpu.config().memory.partition.dram;
        const double burst = d.burst_length / std::max(1u, d.data_command_freq_ratio);
        return d.atom_bytes() / burst * gpu.config().clocks.dram * 1e-9 *
               static_cast<double>(gpu.memory.size());
    }
    /// Round-trip latency in core cycles of requests through the network, measured at the SM.
    double latency() const {
        const auto& m = gpu.memory_statistics();
        std::uint64_t n = 0;
        for (const std::uint64_t v : m.round_trip.table) n += v;
        return n != 0 ? static_cast<double>(m.round_trip.sum) / static_cast<double>(n) : 0;
    }
    std::size_t findings() const {
        std::size_t n = 0;
        for (const auto& p : pins) n += p->checker.rules.violations().size();
        return n;
    }
    bool drained() const {
        for (const auto& p : pins)
            if (p->checker.rules.in_flight() != 0) return false;
        for (const auto& c : gpu.channels())
            if (!c->idle()) return false;
        return true;
    }

    std::vector<std::unique_ptr<watched_pins>> pins;

private:
    static constexpr double window_ns = 500;

    template <class Memory>
    static auto socket_of(Memory& m) -> decltype((m.socket)) {
        return m.socket;
    }
#ifdef HAVE_DRAMSYS
    static auto& socket_of(DRAMSys::DRAMSys& m) {
        return m.tSocket;
    }
#endif

    void run(host_processor& p) {
        using namespace simtlm;
        host_processor::command c;
        for (const unsigned k : kernels_) {
            c.what = host::command_code::launch;
            c.kernel = k;
            p.submit(0, c);
        }
        c.what = host::command_code::synchronise;  // posted writes have reached memory
        p.submit(0, c);
        p.write(host::irq_clear, ~0u);
        p.write(host::irq_enable, host::idle | host::fault);
        while ((p.read(host::status) & host::busy) != 0) {
            p.wait_for_interrupt();
            p.write(host::irq_clear, host::idle);
        }
        const auto counter = [&](host::counter n) {
            return p.read_wide(host::counters + 8 * static_cast<unsigned>(n));
        };
        cycles_ = counter(host::counter::core_cycles);
        instructions_ = counter(host::counter::thread_instructions);
    }
    void sample() {
        for (std::uint64_t before = 0; !finished();) {
            sc_core::wait(sc_time(window_ns, sc_core::SC_NS));
            const std::uint64_t now = bytes();
            moving_ += now != before;
            best_ = std::max(best_, now - before);
            before = now;
        }
    }

    std::string kind_;

public:
    simtlm::gpu gpu;
    host_processor cpu;

private:
    sc_core::sc_signal<bool> irq_{"irq"};
    std::vector<std::shared_ptr<void>> memories_;
    std::vector<unsigned> kernels_;
    std::uint64_t cycles_ = 0, instructions_ = 0, moving_ = 0, best_ = 0;
};

struct ideal_bench : bench {
    ideal_bench(const sc_core::sc_module_name& name, const std::string& preset)
        : bench(name, preset, "ideal, 50 ns") {
        const sc_time beat(1.0 / gpu.config().clocks.dram, sc_core::SC_SEC);
        attach<ideal_memory>(
            [beat](const std::string& n) {
                return std::make_unique<ideal_memory>(n.c_str(), sc_time(50, sc_core::SC_NS), beat);
            },
            {});
    }
};

struct blocking_bench : bench {
    blocking_bench(const sc_core::sc_module_name& name, const std::string& preset)
        : bench(name, preset, "b_transport, 60 ns") {
        simtlm::external_memory how;
        how.timing = simtlm::memory_timing::loosely_timed;
        attach<blocking_memory>(
            [](const std::string& n) {
                return std::make_unique<blocking_memory>(n.c_str(), sc_time(60, sc_core::SC_NS));
            },
            how);
    }
};

#ifdef HAVE_DRAMSYS
struct dramsys_bench : bench {
    dramsys_bench(const sc_core::sc_module_name& name, const std::string& preset,
                  const std::string& configuration)
        : bench(name, preset, "DRAMSys") {
        const auto config = DRAMSys::Config::from_path(configuration);
        // Device addresses exceed the size of a channel; DRAMSys reports each one and uses the
        // remainder.
        sc_core::sc_report_handler::set_actions("AddressDecoder", sc_core::SC_DO_NOTHING);
        simtlm::external_memory how;
        how.data = simtlm::memory_data::zeros;
        how.addresses = simtlm::memory_addresses::dense;
        attach<DRAMSys::DRAMSys>(
            [&config](const std::string& n) {
                return std::make_unique<DRAMSys::DRAMSys>(n.c_str(), config);
            },
            how);
    }
};
#endif

expectations expect;

void print(const std::vector<std::unique_ptr<bench>>& all) {
    std::printf("  %-20s %10s %10s %10s %8s %10s %9s\n", "memory", "cycles", "mean GB/s",
                "best GB/s", "of peak", "latency", "findings");
    for (const auto& b : all)
        std::printf("  %-20s %10llu %10.1f %10.1f %7.0f%% %10.0f %9zu\n", b->memory_kind().c_str(),
                    static_cast<unsigned long long>(b->cycles()), b->mean_rate(), b->best_rate(),
                    100 * b->best_rate() / b->peak_rate(), b->latency(), b->findings());
}

int run(const arguments& a) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    std::vector<std::unique_ptr<bench>> all;
    all.push_back(std::make_unique<bench>("built_in", a.preset, "built-in DRAM"));
    all.push_back(std::make_unique<ideal_bench>("ideal", a.preset));
    all.push_back(std::make_unique<blocking_bench>("blocking", a.preset));
#ifdef HAVE_DRAMSYS
    if (!a.dramsys.empty())
        all.push_back(std::make_unique<dramsys_bench>("dramsys", a.preset, a.dramsys));
#endif
    for (const std::string& name : a.names)
        for (const auto& b : all)
            b->load((name.find('/') == std::string::npos ? a.traces + "/" + name : name) +
                    "/kernelslist.g");
    const auto finished = [&] {
        return std::all_of(all.begin(), all.end(), [](const auto& b) { return b->finished(); });
    };
    for (int ms = 0; ms < 1000 && !finished(); ++ms) sc_core::sc_start(sc_time(1, sc_core::SC_MS));
    expect(finished(), "all GPUs finish");
    print(all);
    for (const auto& b : all) {
        expect(b->instructions() == all[0]->instructions() && b->instructions() > 0,
               b->memory_kind() + ": the same instructions run whatever the memory");
        expect(b->findings() == 0, b->memory_kind() + ": the base protocol was kept");
        expect(b->drained(), b->memory_kind() + ": a synchronisation leaves nothing under way");
        expect(b->bytes() > 0, b->memory_kind() + ": bytes moved");
    }
    // In a short run, the initial clock phases account for up to ten percent.
    expect(all[1]->cycles() <= all[0]->cycles() * 5 / 4,
           "an ideal memory is not much slower than the built-in DRAM");
    return expect.failed == 0 ? 0 : 1;
}

}  // namespace

/// Exit code for a run whose prerequisites are missing.
constexpr int skipped = 77;

int sc_main(int argc, char** argv) {
    const arguments a = parse(argc, argv);
#ifndef HAVE_DRAMSYS
    std::cout << "  DRAMSys is not installed: left out\n";
    if (a.wants_dramsys) return skipped;
#else
    if (a.dramsys.empty()) std::cout << "  no DRAMSys configuration named: left out\n";
    if (a.wants_dramsys && a.dramsys.empty()) return skipped;
#endif
    return run(a);
}
