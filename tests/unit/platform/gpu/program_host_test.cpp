// SPDX-License-Identifier: Apache-2.0
// A host that accesses a GPU only through its ports: loads programs and data, and reads results.
#include "modules/simulation/spawn.h"
#include "platform/gpu/gpu_blocks.h"
#include "platform/simtlm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace simtlm {
namespace {

using host::command_code;
using host::error_code;

constexpr const char* scale_text = R"(
.version 6.0
.target sm_70
.address_size 64
.visible .entry scale(.param .u64 data, .param .u32 factor)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data]; ld.param.u32 %r1, [factor];
  mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r3, [%rd3]; mul.lo.u32 %r3, %r3, %r1; st.global.u32 [%rd3], %r3;
  ret;
}
.visible .entry nothing() { ret; }
)";

/// Host memory: 64 KiB; accesses beyond it get an error response.
struct host_ram : sc_core::sc_module {
    tlm_utils::simple_target_socket<host_ram> socket{"socket"};
    std::vector<unsigned char> bytes = std::vector<unsigned char>(1 << 16);
    unsigned longest = 0;

    explicit host_ram(const sc_core::sc_module_name& name) : sc_module(name) {
        socket.register_b_transport(this, &host_ram::b_transport);
    }
    void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
        delay += sc_core::sc_time(100, sc_core::SC_NS);
        longest = std::max(longest, p.get_data_length());
        if (p.get_address() + p.get_data_length() > bytes.size())
            return p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        unsigned char* const place = bytes.data() + p.get_address();
        if (p.is_write())
            std::copy_n(p.get_data_ptr(), p.get_data_length(), place);
        else
            std::copy_n(place, p.get_data_length(), p.get_data_ptr());
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

/// A GPU, the host memory, and software that drives it.
struct rig : sc_core::sc_module {
    gpu device;
    std::unique_ptr<host_ram> ram;  // optional
    tlm_utils::simple_initiator_socket<rig> port{"port"};
    std::string printed;
    sc_core::sc_signal<bool> reset_line{"reset_line"};

    rig(const sc_core::sc_module_name& name, std::function<void(rig&)> software, bool with_ram,
        const std::vector<std::string>& options = {})
        : sc_module(name), device("gpu", configure(all(options), SIMTLM_TEST_CONFIG_DIR)) {
        sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
        port.bind(device.host);
        device.reset.bind(reset_line);
        if (with_ram) {
            ram = std::make_unique<host_ram>("ram");
            device.host_memory.bind(ram->socket);
        }
        device.set_print([this](std::string_view text) { printed += text; });
        simulation::spawn_thread("run", [this, software] {
            software(*this);
            done = true;
            sc_core::sc_pause();
        });
    }
    static std::vector<std::string> all(const std::vector<std::string>& options) {
        std::vector<std::string> a{"--preset", "TINY", "-gpgpu_deadlock_detect", "1"};
        a.insert(a.end(), options.begin(), options.end());
        return a;
    }
    bool done = false;

