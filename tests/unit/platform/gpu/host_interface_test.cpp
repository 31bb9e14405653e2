// SPDX-License-Identifier: Apache-2.0
#include "platform/gpu/host_interface.h"

#include "modules/protocol/base_protocol_checker.h"
#include "modules/protocol/phases.h"
#include "modules/simulation/spawn.h"
#include "platform/gpu/device_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstring>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

namespace simtlm::platform {
namespace {

using host::command_code;
using sc_core::sc_time;
constexpr std::uint32_t w0 = host::first_window;
constexpr auto rd = tlm::TLM_READ_COMMAND;
constexpr auto wr = tlm::TLM_WRITE_COMMAND;

sc_time ns(double n) {
    return {n, sc_core::SC_NS};
}

/// Copies complete immediately; launches on request of the test.
struct fake_device : host_device {
    host_interface* interface = nullptr;
    std::vector<dispatch::host_command> executed;
    std::vector<sc_time> executed_at;
    std::set<std::uint64_t> running;
    bool is_quiet = true, is_stopped = false, aborted = false, cleared = false;
    std::uint64_t cycles = 0x123456789abcdef0;
    std::string obstacle;  // to a reset

    void execute(const dispatch::host_command& c) override {
        executed.push_back(c);
        executed_at.push_back(sc_core::sc_time_stamp());
        if (c.what == dispatch::host_command::kind::launch)
            running.insert(c.tag);
        else
            interface->completed(c.tag);
    }
    void finish(std::size_t i) {
        running.erase(executed[i].tag);
        interface->completed(executed[i].tag);
    }
    void abort() override {
        aborted = true;
        for (const std::uint64_t tag : running) interface->completed(tag);
        running.clear();
    }
    std::string obstacle_to_reset() const override { return obstacle; }
    void resume() override { is_stopped = false; }
    std::string reset_timed_out() override {
        is_stopped = true;
        return "a request";
    }
    bool quiet() const override { return is_quiet; }
    bool drained() const override { return is_quiet && running.empty(); }
    void clear() override { cleared = true; }
    bool stopped() const override { return is_stopped; }
    std::uint64_t count(host::counter c) const override {
        return c == host::counter::core_cycles ? cycles : 7;
    }
};

/// A payload with a memory manager that records its end.
struct managed : tlm::tlm_mm_interface {
    tlm::tlm_generic_payload payload{this};
    std::array<unsigned char, 64> data{};
    bool freed = false;
    managed(tlm::tlm_command command, std::uint64_t address, std::uint32_t value = 0) {
        payload.acquire();
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(data.data());
        payload.set_data_length(4);
        payload.set_streaming_width(4);
        std::memcpy(data.data(), &value, 4);
    }
    void free(tlm::tlm_generic_payload* p) override {
        p->reset();
        freed = true;
    }
    std::uint32_t value() const {
        std::uint32_t v = 0;
        std::memcpy(&v, data.data(), 4);
        return v;
    }
};

/// The interface between a clock, a fake GPU and an initiator monitored by a protocol checker.
struct harness : sc_core::sc_module {
    simulation::phase_sequencer sequencer{"sequencer", protocol::clock_domains,
                                          protocol::phase_table()};
    sc_core::sc_clock clock{"clock", ns(1)};
    host_interface::socket port{"port"};
    sc_core::sc_out<bool> irq{"irq"};
    sc_core::sc_in<bool> reset{"reset"};
    sc_core::sc_signal<bool> irq_line{"irq_line"}, reset_line{"reset_line"};
    copy_engine::socket host_memory{"host_memory"};
    fake_device device;
    const gpu_config config;
    device_context context{config};
    host_interface interface;
    protocol::base_protocol_checker<> checker{"checker"};
    tlm_utils::simple_initiator_socket<harness> initiator{"initiator"};
    std::function<void()> body;
    std::vector<std::pair<tlm::tlm_phase, sc_time>> heard;
    bool hold_response = false;  // withholds END_RESP

    static host_interface::settings settings() {
        host_interface::settings s;
        s.latency = ns(4);
        s.cycle = ns(1);
        s.queue_depth = 4;
        s.request_depth = 2;
        s.sms = 2;
        s.channels = 3;
        s.reset_timeout = 100;
        return s;
    }

