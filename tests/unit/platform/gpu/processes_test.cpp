// SPDX-License-Identifier: Apache-2.0
// The processes that run the blocks of a GPU, as any SystemC user can query them: by name and kind,
// and which one is current while a block acts.
#include "modules/support/display_text.h"
#include "platform/gpu/gpu_blocks.h"
#include "platform/simtlm.h"

#include <gtest/gtest.h>
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

namespace simtlm {
namespace {

std::string current_process() {
    const sc_core::sc_process_handle now = sc_core::sc_get_current_process_handle();
    return now.valid() ? now.name() : "none";
}

/// Records the processes in which SMs report the end of a CTA, and partitions a departing request.
struct watcher : core::cta_watcher, memory::channel_observer {
    std::set<std::string> ends, requests;

    void cta_started(const core::multiprocessor&, unsigned, const core::kernel_context&,
                     const program::cta&) override {}
    void cta_ended(const core::multiprocessor& where, unsigned) override {
        ends.insert(std::string(where.name()) + ": " + current_process());
    }
    void request_sent(const tlm::tlm_generic_payload&) override {
        requests.insert(current_process());
    }
};

/// A small GPU that has run a traced kernel.
struct rig {
    watcher seen;
    gpu device;

    explicit rig(const std::string& processes)
        : device("gpu",
                 configure({"--preset", "TINY", "--any-binary-version", "--processes", processes},
                           SIMTLM_TEST_CONFIG_DIR)) {
        device.clusters().front()->core(0).watch(static_cast<core::cta_watcher&>(seen));
        device.partitions().front()->observe(seen);
        for (const auto& c : trace::read_command_list(SIMTLM_TEST_TRACES "/vecadd/kernelslist.g")) {
            if (c.what != trace::command::kind::kernel) continue;
            dispatch::host_command launch;
            launch.file = c.file;
            launch.where = c.where;
            device.commands().submit(launch);
        }
        device.commands().proceed();
        for (unsigned i = 0; i < 1000 && !device.commands().idle(); ++i)
            sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_US));
        EXPECT_TRUE(device.commands().idle()) << device.describe();
    }
};

/// The kind of a named object: "front_end", "sc_method_process", "sc_thread_process"; "" if it does
/// not exist.
std::string kind_of(const std::string& name) {
    const sc_core::sc_object* found = sc_core::sc_find_object(name.c_str());
    return found != nullptr ? found->kind() : "";
}

/// The processes of a kind below some objects.
std::set<std::string> processes_of(const std::string& kind,
                                   const std::vector<sc_core::sc_object*>& all) {
    std::set<std::string> names;
    for (const sc_core::sc_object* o : all) {
        if (kind == o->kind()) names.insert(o->name());
        names.merge(processes_of(kind, o->get_child_objects()));
    }
    return names;
}

TEST(Processes, OfTheDefaultRunAreMethodsOfAnSmAPartitionAClusterAndTheNetwork) {
    const rig r("module");
    for (const char* name :
         {"gpu.cluster0.sm0.cycle", "gpu.partition0.cycle", "gpu.cluster0.receive",
          "gpu.cluster0.inject", "gpu.network.transfer", "gpu.memory_effects.process",
          "gpu.command_processor.cta_scheduler.process", "gpu.host_interface.commands",
          "gpu.sequencer.on_edge"})
        EXPECT_EQ(kind_of(name), "sc_method_process") << name;
    EXPECT_EQ(kind_of("gpu.cluster0.sm0.front_end"), "front_end");
    EXPECT_EQ(kind_of("gpu.cluster0.sm0.front_end.process"), "") << "the SM's process runs it";
    const std::vector<sc_core::sc_object*> sm{sc_core::sc_find_object("gpu.cluster0.sm0")};
    EXPECT_EQ(processes_of("sc_method_process", sm),
              std::set<std::string>{"gpu.cluster0.sm0.cycle"})
        << "the port has a process from the first annotated delay on";
    EXPECT_EQ(processes_of("sc_thread_process", sm), std::set<std::string>{});
}

TEST(Processes, RunTheBlocksOfTheirModule) {
    const rig r("module");
    EXPECT_EQ(r.seen.ends, std::set<std::string>{"gpu.cluster0.sm0: gpu.cluster0.sm0.cycle"});
    EXPECT_EQ(r.seen.requests, std::set<std::string>{"gpu.partition0.cycle"});
}