    tlm::tlm_response_status access(tlm::tlm_command way, std::uint64_t address, void* data,
                                    unsigned bytes) {
        tlm::tlm_generic_payload p;
        p.set_command(way);
        p.set_address(address);
        p.set_data_ptr(static_cast<unsigned char*>(data));
        p.set_data_length(bytes);
        p.set_streaming_width(bytes);
        sc_core::sc_time delay;
        port->b_transport(p, delay);
        sc_core::wait(delay);
        return p.get_response_status();
    }
    std::uint32_t read(std::uint32_t offset) {
        std::uint32_t v = 0;
        EXPECT_EQ(access(tlm::TLM_READ_COMMAND, offset, &v, 4), tlm::TLM_OK_RESPONSE);
        return v;
    }
    void write(std::uint32_t offset, std::uint32_t v) {
        EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, offset, &v, 4), tlm::TLM_OK_RESPONSE);
    }
    void put(std::uint64_t device_address, const void* from, std::size_t bytes) {
        EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, host::aperture + device_address,
                         const_cast<void*>(from), static_cast<unsigned>(bytes)),
                  tlm::TLM_OK_RESPONSE);
    }
    struct command {
        command_code what;
        std::uint64_t address = 0, bytes = 0;
        std::uint32_t kernel = 0;
        std::uint64_t host_address = 0;
    };
    void submit(const command& c) {
        const std::uint32_t w = host::first_window;
        const auto lo = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
        write(w + host::command, static_cast<std::uint32_t>(c.what));
        write(w + host::address_lo, lo(c.address));
        write(w + host::address_hi, lo(c.address >> 32));
        write(w + host::size_lo, lo(c.bytes));
        write(w + host::size_hi, lo(c.bytes >> 32));
        write(w + host::kernel, c.kernel);
        write(w + host::stream, 0);
        write(w + host::host_address_lo, lo(c.host_address));
        write(w + host::host_address_hi, lo(c.host_address >> 32));
        write(w + host::doorbell, 1);
    }
    /// Submits a command and waits for its end. @return RESULT
    std::uint64_t order(const command& c) {
        submit(c);
        while ((read(host::status) & (host::busy)) != 0 &&
               (read(host::status) & host::stopped) == 0)
            sc_core::wait(sc_core::sc_time(100, sc_core::SC_NS));
        const std::uint64_t lo = read(host::first_window + host::result_lo);
        return std::uint64_t{read(host::first_window + host::result_hi)} << 32 | lo;
    }
    std::uint64_t allocate(std::uint64_t bytes) {
        return order({command_code::allocate, 0, bytes});
    }
    std::uint64_t place(const std::string& text) {
        const std::uint64_t a = allocate(text.size());
        put(a, text.data(), text.size());
        return a;
    }
    std::uint64_t load(const std::string& text) {
        return order({command_code::load_program, place(text), text.size()});
    }
    std::uint64_t find(const std::string& name) {
        return order({command_code::find_kernel, place(name), name.size()});
    }
    std::uint64_t launch(std::uint64_t kernel, const host::launch_descriptor& d,
                         const std::string& parameters = {}) {
        std::string bytes(reinterpret_cast<const char*>(&d), sizeof d);
        bytes += parameters;
        return order({command_code::launch_program, place(bytes), bytes.size(),
                      static_cast<std::uint32_t>(kernel)});
    }
    /// Expects the effects of a rejected command: its code in RESULT and ERROR, and a message; then
    /// clears them.
    void expect_error(error_code code, std::uint64_t result, const std::string& words) {
        const auto number = static_cast<std::uint32_t>(code);
        EXPECT_EQ(result, std::uint64_t{host::failed_result} << 32 | number) << words;
        EXPECT_EQ(read(host::error), number) << words;
        EXPECT_NE(read(host::irq_status) & host::fault, 0u);
        EXPECT_THAT(message(), testing::HasSubstr(words));
        write(host::error, 0);
        EXPECT_EQ(message(), "");
    }
    std::string message() {
        std::vector<char> text(host::message_bytes);
        EXPECT_EQ(access(tlm::TLM_READ_COMMAND, host::message, text.data(), host::message_bytes),
                  tlm::TLM_OK_RESPONSE);
        return text.data();
    }
};

void story(const std::function<void(rig&)>& scenario, bool with_ram = false,
           const std::vector<std::string>& options = {}) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    rig r("rig", scenario, with_ram, options);
    sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_MS));
    EXPECT_TRUE(r.done);
}

std::string scale_arguments(std::uint64_t data, std::uint32_t factor) {
    std::string bytes(12, '\0');
    std::memcpy(bytes.data(), &data, 8);
    std::memcpy(bytes.data() + 8, &factor, 4);
    return bytes;
}

host::launch_descriptor threads(std::uint32_t n) {
    host::launch_descriptor d;
    d.block[0] = n;
    return d;
}