    harness(const sc_core::sc_module_name& name, std::function<void()> what)
        : sc_module(name),
          interface("interface", sequencer, settings(), device, context,
                    host_interface::pins{port, irq, reset, host_memory}),
          body(std::move(what)) {
        device.interface = &interface;
        for (auto& domain : sequencer.clock) domain.bind(clock);
        irq.bind(irq_line);
        reset.bind(reset_line);
        initiator.bind(checker.target);
        checker.initiator.bind(port);
        initiator.register_nb_transport_bw(this, &harness::nb_transport_bw);
        initiator.register_invalidate_direct_mem_ptr(this, &harness::invalidated);
        simulation::spawn_thread("run", [this] { run(); });
    }
    void run() {
        if (body) body();
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase& phase, sc_time&) {
        heard.emplace_back(phase, sc_core::sc_time_stamp());
        if (phase == tlm::BEGIN_RESP && !hold_response) return tlm::TLM_COMPLETED;
        return tlm::TLM_ACCEPTED;
    }

    std::vector<std::pair<std::uint64_t, std::uint64_t>> taken_back;  // invalidated DMI ranges
    void invalidated(sc_dt::uint64 first, sc_dt::uint64 last) {
        taken_back.emplace_back(first, last);
    }

    sc_time local;  // time by which the test runs ahead
    tlm::tlm_response_status access(tlm::tlm_generic_payload& p) {
        p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        initiator->b_transport(p, local);
        return p.get_response_status();
    }
    tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, void* data,
                                    unsigned bytes, unsigned streaming = ~0u,
                                    unsigned char* enables = nullptr, unsigned enable_bytes = 0) {
        tlm::tlm_generic_payload p;
        p.set_command(command);
        p.set_address(address);
        p.set_data_ptr(static_cast<unsigned char*>(data));
        p.set_data_length(bytes);
        p.set_streaming_width(streaming == ~0u ? bytes : streaming);
        p.set_byte_enable_ptr(enables);
        p.set_byte_enable_length(enable_bytes);
        return access(p);
    }
    std::uint32_t read(std::uint64_t address) {
        std::uint32_t v = 0;
        EXPECT_EQ(access(tlm::TLM_READ_COMMAND, address, &v, 4), tlm::TLM_OK_RESPONSE);
        return v;
    }
    tlm::tlm_response_status write(std::uint64_t address, std::uint32_t v) {
        return access(tlm::TLM_WRITE_COMMAND, address, &v, 4);
    }
    tlm::tlm_response_status command(command_code what, std::uint32_t stream = 0,
                                     unsigned window = 0) {
        const std::uint32_t w = w0 + window * host::window_bytes;
        write(w + host::command, static_cast<std::uint32_t>(what));
        write(w + host::stream, stream);
        return write(w + host::doorbell, 1);
    }
    void pass(const sc_time& t) {
        sc_core::wait(t);
        local = sc_core::SC_ZERO_TIME;
    }
    tlm::tlm_sync_enum begin(managed& m, sc_time delay = {}) {
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        return initiator->nb_transport_fw(m.payload, phase, delay);
    }
    void end(managed& m) { protocol::end_response(initiator, m.payload); }
};

/// Runs a test as the software of the harness.
void story(const std::function<void(harness&)>& scenario) {
    harness* self = nullptr;
    bool finished = false;
    harness h("harness", [&] {
        scenario(*self);
        finished = true;
    });
    self = &h;
    sc_core::sc_start(sc_time(1, sc_core::SC_MS));
    EXPECT_TRUE(finished);
    EXPECT_EQ(h.checker.rules.in_flight(), 0u) << h.checker.rules.describe_in_flight();
    EXPECT_TRUE(h.checker.rules.violations().empty());
}

TEST(HostInterface, HasIdentificationRegisters) {
    story([](harness& h) {
        EXPECT_EQ(h.read(host::id), host::id_value);
        EXPECT_EQ(h.read(host::version), host::version_value);
        EXPECT_EQ(h.read(host::sms), 2u);
        EXPECT_EQ(h.read(host::channels), 3u);
        EXPECT_EQ(h.read(host::queue_space), 4u);
        EXPECT_EQ(h.read(0x3fc), 0u) << "reserved words read as zero";
    });
}

TEST(HostInterface, AnnotatesItsLatencyWithoutWaiting) {
    story([](harness& h) {
        h.read(host::id);
        EXPECT_EQ(h.local, ns(4));
        h.write(w0 + host::tag, 5);
        EXPECT_EQ(h.local, ns(8));
        EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME);
    });
}