TEST(Processes, OfBlocksAreClockedThreads) {
    const rig r("block");
    for (const char* name :
         {"gpu.cluster0.sm0.front_end.process", "gpu.cluster0.sm0.scheduler0.process",
          "gpu.cluster0.sm0.write_back.process", "gpu.cluster0.sm0.l1d.process",
          "gpu.partition0.arbiter", "gpu.partition0.bank0.cache", "gpu.dram0.controller",
          "gpu.cluster0.receive", "gpu.network.transfer"})
        EXPECT_EQ(kind_of(name), "sc_thread_process") << name;
    EXPECT_EQ(kind_of("gpu.cluster0.sm0.cycle"), "");
    EXPECT_EQ(kind_of("gpu.partition0.cycle"), "");
    EXPECT_EQ(r.seen.ends,
              std::set<std::string>{"gpu.cluster0.sm0: gpu.cluster0.sm0.front_end.process"});
    EXPECT_EQ(r.seen.requests, std::set<std::string>{"gpu.partition0.arbiter"});
}

/// An external memory with its own timing: answers every request after a latency derived from its
/// address, so that answers are reordered.
class outer_memory : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<outer_memory> socket{"socket"};
    std::vector<std::pair<std::uint64_t, sc_core::sc_time>> served;  ///< address and time

    explicit outer_memory(const sc_core::sc_module_name& name)
        : sc_module(name), events_(this, &outer_memory::act) {
        socket.register_nb_transport_fw(this, &outer_memory::take);
    }

private:
    tlm::tlm_sync_enum take(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                            sc_core::sc_time& delay) {
        if (phase == tlm::END_RESP) {
            p.release();
            return tlm::TLM_COMPLETED;
        }
        p.acquire();
        served.emplace_back(p.get_address(), sc_core::sc_time_stamp() + delay);
        const auto latency = static_cast<double>(50 + p.get_address() / 32 % 7 * 20);
        events_.notify(p, tlm::BEGIN_RESP, delay + sc_core::sc_time(latency, sc_core::SC_NS));
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    void act(tlm::tlm_generic_payload& p, const tlm::tlm_phase& phase) {
        tlm::tlm_phase next = phase;
        sc_core::sc_time now;
        p.set_response_status(tlm::TLM_OK_RESPONSE);
        if (socket->nb_transport_bw(p, next, now) == tlm::TLM_COMPLETED) p.release();
    }

    tlm_utils::peq_with_cb_and_phase<outer_memory> events_;
};

/// A GPU with such memories that runs a traced kernel.
struct co_simulated {
    gpu device;
    std::vector<std::unique_ptr<outer_memory>> memories;

    explicit co_simulated(const std::string& processes)
        : device(("gpu_" + processes).c_str(),
                 configure({"--preset", "TINY", "--any-binary-version", "--processes", processes},
                           SIMTLM_TEST_CONFIG_DIR)) {
        for (std::size_t c = 0; c < device.memory.size(); ++c) {
            memories.push_back(std::make_unique<outer_memory>(
                ("memory_" + processes + std::to_string(c)).c_str()));
            device.memory[c].bind(memories.back()->socket);
        }
        for (const auto& c :
             trace::read_command_list(SIMTLM_TEST_TRACES "/reduction/kernelslist.g")) {
            if (c.what != trace::command::kind::kernel) continue;
            dispatch::host_command launch;
            launch.file = c.file;
            launch.where = c.where;
            device.commands().submit(launch);
        }
        device.commands().proceed();
    }
};

TEST(Processes, OfEitherKindSendExternalMemoriesTheSameRequestsAtTheSameTimes) {
    sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    co_simulated methods("module"), threads("block");
    for (unsigned i = 0; i < 1000; ++i) {
        if (methods.device.commands().idle() && threads.device.commands().idle()) break;
        sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_US));
    }
    const auto a = methods.device.commands().take_finished();
    const auto b = threads.device.commands().take_finished();
    ASSERT_FALSE(a.empty());
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
        EXPECT_EQ(a[k].start_cycle, b[k].start_cycle) << k;
        EXPECT_EQ(a[k].end_cycle, b[k].end_cycle) << k;
    }
    for (std::size_t c = 0; c < methods.memories.size(); ++c) {
        EXPECT_GT(methods.memories[c]->served.size(), 10u);
        EXPECT_EQ(methods.memories[c]->served, threads.memories[c]->served) << "channel " << c;
    }
}