TEST(ProgramHost, WritesInputRunsAKernelAndReadsItsResult) {
    story([](rig& r) {
        const std::uint64_t first = r.load(scale_text);
        EXPECT_EQ(first, 0u);
        EXPECT_EQ(r.read(host::kernels_loaded), 2u);
        EXPECT_EQ(r.find("nothing"), 1u);
        const std::uint64_t scale = r.find("scale");
        std::vector<std::uint32_t> data(100);
        for (std::uint32_t i = 0; i < 100; ++i) data[i] = i + 1;
        const std::uint64_t a = r.allocate(400);
        r.put(a, data.data(), 400);
        r.launch(scale, threads(100), scale_arguments(a, 3));
        EXPECT_EQ(r.access(tlm::TLM_READ_COMMAND, host::aperture + a, data.data(), 400),
                  tlm::TLM_OK_RESPONSE);
        for (std::uint32_t i = 0; i < 100; ++i) ASSERT_EQ(data[i], 3 * (i + 1)) << i;
        EXPECT_EQ(r.read(host::error), 0u) << r.message();
        EXPECT_NE(r.read(host::irq_status) & host::kernel_done, 0u);
        EXPECT_GT(r.read(host::counters +
                         8 * static_cast<std::uint32_t>(host::counter::thread_instructions)),
                  100u);
    });
}

TEST(ProgramHost, CopiesCarryBytesFromTheHostsMemoryAndBack) {
    story(
        [](rig& r) {
            std::vector<std::uint32_t> data(256);
            for (std::uint32_t i = 0; i < 256; ++i) data[i] = i;
            std::memcpy(r.ram->bytes.data() + 0x1004, data.data(), 1024);
            const std::uint64_t scale = r.load(scale_text);
            const std::uint64_t a = r.allocate(1024);
            const sc_core::sc_time before = sc_core::sc_time_stamp();
            r.order({command_code::copy_to_device, a, 1024, 0, 0x1004});
            EXPECT_GE(sc_core::sc_time_stamp() - before, sc_core::sc_time(500, sc_core::SC_NS))
                << "five bursts of 100 ns";
            EXPECT_LE(r.ram->longest, 256u);
            r.launch(scale, threads(256), scale_arguments(a, 5));
            r.order({command_code::copy_from_device, a, 1024, 0, 0x8000});
            std::memcpy(data.data(), r.ram->bytes.data() + 0x8000, 1024);
            for (std::uint32_t i = 0; i < 256; ++i) ASSERT_EQ(data[i], 5 * i) << i;
            r.order({command_code::fill, a, 8, 0, 0xee});
            r.order({command_code::copy_from_device, a, 12, 0, 0x8000});
            EXPECT_EQ(r.ram->bytes[0x8007], 0xee);
            EXPECT_EQ(r.ram->bytes[0x8008], 10) << "a fill ends where it says";
            EXPECT_EQ(r.read(host::error), 0u) << r.message();
        },
        true);
}

TEST(ProgramHost, RejectsInvalidCopies) {
    story(
        [](rig& r) {
            const std::uint64_t a = r.allocate(100);
            r.expect_error(error_code::bad_address,
                           r.order({command_code::copy_to_device, a, 101, 0, 0}), "101 bytes");
            r.expect_error(error_code::bad_address, r.order({command_code::fill, a + 200, 1, 0, 0}),
                           "behind allocation");
            r.expect_error(error_code::host_memory_error,
                           r.order({command_code::copy_to_device, a, 100, 0, 0xffe0}),
                           "rejected a copy of 100 bytes at 0xffe0");
            r.order({command_code::copy_to_device, a, 100, 0, 0});
            EXPECT_EQ(r.read(host::error), 0u) << "the engine goes on";
        },
        true);
}

TEST(ProgramHost, ReportsAMissingSourceOfACopy) {
    story([](rig& r) {
        EXPECT_EQ(r.order({command_code::copy_to_device, 0x1000, 64}), 0u)
            << "without contents a copy is that of a trace";
        EXPECT_EQ(r.read(host::error), 0u);
        const std::uint64_t a = r.allocate(64);
        r.expect_error(error_code::host_memory_error,
                       r.order({command_code::copy_to_device, a, 64}), "host_memory");
    });
}