TEST(HostInterface, WaitsForTheAnnotatedTimeBeforeItReadsTimeDependentRegisters) {
    story([](harness& h) {
        h.local = ns(100);
        h.read(host::status);
        EXPECT_EQ(sc_core::sc_time_stamp(), ns(100));
        EXPECT_EQ(h.local, ns(4));
    });
}

TEST(HostInterface, ExecutesACommandAtTheFirstEdgeAfterTheAnnotatedTimeOfItsDoorbell) {
    story([](harness& h) {
        h.write(w0 + host::command, static_cast<std::uint32_t>(command_code::fill));
        h.local = ns(50);
        h.write(w0 + host::doorbell, 1);
        EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME);
        h.pass(ns(100));
        ASSERT_EQ(h.device.executed.size(), 1u);
        EXPECT_EQ(h.device.executed_at[0], ns(51)) << "an edge at the time itself is too early";
    });
}

TEST(HostInterface, PassesAddressSizeKernelAndStreamToTheDevice) {
    story([](harness& h) {
        h.interface.add_kernel("a", "list:1", 3);
        h.interface.add_kernel("b", "list:2", 9);
        std::array<std::uint32_t, 8> words = {1, 0x10, 0x7f58, 0x40, 0, 1, host::any_stream, 77};
        EXPECT_EQ(h.access(tlm::TLM_WRITE_COMMAND, w0, words.data(), 32), tlm::TLM_OK_RESPONSE);
        h.write(w0 + host::doorbell, 1);
        h.pass(ns(20));
        EXPECT_EQ(h.command(command_code::launch, host::any_stream), tlm::TLM_OK_RESPONSE);
        h.pass(ns(20));
        ASSERT_EQ(h.device.executed.size(), 2u);
        EXPECT_EQ(h.device.executed[0].address, 0x7f5800000010u);
        EXPECT_EQ(h.device.executed[0].bytes, 0x40u);
        EXPECT_EQ(h.device.executed[1].file, "b");
        EXPECT_EQ(h.device.executed[1].stream, 9u) << "the stream that the trace names";
        EXPECT_EQ(h.read(w0 + host::last_tag), 77u);
        h.device.finish(1);
        h.pass(ns(5));
        EXPECT_EQ(h.read(host::completed), 2u);
    });
}

TEST(HostInterface, KeepsTheOrderWithinAStreamAndNoneBetweenStreams) {
    story([](harness& h) {
        h.interface.add_kernel("k", "", 0);
        h.command(command_code::launch, 1);
        h.command(command_code::copy_from_device, 1);
        h.command(command_code::copy_from_device, 2);
        h.pass(ns(50));
        ASSERT_EQ(h.device.executed.size(), 2u) << "the copy of stream 1 waits for its kernel";
        EXPECT_EQ(h.read(host::completed), 1u);
        h.device.finish(0);
        h.pass(ns(10));
        EXPECT_EQ(h.device.executed.size(), 3u);
        EXPECT_EQ(h.read(host::completed), 3u);
        EXPECT_EQ(h.read(host::status), 0u);
    });
}

TEST(HostInterface, BlocksCommandsAfterASynchronisation) {
    story([](harness& h) {
        h.interface.add_kernel("k", "", 0);
        h.command(command_code::launch, 1);
        h.command(command_code::synchronise);
        h.command(command_code::fill, 2);
        h.pass(ns(50));
        EXPECT_EQ(h.device.executed.size(), 1u);
        h.device.finish(0);
        h.pass(ns(10));
        EXPECT_EQ(h.device.executed.size(), 2u);
        EXPECT_EQ(h.read(host::completed), 3u);
    });
}

TEST(HostInterface, ASynchronisationDrainsTheMemorySystem) {
    story([](harness& h) {
        h.device.is_quiet = false;
        h.command(command_code::fill);
        h.command(command_code::synchronise);
        h.command(command_code::fill);
        h.pass(ns(50));
        EXPECT_EQ(h.device.executed.size(), 1u);
        EXPECT_EQ(h.read(host::completed), 1u);
        EXPECT_EQ(h.read(host::status), host::busy | host::memory_busy);
        h.device.is_quiet = true;
        h.pass(ns(10));
        EXPECT_EQ(h.device.executed.size(), 2u);
        EXPECT_EQ(h.read(host::completed), 3u);
        EXPECT_EQ(h.read(host::status), 0u);
    });
}

