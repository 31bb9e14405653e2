// SPDX-License-Identifier: Apache-2.0
// A checkpoint is resumed with another configuration: --resume-what-if.
#include "tests/system/random_configuration.h"
#include "tests/system/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace simtlm::test {
namespace {

using ::testing::HasSubstr;
using words = std::vector<std::string>;
using nlohmann::json;

words operator+(words a, const words& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

struct result {
    outcome run;
    json statistics;
};

/// The kernels of a run, by launch number.
std::map<std::uint64_t, json> kernels_of(const result& r) {
    std::map<std::uint64_t, json> kernels;
    for (const json& k : r.statistics["kernels"]) kernels[k["launch_uid"]] = k;
    return kernels;
}

std::vector<std::uint64_t> cycles_of(const result& r) {
    std::vector<std::uint64_t> cycles;
    for (const json& k : r.statistics["kernels"]) cycles.push_back(k["gpu_sim_cycle"]);
    return cycles;
}

class WhatIf : public testing::Test {
protected:
    result run(const words& arguments) const {
        const std::string file = folder_.path("statistics.json");
        std::filesystem::remove(file);
        result r{simulate(arguments + words{"--stats-json", file}), {}};
        if (std::filesystem::exists(file)) r.statistics = read_json(file);
        return r;
    }
    /// Saves a run of the sample after some kernels and, if given, thread blocks.
    void save(const words& place = {"--checkpoint-at", "2"}) const {
        const outcome o = simulate(workload_ + on_ + words{"--checkpoint", file_} + place);
        ASSERT_EQ(0, o.code) << o.err;
    }
    result resume(const words& options) const {
        return run(workload_ + options + words{"--resume", file_});
    }
    result what_if(const words& options) const {
        const result r = resume(options + words{"--resume-what-if"});
        EXPECT_EQ(0, r.run.code) << r.run.err;
        return r;
    }
    /// A resumed run has the instructions of the kernels of the checkpoint's workload.
    void expect_same_work(const result& r, const words& options) const {
        std::string line;
        for (const std::string& o : options) line += o + " ";
        SCOPED_TRACE(line);
        const auto here = kernels_of(r), plain = kernels_of(plain_);
        ASSERT_EQ(2u, here.size());
        std::uint64_t cycles = 0;
        for (const auto& [uid, k] : here) {
            EXPECT_EQ(plain.at(uid)["gpu_sim_insn"], k["gpu_sim_insn"]);
            cycles += k["gpu_sim_cycle"].get<std::uint64_t>();
        }
        EXPECT_EQ(cycles, r.statistics["total"]["gpu_tot_sim_cycle"].get<std::uint64_t>());
        const std::uint64_t instructions = r.statistics["total"]["gpu_tot_sim_insn"];
        EXPECT_EQ(2436800u, instructions) << "of the two resumed kernels only";
    }

    scratch_folder folder_;
    std::string file_ = folder_.path("checkpoint");
    words workload_ = {"-trace", sample("sample")};
    words on_ = {"--preset", "QV100"};
    result plain_;
};

class WhatIfOnCore : public WhatIf, public testing::WithParamInterface<const char*> {};

TEST_P(WhatIfOnCore, TheSameConfigurationTakesTheSameCyclesAndEvents) {
    on_ = on_ + words{"--core", GetParam()};
    save();
    const result plain = resume(on_), other = what_if(on_);
    ASSERT_EQ(0, plain.run.code) << plain.run.err;
    const auto of_plain = kernels_of(plain), of_other = kernels_of(other);
    ASSERT_EQ(4u, of_plain.size());
    ASSERT_EQ(2u, of_other.size()) << "statistics begin at the checkpoint";
    for (const auto& [uid, k] : of_other) {
        EXPECT_EQ(of_plain.at(uid)["gpu_sim_cycle"], k["gpu_sim_cycle"]);
        EXPECT_EQ(of_plain.at(uid)["gpu_sim_insn"], k["gpu_sim_insn"]);
        for (const char* kind : {"sm", "l1d", "l2", "sub_partition", "network"})
            for (const auto& [name, value] : k["counters"][kind].items())
                if (name.find("_max") == std::string::npos) {
                    EXPECT_EQ(of_plain.at(uid)["counters"][kind][name], value) << kind << name;
                }
    }
    EXPECT_EQ(0u, of_other.begin()->second["launched_at"].get<std::uint64_t>());
    const json& resumed = other.statistics["resumed"];
    EXPECT_TRUE(resumed["options"].empty());
    for (const auto& [kind, what] : resumed["blocks"].items()) {
        EXPECT_EQ(1u, what.size()) << kind << what.dump();
        EXPECT_TRUE(what.contains("restored")) << kind;
    }
}

INSTANTIATE_TEST_SUITE_P(Cores, WhatIfOnCore, testing::Values("simt", "sub-core"),
                         [](const auto& core) {
                             return std::string(core.param) == "simt" ? "Simt" : "SubCore";
                         });

TEST_F(WhatIf, OtherLatenciesCachesClocksAndSizesRunTheRestOfTheTrace) {
    save();
    plain_ = resume(on_);
    for (const words& change :
         {words{"-gpgpu_l2_rop_latency", "235"}, words{"-modern_load_latency", "50,44,49"},
          words{"-gpgpu_cache:dl2", "S:16:128:24,L:B:m:L:P,A:192:4,32:0,32"},
          words{"-gpgpu_unified_l1d_size", "64", "-gpgpu_shmem_option", "0,8,16,32,64",
                "-gpgpu_shmem_size", "65536"},
          words{"-gpgpu_clock_domains", "600:1132:1132:850"},
          words{"-gpgpu_clock_domains", "1700:1700:1700:850"},
          words{"-gpgpu_clock_domains", "1132:1132:1132:1200"}, words{"-gpgpu_n_clusters", "40"},
          words{"-gpgpu_n_clusters", "100"}, words{"-gpgpu_n_mem", "16"},
          words{"-gpgpu_n_mem", "24"}, words{"--core", "simt", "-gpgpu_scheduler", "lrr"}})
        expect_same_work(what_if(on_ + change), change);
}

TEST_F(WhatIf, OtherPresetsRunTheRestOfTheTrace) {
    save();
    plain_ = resume(on_);
    for (const char* preset : {"RTX2060", "TITAN_V", "H100_PCIE"})
        expect_same_work(what_if({"--preset", preset, "--any-binary-version"}), {preset});
}

TEST_F(WhatIf, ASlowerL2IsSlowerAndAWarmOneIsFasterThanACold) {
    save();
    const auto base = cycles_of(what_if(on_));
    const auto slow = cycles_of(what_if(on_ + words{"-gpgpu_l2_rop_latency", "295"}));
    for (std::size_t i = 0; i < base.size(); ++i) EXPECT_GT(slow[i], base[i] + 100);
    // The lines of the L2 are inserted again if its geometry differs.
    const words twice = {"-gpgpu_cache:dl2", "S:64:128:24,L:B:m:L:P,A:192:4,32:0,32"};
    const result warm = what_if(on_ + twice);
    const result cold = run(workload_ + on_ + twice + words{"--kernels", "3-4"});
    ASSERT_EQ(0, cold.run.code) << cold.run.err;
    const auto reads = [](const result& r) {
        return r.statistics["total"]["total dram reads"].get<double>();
    };
    EXPECT_LT(reads(warm), reads(cold));
    EXPECT_EQ(64u, warm.statistics["resumed"]["blocks"]["partition.bank.l2"]["reinserted"]);
    EXPECT_EQ(32u, warm.statistics["resumed"]["blocks"]["dram"]["restored"]);
}

TEST_F(WhatIf, LinesThatAreInsertedAgainInTheSameL2ChangeNothing) {
    save();
    // No atomic is executed: the latency matters to nothing, but the L2 is not taken over as it is.
    const result same = what_if(on_),
                 inserted = what_if(on_ + words{"-gpgpu_l2_atomic_latency", "77"});
    EXPECT_EQ(64u, inserted.statistics["resumed"]["blocks"]["partition.bank.l2"]["reinserted"]);
    EXPECT_EQ(cycles_of(same), cycles_of(inserted));
}

TEST_F(WhatIf, ChannelsOfAnotherNumberReceiveTheLinesOfTheirAddresses) {
    save();
    const words fewer = {"-gpgpu_n_mem", "16"};
    const result warm = what_if(on_ + fewer);
    const result cold = run(workload_ + on_ + fewer + words{"--kernels", "3-4"});
    const auto misses = [](const result& r) {
        return r.statistics["total"]["L2_total_cache_misses"].get<double>();
    };
    EXPECT_LT(misses(warm), misses(cold));
    const json& blocks = warm.statistics["resumed"]["blocks"];
    EXPECT_EQ(64u, blocks["partition.bank.l2"]["reinserted"]);
    EXPECT_EQ(16u, blocks["dram"]["initial"]);
    EXPECT_EQ(16u, blocks["dram"]["dropped"]);
}

TEST_F(WhatIf, IsTheSameWithSeveralHostThreadsShuffledAndWithoutSleep) {
    save({"--checkpoint-at", "1", "--checkpoint-blocks", "90"});
    const words change = {"-gpgpu_n_clusters", "40", "-gpgpu_l2_rop_latency", "235"};
    const auto of = [&](const words& how) {
        json s = what_if(on_ + change + how).statistics;
        for (const char* varies : {"config", "origins", "provenance"}) s.erase(varies);
        return s;
    };
    const json base = of({});
    for (const words& how : {words{"--threads", "2"}, words{"--no-sleep"},
                             words{"--shuffle-seed", "5"}, words{"--processes", "block"}})
        EXPECT_TRUE(base == of(how)) << how.front();
}

TEST_F(WhatIf, WithinAKernelTheRestOfItsThreadBlocksIsRun) {
    save({"--checkpoint-at", "1", "--checkpoint-blocks", "90"});
    const result plain = resume(on_), same = what_if(on_);
    const auto of_plain = kernels_of(plain), of_same = kernels_of(same);
    ASSERT_EQ(3u, of_same.size());
    const std::uint64_t begin = same.statistics["resumed"]["core_cycles"];
    EXPECT_EQ(of_plain.at(2)["end_cycle"].get<std::uint64_t>() - begin,
              of_same.at(2)["end_cycle"].get<std::uint64_t>());
    EXPECT_EQ(of_plain.at(3)["gpu_sim_cycle"], of_same.at(3)["gpu_sim_cycle"]);
    EXPECT_EQ(90u, same.statistics["resumed"]["placed_ctas"]);
    EXPECT_THAT(same.run.out, HasSubstr("90 thread blocks of the first kernel had been placed"));
    const result fewer = what_if(on_ + words{"-gpgpu_n_clusters", "20"});
    EXPECT_EQ(of_same.at(2)["gpu_sim_insn"], kernels_of(fewer).at(2)["gpu_sim_insn"]);
    EXPECT_GT(kernels_of(fewer).at(2)["gpu_sim_cycle"], of_same.at(2)["gpu_sim_cycle"]);
}

TEST_F(WhatIf, AProgramComputesItsResultsOnOtherGpus) {
    workload_ = {"--ptx", SIMTLM_PROGRAMS "/histogram.ptx", "--launch",
                 folder_.write("three.launch",
                               "buffer values u32 4096 ramp\n"
                               "buffer counts u32 16 zero\n"
                               "launch histogram grid 12 block 128 args values counts u32:4096\n"
                               "launch histogram grid 12 block 128 args values counts u32:4096\n"
                               "launch histogram grid 300 block 128 args values counts u32:4096\n"
                               "expect counts values 768 768 768 768 768 768 768 768 768 768 768 "
                               "768 768 768 768 768\n")};
    for (const words& place : {words{"--checkpoint-at", "1"},
                               words{"--checkpoint-at", "2", "--checkpoint-blocks", "50"}}) {
        save(place);
        const result plain = resume(on_), same = what_if(on_);
        EXPECT_EQ(plain.statistics["kernels"].back()["end_cycle"].get<std::uint64_t>() -
                      plain.statistics["kernels"].back()["gpu_sim_cycle"].get<std::uint64_t>(),
                  0u + plain.statistics["kernels"].back()["launched_at"].get<std::uint64_t>() - 1);
        if (place.size() == 2) {
            EXPECT_EQ(cycles_of(plain).back(), cycles_of(same).back());
        }
        for (const words& other :
             {words{"--preset", "QV100", "-gpgpu_n_clusters", "20", "--threads", "2"},
              words{"--preset", "H100_PCIE"}, words{"--preset", "TINY"},
              words{"--preset", "QV100", "--core", "simt"}})
            EXPECT_THAT(what_if(other).run.out, HasSubstr("results are as expected")) << other[1];
    }
}

TEST_F(WhatIf, NamesTheOptionsThatDifferAndTheBlocksThatBeginInTheirInitialState) {
    save();
    const result r = what_if(on_ + words{"-gpgpu_l2_rop_latency", "235"});
    EXPECT_THAT(r.run.out, HasSubstr("changed: -gpgpu_l2_rop_latency 195 -> 235"));
    EXPECT_THAT(r.run.out, HasSubstr("in the initial state (-gpgpu_l2_rop_latency 195 -> 235): 32 "
                                     "partition, 64 partition.bank"));
    EXPECT_THAT(r.run.out, HasSubstr("(after kernel 2, core cycle "));
    const json& resumed = r.statistics["resumed"];
    EXPECT_EQ(file_, resumed["checkpoint"]);
    EXPECT_EQ(2u, resumed["kernels"]);
    EXPECT_EQ(1u, resumed["options"].size());
    EXPECT_EQ("195", resumed["options"]["-gpgpu_l2_rop_latency"]["saved"]);
    EXPECT_EQ("235", resumed["options"]["-gpgpu_l2_rop_latency"]["here"]);
    EXPECT_EQ(80u, resumed["blocks"]["cluster.sm"]["restored"]);
    EXPECT_EQ(64u, resumed["blocks"]["partition.bank"]["initial"]);
}

TEST_F(WhatIf, TheProfileOfInstructionsIsThatOfTheWholeRun) {
    const words profile = {"-enable_ptx_file_line_stats", "1"};
    const result whole = run(workload_ + on_ + profile);
    save();
    const result same = what_if(on_ + profile);
    const auto of_whole = kernels_of(whole), of_same = kernels_of(same);
    ASSERT_EQ(2u, of_same.size());
    for (const auto& [uid, k] : of_same)
        EXPECT_TRUE(of_whole.at(uid)["instructions"] == k["instructions"]) << uid;
    // Fetches of instructions are not accesses of an instruction.
    for (const json& k : whole.statistics["kernels"])
        for (const json& i : k["instructions"])
            if (i["opcode"].get<std::string>().rfind("MOV", 0) == 0) {
                EXPECT_TRUE(i["l2"].empty()) << i;
            }
}

TEST_F(WhatIf, IsRejectedInOneLine) {
    save();
    const auto expect = [&](const words& arguments, const char* message) {
        const outcome o = simulate(workload_ + arguments);
        EXPECT_EQ(2, o.code) << message;
        EXPECT_EQ(1u, o.error_lines().size()) << o.err;
        EXPECT_THAT(o.err, HasSubstr(message));
    };
    const words resume = {"--resume", file_, "--resume-what-if"};
    expect(on_ + words{"--resume", file_, "-gpgpu_n_clusters", "40"}, "--resume-what-if");
    // An instruction latency belongs to the GPU like any other.
    expect(on_ + words{"--resume", file_, "-trace_opcode_latency_initiation_int", "9,9"},
           "-trace_opcode_latency_initiation_int");
    expect(on_ + words{"--resume-what-if"}, "has no effect without a checkpoint");
    expect(on_ + resume + words{"--checkpoint", folder_.path("c"), "--checkpoint-at", "3"},
           "cannot be saved");
    expect(on_ + resume + words{"-power_simulation_enabled", "1"}, "-power_simulation_enabled");
    expect(on_ + resume + words{"--ctas", "1-2"}, "another workload: with --ctas");
    expect(on_ + resume + words{"-gpgpu_shader_registers", "256"}, "registers");
    workload_ = {"-trace", sample("reduction")};
    expect(on_ + resume, "traces with other contents");
}

class WhatIfOnRandomGpus : public testing::TestWithParam<unsigned> {};

constexpr unsigned parts = 2;  // tests that can run in parallel

TEST_P(WhatIfOnRandomGpus, EveryGpuResumesItsOwnCheckpointAndThatOfAnother) {
    const std::uint64_t seed = from_environment("SIMTLM_SEED", 11);
    const std::uint64_t wanted = from_environment("SIMTLM_CONFIGURATIONS", 10);
    unsigned resumed = 0;
    for (std::uint64_t number = GetParam(); number < wanted; number += parts) {
        SCOPED_TRACE("number " + std::to_string(number));
        const scratch_folder folder;
        const random_configuration first(seed, number, folder), second(seed, number + 1, folder);
        std::string line;
        for (const std::string& word : first.options) line += "'" + word + "' ";
        SCOPED_TRACE(line);
        const std::string json_file = folder.path("s.json"), file = folder.path("checkpoint");
        const auto on = [&](const random_configuration& gpu, const words& more) {
            std::filesystem::remove(json_file);
            const words run = {"-trace", sample("streams"), "--quiet", "--stats-json", json_file};
            result r{simulate(gpu.options + run + more), {}};
            if (r.run.code == 0) r.statistics = read_json(json_file);
            return r;
        };
        const words place =
            number % 2 == 0 ? words{"--checkpoint-at", "1"} : words{"--checkpoint-blocks", "3"};
        if (on(first, words{"--checkpoint", file} + place).run.code != 0) continue;
        const words resume = {"--resume", file}, what_if = resume + words{"--resume-what-if"};
        const result plain = on(first, resume), same = on(first, what_if);
        if (same.run.code != 0) {  // its power is simulated
            EXPECT_THAT(same.run.err, HasSubstr("does not support"));
            continue;
        }
        ++resumed;
        EXPECT_EQ(cycles_of(plain).back(), cycles_of(same).back());
        const result other = on(second, what_if);
        if (other.run.code == 0) {
            EXPECT_EQ(same.statistics["total"]["gpu_tot_sim_insn"],
                      other.statistics["total"]["gpu_tot_sim_insn"]);
        } else {
            EXPECT_EQ(2, other.run.code) << other.run.err;
            EXPECT_EQ(1u, other.run.error_lines().size()) << other.run.err;
        }
    }
    EXPECT_NE(0u, resumed);
}

INSTANTIATE_TEST_SUITE_P(Parts, WhatIfOnRandomGpus, testing::Range(0u, parts));

}  // namespace
}  // namespace simtlm::test