TEST(ProgramHost, AllocatesAndReleases) {
    story([](rig& r) {
        const std::uint64_t a = r.allocate(1000);
        EXPECT_EQ(a % 256, 0u);
        const std::uint64_t b = r.allocate(1);
        EXPECT_GE(b, a + 1000);
        EXPECT_EQ(r.order({command_code::release, a, 0}), 0u);
        r.expect_error(error_code::bad_address, r.order({command_code::release, a, 0}),
                       "no allocation begins");
        r.expect_error(error_code::bad_address, r.order({command_code::release, b + 1, 0}),
                       "no allocation begins");
        r.expect_error(error_code::out_of_memory, r.allocate(0), "0 bytes");
        r.expect_error(error_code::out_of_memory, r.allocate(std::uint64_t{1} << 50), "full");
        r.expect_error(error_code::out_of_memory, r.allocate(~std::uint64_t{0}), "full");
        EXPECT_EQ(r.allocate(1000), a) << "there is room again";
    });
}

TEST(ProgramHost, NamesLineAndFaultOfAProgramThatIsWrong) {
    story([](rig& r) {
        r.expect_error(error_code::bad_program, r.load(".version 6.0\n.target sm_70\nnonsense\n"),
                       "program0.ptx:3");
        r.expect_error(error_code::bad_program, r.load(" "), "");
        r.expect_error(error_code::bad_address, r.order({command_code::load_program, 0x123, 100}),
                       "0x123");
        EXPECT_EQ(r.read(host::kernels_loaded), 0u);
        EXPECT_EQ(r.load(scale_text), 0u) << "the GPU goes on";
    });
}

TEST(ProgramHost, RejectsInvalidLaunches) {
    story([](rig& r) {
        const std::uint64_t scale = r.load(scale_text);
        r.expect_error(error_code::no_such_kernel, r.find("scales"), "scales");
        r.expect_error(error_code::no_such_kernel, r.launch(7, threads(32)), "kernel 7");
        r.expect_error(error_code::bad_launch, r.launch(scale, threads(32)), "parameters");
        const std::string arguments = scale_arguments(0, 1);
        r.expect_error(error_code::bad_launch, r.launch(scale, threads(0), arguments), "empty");
        r.expect_error(error_code::bad_launch, r.launch(scale, threads(1025), arguments), "1025");
        host::launch_descriptor d = threads(32);
        d.grid[1] = 70000;
        r.expect_error(error_code::bad_launch, r.launch(scale, d, arguments), "70000");
        d = threads(32);
        d.dynamic_shared = 0xffffffff;
        r.expect_error(error_code::bad_launch, r.launch(scale, d, arguments), "shared memory");
        d = threads(32);
        d.grid[0] = 100000;
        d.flags = host::cooperative;
        r.expect_error(error_code::bad_launch, r.launch(scale, d, arguments), "resident");
        const std::uint64_t half = r.place("half a descriptor");
        r.expect_error(error_code::bad_launch, r.order({command_code::launch_program, half, 17, 0}),
                       "17 bytes");
        r.expect_error(error_code::bad_address, r.order({command_code::launch_program, 64, 32, 0}),
                       "0x40");
        EXPECT_EQ(r.device.commands().kernels_done(), 0u);
        r.submit({command_code::nothing, 0, 0});
        EXPECT_EQ(r.launch(r.find("nothing"), threads(32)), 0u) << "the GPU goes on";
        EXPECT_EQ(r.device.commands().kernels_done(), 1u);
    });
}