TEST(HostInterface, ReportsBusyMemoryWithoutARunningCommand) {
    story([](harness& h) {
        h.device.is_quiet = false;
        h.pass(ns(5));
        EXPECT_EQ(h.read(host::status), host::memory_busy);
    });
}

TEST(HostInterface, AnEventWaitsForItsStreamOnly) {
    story([](harness& h) {
        h.interface.add_kernel("k", "", 0);
        h.command(command_code::launch, 1);
        h.command(command_code::event, 2);
        h.command(command_code::event, 1);
        h.pass(ns(50));
        EXPECT_EQ(h.read(host::completed), 1u);
        h.device.finish(0);
        h.pass(ns(10));
        EXPECT_EQ(h.read(host::completed), 3u);
    });
}

TEST(HostInterface, RaisesTheInterruptOnlyWhereEnabledAndUntilItIsCleared) {
    story([](harness& h) {
        h.command(command_code::event, 0, 3);
        h.pass(ns(30));
        EXPECT_FALSE(h.irq_line.read());
        EXPECT_EQ(h.read(host::irq_status),
                  host::command_done | host::idle | host::window_done << 3);
        h.write(host::irq_enable, host::window_done << 3);
        h.pass(ns(1));
        EXPECT_TRUE(h.irq_line.read());
        h.write(host::irq_clear, host::window_done << 3);
        h.pass(ns(1));
        EXPECT_FALSE(h.irq_line.read());
        EXPECT_EQ(h.read(host::irq_status), host::command_done | host::idle);
    });
}