/// The name of an object's class, without namespaces and template arguments.
std::string class_of(const sc_core::sc_object& object) {
    std::string name = support::demangled(typeid(object).name());
    name = name.substr(0, name.find('<'));
    return name.substr(name.rfind(':') + 1);
}

void expect_kinds(const sc_core::sc_object& object, std::set<std::string>& kinds) {
    if (dynamic_cast<const sc_core::sc_module*>(&object) != nullptr) {
        EXPECT_EQ(object.kind(), class_of(object)) << object.name();
        kinds.insert(object.kind());
    }
    for (const sc_core::sc_object* child : object.get_child_objects()) expect_kinds(*child, kinds);
}

TEST(Modules, ReturnTheNameOfTheirBlockAsKind) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    const gpu simt("simt", configure({"--preset", "TINY"}, SIMTLM_TEST_CONFIG_DIR));
    const gpu sub_cores("sub_cores", configure({"--preset", "H100_PCIE", "-gpgpu_n_clusters", "4"},
                                               SIMTLM_TEST_CONFIG_DIR));
    std::set<std::string> kinds;
    expect_kinds(simt, kinds);
    expect_kinds(sub_cores, kinds);
    for (const char* kind : {"gpu", "simt_sm", "sub_core_sm", "l1_data_cache", "l2_slice"})
        EXPECT_EQ(kinds.count(kind), 1u) << kind;
}

std::optional<std::string> attribute(const std::string& module, const std::string& name) {
    const sc_core::sc_object* const object = sc_core::sc_find_object(module.c_str());
    const sc_core::sc_attr_base* const found =
        object != nullptr ? object->get_attribute(name) : nullptr;
    const auto* const text = dynamic_cast<const sc_core::sc_attribute<std::string>*>(found);
    return text != nullptr ? std::optional(text->value) : std::nullopt;
}

TEST(Modules, HaveTheirParametersAsAttributes) {
    configuration values({"--preset", "TINY", "-gpgpu_cache:gpc", "N:8:128:4,L:R:f:N,A:8:8,4"},
                         SIMTLM_TEST_CONFIG_DIR);
    values.parameters().set("gpu.cluster0.sm0.l1d.sets", "8");
    gpu device("gpu", values.make());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    {
        const parameter_attributes attributes(device, values);
        EXPECT_EQ(attribute("gpu.cluster1.sm0.l1d", "sets"), "8");
        EXPECT_EQ(attribute("gpu", "core_clock"), values.parameters().value("gpu.core_clock"));
        std::set<std::string> without;
        for (const platform::parameter& p : values.parameters().all()) {
            const std::string name = platform::numbered_name("gpu", p.name);
            const std::size_t dot = name.rfind('.');
            if (!attribute(name.substr(0, dot), name.substr(dot + 1))) without.insert(p.name);
        }
        EXPECT_EQ(without, std::set<std::string>{});
    }
    EXPECT_EQ(attribute("gpu.cluster1.sm0.l1d", "sets"), std::nullopt);
}

TEST(Configure, ReportsWhereAnOptionComesFromWithoutACommandLine) {
    try {
        configure({"--preset", "TINY", "-gpgpu_n_mem", "0"}, SIMTLM_TEST_CONFIG_DIR);
        ADD_FAILURE() << "0 channels";
    } catch (const user_error& e) {
        EXPECT_EQ(e.where(), "configure()") << e.what();
    }
}

TEST(SplitOptions, SeparatesAtSpacesOutsideOfDoubleQuotes) {
    EXPECT_EQ((std::vector<std::string>{"--preset", "TINY", "-trace", "my traces/list.g"}),
              simtlm::split_options("  --preset TINY\n-trace \"my traces/list.g\" "));
    EXPECT_TRUE(simtlm::split_options(" ").empty());
}

}  // namespace
}  // namespace simtlm