TEST(ProgramHost, RejectsAProgramKernelAsATraceKernelAndViceVersa) {
    story(
        [](rig& r) {
            const trace_set set =
                r.device.load_trace_set(SIMTLM_TEST_TRACES "/vecadd/kernelslist.g");
            const std::uint64_t scale = r.load(scale_text);
            EXPECT_EQ(scale, set.kernels.size());
            const host::launch_descriptor d = threads(32);
            r.expect_error(error_code::no_such_kernel, r.launch(0, d, scale_arguments(0, 1)),
                           "does not belong to a program");
            std::uint32_t ring = 1;
            r.write(host::first_window + host::command,
                    static_cast<std::uint32_t>(command_code::launch));
            r.write(host::first_window + host::kernel, static_cast<std::uint32_t>(scale));
            EXPECT_EQ(
                r.access(tlm::TLM_WRITE_COMMAND, host::first_window + host::doorbell, &ring, 4),
                tlm::TLM_GENERIC_ERROR_RESPONSE);
            EXPECT_EQ(r.read(host::error), static_cast<std::uint32_t>(error_code::no_such_kernel));
        },
        false, {"--any-binary-version"});
}

TEST(ProgramHost, ReportsTheFaultOfAProgramAndKeepsMemoryReadable) {
    story([](rig& r) {
        const std::uint64_t scale = r.load(scale_text);
        const std::uint64_t a = r.allocate(4);
        const std::uint32_t before = 77;
        r.put(a, &before, 4);
        r.launch(scale, threads(1), scale_arguments(0x5000000000, 1));
        EXPECT_EQ(r.read(host::error), static_cast<std::uint32_t>(error_code::program_fault));
        EXPECT_THAT(r.message(), testing::HasSubstr("scale"));
        EXPECT_THAT(r.message(), testing::HasSubstr("0x5000000000"));
        EXPECT_NE(r.read(host::status) & host::stopped, 0u);
        EXPECT_EQ(r.read(host::status) & host::busy, 0u) << "its commands have failed";
        EXPECT_EQ(r.read(host::submitted), r.read(host::completed));
        EXPECT_EQ(r.read(host::first_window + host::result_hi), host::failed_result);
        EXPECT_EQ(r.read(host::first_window + host::result_lo),
                  static_cast<std::uint32_t>(error_code::program_fault));
        EXPECT_NE(r.read(host::irq_status) & host::idle, 0u);
        std::uint32_t after = 0;
        EXPECT_EQ(r.access(tlm::TLM_READ_COMMAND, host::aperture + a, &after, 4),
                  tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(after, before);
    });
}

// ---- reset of a GPU that has stopped ----

constexpr const char* faulty_text = R"(
.version 6.0
.target sm_70
.address_size 64
.visible .entry illegal_address(.param .u64 data, .param .u32 factor)
{
  .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data]; ld.param.u32 %r1, [factor];
  mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;
  setp.lt.u32 %p1, %r2, 96;
  @%p1 ld.global.u32 %r3, [%rd3];
  @!%p1 ld.global.u32 %r3, [%rd2];
  atom.global.add.u32 %r1, [%rd1], %r3;
  st.global.u32 [%rd3], %r1;
  ret;
}
.visible .entry trapped(.param .u64 data, .param .u32 factor)
{
  .reg .b32 %r<3>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2; red.global.add.u32 [%rd1], %r2;
  trap;
  ret;
}
.visible .entry deadlock(.param .u64 data, .param .u32 factor)
{
  .reg .pred %p<2>; .reg .b32 %r<3>;
  mov.u32 %r2, %tid.x; setp.lt.u32 %p1, %r2, 32;
  @%p1 bar.sync 1, 128;
  bar.sync 0;
  ret;
}
.visible .entry scale_all(.param .u64 data, .param .u32 factor)
{
  .reg .b32 %r<6>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data]; ld.param.u32 %r1, [factor];
  mov.u32 %r2, %tid.x; mov.u32 %r4, %ctaid.x; mad.lo.u32 %r5, %r4, 128, %r2;
  mul.wide.u32 %rd2, %r5, 4; add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r3, [%rd3]; mul.lo.u32 %r3, %r3, %r1; st.global.u32 [%rd3], %r3;
  ret;
}
.visible .entry endless(.param .u64 data, .param .u32 factor)
{
  .reg .b32 %r<2>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [data];
again:
  red.global.add.u32 [%rd1], 1; membar.gl;
  bra again;
}
)";