TEST(HostInterface, RejectsInvalidCommandsWithAReason) {
    story([](harness& h) {
        EXPECT_EQ(h.command(static_cast<command_code>(99)), tlm::TLM_GENERIC_ERROR_RESPONSE);
        EXPECT_EQ(h.read(host::error), 1u);
        EXPECT_EQ(h.command(command_code::launch), tlm::TLM_GENERIC_ERROR_RESPONSE);
        EXPECT_EQ(h.read(host::error), 1u) << "the first error stays";
        h.write(host::error, 0);
        h.interface.add_kernel("k", "", 0);
        for (unsigned i = 0; i < 4; ++i)
            EXPECT_EQ(h.command(command_code::launch), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(h.read(host::queue_space), 0u);
        EXPECT_EQ(h.command(command_code::launch), tlm::TLM_GENERIC_ERROR_RESPONSE);
        EXPECT_EQ(h.read(host::error), 3u);
        EXPECT_NE(h.read(host::irq_status) & host::fault, 0u);
        h.device.is_stopped = true;
        EXPECT_NE(h.read(host::status) & host::stopped, 0u);
    });
}

TEST(HostInterface, FailsTheCommandsOfADeviceThatHasStopped) {
    story([](harness& h) {
        h.interface.add_kernel("k", "", 0);
        for (int i = 0; i < 3; ++i) h.command(command_code::launch);
        EXPECT_NE(h.read(host::status) & host::busy, 0u);
        h.device.is_stopped = true;
        h.device.interface->device_stopped(host::error_code::gpu_stopped, "a deadlock");
        EXPECT_EQ(h.read(host::status) & host::busy, 0u);
        EXPECT_NE(h.read(host::status) & host::failed, 0u);
        EXPECT_EQ(h.read(host::completed), h.read(host::submitted));
        EXPECT_EQ(h.read(host::first_window + host::result_hi), host::failed_result);
        EXPECT_EQ(h.command(command_code::launch), tlm::TLM_GENERIC_ERROR_RESPONSE);
    });
}

TEST(HostInterface, ResetsADeviceThatHasStopped) {
    story([](harness& h) {
        h.device.is_stopped = true;
        h.device.interface->device_stopped(host::error_code::gpu_stopped, "a deadlock");
        h.write(host::control, host::reset);
        h.pass(ns(10));
        EXPECT_TRUE(h.device.aborted);
        EXPECT_TRUE(h.device.cleared);
        EXPECT_EQ(h.read(host::status), 0u);
        EXPECT_EQ(h.command(command_code::fill), tlm::TLM_OK_RESPONSE);
    });
}

TEST(HostInterface, SaysWhyAResetCannotBringBackADevice) {
    story([](harness& h) {
        const auto message = [&h] {
            std::array<char, host::message_bytes> text{};
            EXPECT_EQ(h.access(rd, host::message, text.data(), host::message_bytes),
                      tlm::TLM_OK_RESPONSE);
            return std::string(text.data());
        };
        h.device.is_stopped = true;
        h.device.obstacle = "something broke";
        h.write(host::control, host::reset);
        EXPECT_EQ(h.read(host::status), host::failed | host::stopped);
        EXPECT_EQ(h.read(host::error), static_cast<std::uint32_t>(host::error_code::gpu_stopped));
        EXPECT_EQ(message(), "a reset cannot revive the GPU: something broke");
        h.device.obstacle.clear();
        h.device.is_quiet = false;
        h.write(host::control, host::reset);
        h.pass(ns(50));
        EXPECT_EQ(h.read(host::status), host::resetting | host::memory_busy);
        h.pass(ns(100));
        EXPECT_EQ(h.read(host::status), host::failed | host::stopped | host::memory_busy);
        EXPECT_EQ(message(), "a reset does not end: a request");
        h.device.is_quiet = true;  // the memory has answered
        h.write(host::control, host::reset);
        h.pass(ns(10));
        EXPECT_EQ(h.read(host::status), 0u);
    });
}

TEST(HostInterface, AnswersInvalidAccessesAsTheTlmStandardRequires) {
    story([](harness& h) {
        std::array<std::uint32_t, 300> words{};
        EXPECT_EQ(h.access(rd, 2, words.data(), 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(h.access(rd, host::map_bytes, words.data(), 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(h.access(rd, 0x3fc, words.data(), 8), tlm::TLM_BURST_ERROR_RESPONSE);
        EXPECT_EQ(h.access(rd, 0, words.data(), 1200), tlm::TLM_BURST_ERROR_RESPONSE);
        EXPECT_EQ(h.access(rd, 0, words.data(), 3), tlm::TLM_BURST_ERROR_RESPONSE);
        EXPECT_EQ(h.access(rd, 0, words.data(), 8, 6), tlm::TLM_BURST_ERROR_RESPONSE);
        EXPECT_EQ(h.access(wr, host::id, words.data(), 4), tlm::TLM_COMMAND_ERROR_RESPONSE);
        EXPECT_EQ(h.access(tlm::TLM_IGNORE_COMMAND, 0, words.data(), 4), tlm::TLM_OK_RESPONSE);
        // Bypasses the checker, which would correctly report a violation.
        tlm::tlm_generic_payload p;
        sc_time delay;
        unsigned char byte = 0xff;
        const auto direct = [&] {
            p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
            h.checker.initiator->b_transport(p, delay);
            return p.get_response_status();
        };
        p.set_read();
        p.set_address(0);
        p.set_data_ptr(reinterpret_cast<unsigned char*>(words.data()));
        p.set_data_length(0);
        p.set_streaming_width(4);
        EXPECT_EQ(direct(), tlm::TLM_BURST_ERROR_RESPONSE);
        p.set_data_length(4);
        p.set_streaming_width(0);
        EXPECT_EQ(direct(), tlm::TLM_BURST_ERROR_RESPONSE);
        p.set_streaming_width(4);
        p.set_byte_enable_ptr(&byte);
        p.set_byte_enable_length(0);
        EXPECT_EQ(direct(), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    });
}

TEST(HostInterface, ServesByteEnablesStreamingAndBursts) {
    story([](harness& h) {
        h.write(w0 + host::tag, 0x11223344);
        std::uint32_t v = 0xaabbccdd;
        std::array<unsigned char, 2> every_second = {0xff, 0x00};
        EXPECT_EQ(
            h.access(tlm::TLM_WRITE_COMMAND, w0 + host::tag, &v, 4, 4, every_second.data(), 2),
            tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(h.read(w0 + host::tag), 0x11bb33ddu);
        // A streaming burst to one register: the last word remains.
        std::array<std::uint32_t, 3> three = {1, 2, 3};
        EXPECT_EQ(h.access(tlm::TLM_WRITE_COMMAND, w0 + host::tag, three.data(), 12, 4),
                  tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(h.read(w0 + host::tag), 3u);
        std::uint64_t wide = 0;
        EXPECT_EQ(h.access(tlm::TLM_READ_COMMAND, host::counters, &wide, 8), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(wide, 0x123456789abcdef0u);
        h.read(host::counters);
        h.device.cycles = 0;
        EXPECT_EQ(h.read(host::counters + 4), 0x12345678u) << "as it was when _LO was read";
    });
}

TEST(HostInterface, IsReadByDebuggersWithoutEffectAtAnyAlignmentAndRejectsDmi) {
    story([](harness& h) {
        tlm::tlm_generic_payload p;
        std::array<unsigned char, 8> bytes{};
        p.set_read();
        p.set_address(host::counters + 1);
        p.set_data_ptr(bytes.data());
        p.set_data_length(8);
        EXPECT_EQ(h.initiator->transport_dbg(p), 8u);
        EXPECT_EQ(bytes[0], 0xde) << "the counter's second byte";
        p.set_address(0x3fe);
        EXPECT_EQ(h.initiator->transport_dbg(p), 2u) << "up to the end of the map";
        p.set_address(host::map_bytes);
        EXPECT_EQ(h.initiator->transport_dbg(p), 0u);
        p.set_address(w0 + host::doorbell);
        p.set_write();
        EXPECT_EQ(h.initiator->transport_dbg(p), 0u) << "no write by debug";
        tlm::tlm_dmi dmi;
        p.set_read();
        EXPECT_FALSE(h.initiator->get_direct_mem_ptr(p, dmi));
        EXPECT_TRUE(dmi.is_none_allowed());
        EXPECT_FALSE(p.is_dmi_allowed());
    });
}

TEST(HostInterface, FollowsTheFourPhaseProtocolWithItsLatency) {
    story([](harness& h) {
        managed m(tlm::TLM_READ_COMMAND, host::id);
        h.hold_response = true;
        EXPECT_EQ(h.begin(m, ns(10)), tlm::TLM_ACCEPTED);
        h.pass(ns(30));
        ASSERT_EQ(h.heard.size(), 2u);
        EXPECT_EQ(h.heard[0].first, tlm::END_REQ);
        EXPECT_EQ(h.heard[0].second, ns(10)) << "the annotated time of BEGIN_REQ";
        EXPECT_EQ(h.heard[1].first, tlm::BEGIN_RESP);
        EXPECT_EQ(h.heard[1].second, ns(14));
        EXPECT_EQ(m.value(), host::id_value);
        h.end(m);
        m.payload.release();
        EXPECT_TRUE(m.freed) << "nobody keeps a reference";
    });
}

TEST(HostInterface, WithholdsEndReqWhileItIsFullAndTheNextResponseUntilEndResp) {
    story([](harness& h) {
        h.hold_response = true;
        managed a(tlm::TLM_READ_COMMAND, host::id), b(tlm::TLM_READ_COMMAND, host::version),
            c(tlm::TLM_READ_COMMAND, host::sms), d(tlm::TLM_READ_COMMAND, host::channels);
        for (managed* m : {&a, &b, &c}) {
            h.begin(*m);
            h.pass(ns(1));
        }
        h.pass(ns(50));  // a is at BEGIN_RESP, b and c fill the queue
        h.begin(d);
        h.pass(ns(50));
        EXPECT_EQ(h.heard.size(), 4u) << "END_REQ of a, b, c and BEGIN_RESP of a";
        h.end(a);
        h.pass(ns(50));
        EXPECT_EQ(h.heard.size(), 6u) << "BEGIN_RESP of b makes room: END_REQ of d";
        h.hold_response = false;
        h.end(b);
        h.pass(ns(50));
        EXPECT_EQ(h.heard.size(), 8u);
        EXPECT_EQ(d.value(), 3u);
        for (managed* m : {&a, &b, &c, &d}) {
            m->payload.release();
            EXPECT_TRUE(m->freed);
        }
    });
}

// ---- device memory ----

TEST(DeviceMemoryAperture, ServesAnyAlignmentAndLengthInsideOfAnAllocation) {
    story([](harness& h) {
        const std::uint64_t a = host::aperture + h.context.allocate(1000);
        std::array<unsigned char, 1000> out{}, back{};
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<unsigned char>(i * 7);
        EXPECT_EQ(h.access(wr, a, out.data(), 1000), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(h.local, ns(4 + 31)) << "32 bytes in a cycle";
        EXPECT_EQ(h.access(rd, a + 3, back.data(), 997), tlm::TLM_OK_RESPONSE);
        EXPECT_TRUE(std::equal(out.begin() + 3, out.end(), back.begin()));
        EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME) << "the quantum is kept";
        // Every second byte; then four bytes repeatedly in one place.
        std::array<unsigned char, 2> every_second = {0x00, 0xff};
        std::uint32_t v = 0xaabbccdd;
        EXPECT_EQ(h.access(wr, a + 1, &v, 4, 4, every_second.data(), 2), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(h.access(rd, a, back.data(), 6), tlm::TLM_OK_RESPONSE);
        EXPECT_THAT((std::array<int, 6>{back[0], back[1], back[2], back[3], back[4], back[5]}),
                    testing::ElementsAre(0, 7, 0xcc, 21, 0xaa, 35));
        std::array<std::uint32_t, 3> three = {1, 2, 3};
        EXPECT_EQ(h.access(wr, a + 8, three.data(), 12, 4), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(h.access(rd, a + 8, back.data(), 8), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(back[0], 3) << "the last of them remains";
        EXPECT_EQ(back[4], out[12]) << "what follows is untouched";
    });
}

TEST(DeviceMemoryAperture, AnswersAccessesOutsideOfAnAllocationAsTheTlmStandardRequires) {
    story([](harness& h) {
        std::uint64_t word = 0;
        EXPECT_EQ(h.access(rd, host::aperture, &word, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        const std::uint64_t a = host::aperture + h.context.allocate(100);
        const std::uint64_t next = host::aperture + h.context.allocate(100);
        ASSERT_EQ(next, a + 256) << "the next one lies close by";
        EXPECT_EQ(h.access(rd, a - 1, &word, 1), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(h.access(rd, a + 100, &word, 1), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(h.access(wr, a + 96, &word, 8), tlm::TLM_BURST_ERROR_RESPONSE);
        EXPECT_EQ(h.access(rd, ~std::uint64_t{0} - 7, &word, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(h.access(rd, host::aperture - 8, &word, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE)
            << "below it there are registers only";
        EXPECT_EQ(h.access(tlm::TLM_IGNORE_COMMAND, host::aperture, &word, 8),
                  tlm::TLM_OK_RESPONSE);
    });
}

TEST(DeviceMemoryAperture, WaitsForAClockEdgeWhileACommandRuns) {
    story([](harness& h) {
        const std::uint64_t a = host::aperture + h.context.allocate(8);
        h.pass(ns(10.5));
        h.command(command_code::copy_to_device);
        std::uint64_t word = 5;
        EXPECT_EQ(h.access(wr, a, &word, 8), tlm::TLM_OK_RESPONSE);
        EXPECT_GT(sc_core::sc_time_stamp(), ns(10.5)) << "the command has not run yet";
        EXPECT_EQ(sc_core::sc_time_stamp().value() % ns(1).value(), 0u);
        h.pass(ns(50));
        const sc_time before = sc_core::sc_time_stamp();
        EXPECT_EQ(h.access(rd, a, &word, 8), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(sc_core::sc_time_stamp(), before) << "nothing runs: no edge is waited for";
        EXPECT_EQ(word, 5u);
    });
}

TEST(DeviceMemoryAperture, FollowsTheFourPhaseProtocol) {
    story([](harness& h) {
        const std::uint64_t device = h.context.allocate(64);
        std::memset(h.context.bytes_at(device, 64), 0x5a, 64);
        managed m(rd, host::aperture + device);
        m.payload.set_data_length(64);
        m.payload.set_streaming_width(64);
        h.begin(m);
        h.pass(ns(20));
        ASSERT_EQ(h.heard.size(), 2u);
        EXPECT_EQ(h.heard[1].second - h.heard[0].second, ns(5)) << "two beats";
        EXPECT_TRUE(m.payload.is_response_ok());
        EXPECT_EQ(m.value(), 0x5a5a5a5au);
        // While a command runs, accesses take place at a clock edge.
        h.device.is_quiet = false;
        h.command(command_code::synchronise);
        managed second(rd, host::aperture + device);
        h.begin(second);
        h.pass(ns(20));
        EXPECT_EQ(h.heard.size(), 4u);
        EXPECT_EQ(second.value(), 0x5a5a5a5au);
        h.device.is_quiet = true;
        h.pass(ns(20));
        m.payload.release();
        second.payload.release();
    });
}

TEST(DeviceMemoryAperture, GrantsDmiForAnAllocationUntilItIsReleased) {
    story([](harness& h) {
        const std::uint64_t device = h.context.allocate(100);
        tlm::tlm_generic_payload p;
        p.set_read();
        p.set_address(host::aperture + device + 50);
        tlm::tlm_dmi dmi;
        ASSERT_TRUE(h.initiator->get_direct_mem_ptr(p, dmi));
        EXPECT_TRUE(dmi.is_read_write_allowed());
        EXPECT_EQ(dmi.get_start_address(), host::aperture + device);
        EXPECT_EQ(dmi.get_end_address(), host::aperture + device + 99);
        dmi.get_dmi_ptr()[7] = 42;
        unsigned char byte = 0;
        EXPECT_EQ(h.access(rd, host::aperture + device + 7, &byte, 1), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(byte, 42);
        h.write(w0 + host::address_lo, static_cast<std::uint32_t>(device));
        h.write(w0 + host::address_hi, static_cast<std::uint32_t>(device >> 32));
        h.command(command_code::release);
        h.pass(ns(50));
        ASSERT_EQ(h.taken_back.size(), 1u);
        EXPECT_EQ(h.taken_back[0].first, host::aperture + device);
        EXPECT_EQ(h.taken_back[0].second, host::aperture + device + 99);
        EXPECT_FALSE(h.initiator->get_direct_mem_ptr(p, dmi)) << "there is no memory any more";
    });
}

TEST(DeviceMemoryAperture, IsReadAndWrittenByDebuggersUpToTheEndOfTheAllocation) {
    story([](harness& h) {
        const std::uint64_t device = h.context.allocate(10);
        std::array<unsigned char, 16> bytes{1, 2, 3};
        tlm::tlm_generic_payload p;
        p.set_write();
        p.set_address(host::aperture + device + 7);
        p.set_data_ptr(bytes.data());
        p.set_data_length(16);
        EXPECT_EQ(h.initiator->transport_dbg(p), 3u);
        bytes = {};
        p.set_read();
        EXPECT_EQ(h.initiator->transport_dbg(p), 3u);
        EXPECT_EQ(bytes[2], 3);
        p.set_address(host::aperture + device + 10);
        EXPECT_EQ(h.initiator->transport_dbg(p), 0u);
        EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME);
    });
}

TEST(HostInterface, DiscardsItsCommandsOnResetAndInvalidatesTheCaches) {
    story([](harness& h) {
        h.interface.add_kernel("k", "", 0);
        h.write(host::irq_enable, host::idle);
        h.command(command_code::launch);
        h.command(command_code::copy_from_device);
        h.pass(ns(20));
        h.reset_line.write(true);
        h.pass(ns(10));
        EXPECT_TRUE(h.device.aborted);
        EXPECT_FALSE(h.device.cleared) << "while the line is high";
        EXPECT_NE(h.read(host::status) & host::resetting, 0u);
        EXPECT_EQ(h.command(command_code::fill), tlm::TLM_GENERIC_ERROR_RESPONSE);
        h.reset_line.write(false);
        h.pass(ns(10));
        EXPECT_TRUE(h.device.cleared);
        EXPECT_EQ(h.read(host::status) & host::resetting, 0u);
        EXPECT_EQ(h.read(host::submitted), 0u);
        EXPECT_EQ(h.read(host::irq_enable), 0u);
        EXPECT_EQ(h.command(command_code::fill), tlm::TLM_OK_RESPONSE);
        h.pass(ns(50));
        EXPECT_EQ(h.read(host::completed), 1u);
        EXPECT_EQ(h.device.executed.size(), 2u) << "the copy before reset never ran";
    });
}

TEST(HostRegisters, HaveACHeaderThatIsUpToDate) {
    std::ifstream header(SIMTLM_TEST_DOCS_DIR "/../platform/simtlm_registers.h");
    std::ostringstream text, made;
    text << header.rdbuf();
    host::write_register_header(made);
    EXPECT_EQ(text.str(), made.str()) << "platform/simtlm_registers.h must be:\n" << made.str();
}

TEST(HostRegisters, MatchTheirDocumentation) {
    std::ifstream page(SIMTLM_TEST_DOCS_DIR "/cosimulation.md");
    std::ostringstream text, table;
    text << page.rdbuf();
    host::write_register_map(table);
    EXPECT_NE(text.str().find(table.str()), std::string::npos)
        << "docs/cosimulation.md must contain this table:\n"
        << table.str();
}

}  // namespace
}  // namespace simtlm::platform