/// Runs kernels that stop the GPU, with a reset after each, and then another one at a given time.
struct revival {
    std::vector<std::string> kernels;  // that stop the GPU
    sc_core::sc_time at;               // when the last kernel is launched
    bool by_pin = false;
    std::uint64_t cycles = 0;  // that it has taken

    void operator()(rig& r) {
        constexpr std::size_t bytes = std::size_t{5} * 128 * 4;
        r.load(faulty_text);
        const std::uint64_t a = r.allocate(bytes), b = r.allocate(bytes);
        std::vector<std::uint32_t> data(bytes / 4, 7);
        r.put(a, data.data(), bytes);
        r.put(b, data.data(), bytes);
        host::launch_descriptor d = threads(128);
        d.grid[0] = 5;
        for (const std::string& kernel : kernels) {
            r.launch(r.find(kernel), d, scale_arguments(a, 2));
            EXPECT_NE(r.read(host::status) & host::stopped, 0u) << kernel;
            EXPECT_NE(r.read(host::error), 0u);
            by_pin ? r.reset_line.write(true) : r.write(host::control, host::reset);
            sc_core::wait(sc_core::sc_time(1, sc_core::SC_US));
            r.reset_line.write(false);
            while ((r.read(host::status) & host::resetting) != 0)
                sc_core::wait(sc_core::sc_time(100, sc_core::SC_NS));
            EXPECT_EQ(r.read(host::status), 0u) << r.message();
        }
        EXPECT_LT(sc_core::sc_time_stamp(), at);
        sc_core::wait(at - sc_core::sc_time_stamp());
        r.launch(r.find("scale_all"), d, scale_arguments(b, 3));
        EXPECT_EQ(r.read(host::error), 0u) << r.message();
        r.access(tlm::TLM_READ_COMMAND, host::aperture + b, data.data(), bytes);
        EXPECT_EQ(data, std::vector<std::uint32_t>(data.size(), 21));
        const auto finished = r.device.commands().take_finished();
        cycles = finished.back().end_cycle - finished.back().launched_at;
    }
};

/// Checks that a kernel takes the same cycles on GPUs that have been stopped and reset as on one
/// that has not, in every mode of the simulation.
void expect_revival(const std::vector<std::string>& kernels, double microseconds,
                    const std::vector<std::string>& options,
                    const std::vector<std::vector<std::string>>& modes) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    std::vector<revival> runs(modes.size() + 1);
    std::vector<std::unique_ptr<rig>> rigs;
    for (std::size_t i = 0; i <= modes.size(); ++i) {
        std::vector<std::string> all = options;
        if (i != 0) {
            all.insert(all.end(), modes[i - 1].begin(), modes[i - 1].end());
            runs[i].kernels = kernels;
        }
        runs[i].at = sc_core::sc_time(microseconds, sc_core::SC_US);
        runs[i].by_pin = i == 2;
        rigs.push_back(std::make_unique<rig>(("rig" + std::to_string(i)).c_str(),
                                             [&runs, i](rig& r) { runs[i](r); }, false, all));
    }
    const auto left = [&] {
        return std::any_of(rigs.begin(), rigs.end(), [](const auto& r) { return !r->done; });
    };
    while (left() && sc_core::sc_time_stamp() < sc_core::sc_time(1, sc_core::SC_MS))
        sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
    EXPECT_FALSE(left());
    for (const revival& r : runs) EXPECT_EQ(r.cycles, runs[0].cycles);
    EXPECT_GT(runs[0].cycles, 0u);
}

TEST(ProgramHost, ContinuesAfterFaultsAndResets) {
    expect_revival({"illegal_address", "trapped"}, 30, {},
                   {{}, {"--shuffle-seed", "5"}, {"--processes", "block"}});
}
TEST(ProgramHost, ContinuesAfterFaultsAndResetsOfSubCores) {
    expect_revival({"illegal_address", "trapped"}, 30,
                   {"--core", "sub-core", "--any-binary-version"},
                   {{}, {"--shuffle-seed", "5"}, {"--no-sleep"}});
}
TEST(ProgramHost, ContinuesAfterADeadlockAndAReset) {
    expect_revival({"deadlock"}, 110, {}, {{}});
}
TEST(ProgramHost, ContinuesAfterACycleLimitAndAReset) {
    expect_revival({"endless"}, 15, {}, {{"-gpgpu_max_cycle", "10000"}});
}

TEST(ProgramHost, PrintsToTheOutputOfThePlatform) {
    story([](rig& r) {
        const std::uint64_t k = r.load(R"(
.version 6.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[4] = {72, 105, 10, 0};
.visible .entry hello()
{
  .reg .b32 %r<2>; .reg .b64 %rd<3>;
  mov.u64 %rd1, text; cvta.global.u64 %rd2, %rd1;
  { .param .b64 f; st.param.b64 [f], %rd2; .param .b64 a; st.param.b64 [a], 0; .param .b32 r;
    call.uni (r), vprintf, (f, a); ld.param.b32 %r1, [r]; }
  ret;
}
)");
        r.launch(k, threads(1));
        EXPECT_EQ(r.read(host::error), 0u) << r.message();
        EXPECT_EQ(r.printed, "Hi\n");
    });
}

/// Stores what is written to it and records requests.
struct storing_memory : sc_core::sc_module {
    tlm_utils::simple_target_socket<storing_memory> socket{"socket"};
    std::map<std::uint64_t, unsigned char> bytes;
    bool read_before = false;

    explicit storing_memory(const sc_core::sc_module_name& name) : sc_module(name) {
        socket.register_b_transport(this, &storing_memory::b_transport);
    }
    void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
        const unsigned char* const enable = p.get_byte_enable_ptr();
        for (unsigned i = 0; i < p.get_data_length(); ++i) {
            if (p.is_read()) {
                read_before |= p.get_data_ptr()[i] == 0xab;
                p.get_data_ptr()[i] = 0;
            } else if (enable == nullptr || enable[i % p.get_byte_enable_length()] != 0) {
                bytes[p.get_address() + i] = p.get_data_ptr()[i];
            }
        }
        delay += sc_core::sc_time(50, sc_core::SC_NS);
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

TEST(ProgramHost, PassesDataToExternalMemories) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    std::uint64_t a = 0;
    std::vector<std::uint32_t> data(64, 0xabababab);
    rig r("rig",
          [&](rig& s) {
              const std::uint64_t scale = s.load(scale_text);
              a = s.allocate(256);
              s.put(a, data.data(), 256);
              s.launch(scale, threads(64), scale_arguments(a, 3));
              s.order({command_code::synchronise});
          },
          false, {"-gpgpu_cache:dl2", "none"});
    std::vector<std::unique_ptr<storing_memory>> memories;
    external_memory how;
    how.timing = memory_timing::loosely_timed;
    how.data = memory_data::values;
    r.device.set_external_memory(how);
    for (std::size_t c = 0; c < r.device.memory.size(); ++c) {
        memories.push_back(
            std::make_unique<storing_memory>(("memory" + std::to_string(c)).c_str()));
        r.device.memory[c].bind(memories.back()->socket);
    }
    sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_MS));
    EXPECT_TRUE(r.done);
    std::map<std::uint64_t, unsigned char> written;
    bool read_before = false;
    for (const auto& m : memories) {
        written.insert(m->bytes.begin(), m->bytes.end());
        read_before |= m->read_before;
    }
    EXPECT_TRUE(read_before) << "reads hold the bytes that device memory has";
    for (unsigned i = 0; i < 64; ++i) {
        std::uint32_t word = 0;
        for (unsigned b = 4; b-- > 0;) word = word << 8 | written[a + 4 * i + b];
        ASSERT_EQ(word, 0xabababab * 3u) << i << ", of " << written.size() << " bytes written";
    }
}

}  // namespace
}  // namespace simtlm
