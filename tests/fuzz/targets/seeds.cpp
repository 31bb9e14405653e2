// SPDX-License-Identifier: Apache-2.0
// fuzz_seeds FOLDER REPOSITORY: writes the seeds of each fuzz target to FOLDER/TARGET/.
#include "platform/outputs/checkpoint_file.h"
#include "tests/unit/trace/binary_bytes.h"
#include "tests/unit/trace/tracez_writer.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>

namespace {

namespace fs = std::filesystem;
using namespace simtlm;

fs::path root;

void put(const std::string& target, const std::string& name, const std::string& bytes) {
    fs::create_directories(root / target);
    std::ofstream(root / target / name, std::ios::binary) << bytes;
}

const std::string trace_text = R"(-kernel name = _Z1kPf
-kernel id = 1
-grid dim = (2,1,1)
-block dim = (64,1,1)
-shmem = 1024
-nregs = 16
-binary version = 80
-cuda stream id = 0
-shmem base_addr = 0x00007f0000000000
-local mem base_addr = 0x00007f0002000000
-nvbit version = 1.8
-accelsim tracer version = 5
-enable lineinfo = 0

#BEGIN_TB
thread block = 0,0,0
cluster id = 0,0,0
warp = 0
insts = 6
0000 ffffffff 1 R1 MOV 0 0 0 0
0010 0000000f 1 R4 LDG.E.64 1 R2 8 0 0x7f5800000000 0x7f5800000100 0x10 0x20 0 0
0020 ffffffff 1 R5 LD.E 1 R2 4 1 0x7f0000000010 4 0 0
0030 000000ff 0 STS 2 R6 R5 4 2 0x0 4 4 -4 8 4 4 4 0 0
0040 ffffffff 0 BAR.SYNC 0 0 1 64
0050 ffffffff 0 EXIT 0 0 0 0
warp = 1
insts = 2
0000 ffffffff 1 R1 LDC.U8 1 UR4 1 1 0x0 0 0 0 NoVal
0050 ffffffff 0 DEPBAR.LE 0 0 3 0
#END_TB
#BEGIN_TB
thread block = 1,0,0
warp = 0
insts = 1
0050 00000000 0 EXIT 0 0 0 0
warp = 1
insts = 0
#END_TB
)";

void write_traces(const fs::path& repository) {
    put("kernel_text", "small", trace_text + '\0');
    put("kernel_text", "shared", trace_text + '\2');
    for (const std::string dictionary : {"", "0050 ffffffff 0 EXIT 0 0 0 0 LDG.E.64 0x7f58"})
        put("tracez", dictionary.empty() ? "plain" : "dictionary",
            test::tracez_writer::pack_text(trace_text, {2, dictionary, true, true, false}) + ' ');
    const std::string text = (root / "k.traceg").string(), binary = (root / "k.simtlm").string();
    std::ofstream(text) << trace_text;
    test::convert(text, binary);
    put("binary_trace", "small", test::bytes_of_file(binary) + '\0');
    put("binary_trace", "recorded", test::bytes_of_file(binary) + ' ');
    fs::remove(text);
    fs::remove(binary);
    const fs::path packed = repository / "traces/divergence/kernel-1.traceg.xz";
    if (fs::exists(packed)) put("archive", "xz", test::bytes_of_file(packed.string()) + '\0');
}

void copy_texts(const std::string& target, const fs::path& folder, const std::string& extension) {
    std::error_code none;
    for (const auto& entry : fs::recursive_directory_iterator(folder, none))
        if (entry.path().extension() == extension)
            put(target,
                entry.path().parent_path().filename().string() + "-" +
                    entry.path().filename().string(),
                test::bytes_of_file(entry.path().string()));
}

/// A fat binary with one uncompressed entry that contains PTX.
std::string fat_binary() {
    const std::string ptx = ".version 6.4\n.target sm_70\n.address_size 64\n";
    std::string entry(64, '\0');
    const auto put_at = [](std::string& s, std::size_t at, auto value) {
        s.replace(at, sizeof value, reinterpret_cast<const char*>(&value), sizeof value);
    };
    put_at(entry, 0, std::uint16_t{1});
    put_at(entry, 4, std::uint32_t{64});
    put_at(entry, 8, std::uint64_t{ptx.size()});
    put_at(entry, 28, std::uint32_t{70});
    std::string head(16, '\0');
    put_at(head, 0, std::uint32_t{0xba55ed50});
    put_at(head, 4, std::uint16_t{1});
    put_at(head, 6, std::uint16_t{16});
    put_at(head, 8, std::uint64_t{entry.size() + ptx.size()});
    return head + entry + ptx;
}

/// A statistics file with a kernel.
std::string statistics(unsigned list_number) {
    return R"json({"schema": {"name": "simtlm-statistics", "version": 2}, "simtlm": "1",
"provenance": {"version": "1", "commit": "c", "command_line": ["simtlm"],
 "started": "2026-01-01T00:00:00Z", "host": "h", "presets": ["TINY"], "shuffle_seed": null,
 "inputs": [{"role": "program", "path": "k.ptx", "bytes": 1,
             "xxh128": "00000000000000000000000000000000"}]},
"gpu": {"core": "modern", "compute_capability": "8.0", "sms": 2, "schedulers_per_sm": 4,
 "warp_size": 32, "warps_per_sm": 64, "registers_per_sm": 65536, "memory_channels": 2,
 "clock_hz": {"core": 1e9, "network": 1e9, "l2": 1e9, "dram": 1e9},
 "peaks": {"thread_instructions_per_cycle": 128, "dram_bytes_per_second": 1e11}},
"ended": "finished", "config": {"-gpgpu_n_clusters": "2", "--quirk": ["a"]}, "origins": {},
"total": {"gpu_tot_sim_cycle": 100, "gpu_tot_sim_insn": 400, "gpu_tot_ipc": 4.0, "note": null,
 "L2_total_cache_accesses": 8, "L2_total_cache_misses": 4},
"histograms": {"mf_lat_table": [1, 2, 3]},
"kernels": [{"name": "_Z1kPf", "demangled_name": "k(float*)", "list_number": )json" +
           std::to_string(list_number) + R"json(,
 "kernel_id": 1, "launch_uid": 1, "stream": 0, "finished": true, "launched_at": 0,
 "start_cycle": 5, "end_cycle": 100, "ctas": 4, "ctas_per_sm": 2, "grid": [4, 1, 1],
 "block": [64, 1, 1], "registers": 16, "shared_memory": 0, "occupancy_limits": ["grid"],
 "gpu_sim_cycle": 100, "gpu_sim_insn": 400, "gpu_ipc": 4.0, "gpu_occupancy": 50.0, "L2_BW": 1.5,
 "counters": {"sm": {"cycles": 100, "issue_cycles": 20, "warp_instructions": 20,
   "memory_stalls": 3, "stalls": {"global_load.bank_conflict": 2}}, "l1d": {"accesses": 4}},
 "instructions": [{"pc": 16, "opcode": "LDG.E", "line": 3, "text": "LDG.E R1, [R2]",
   "source": "/k.cu:3", "issues": 8, "waited": 5, "waits": {"memory": 5}, "awaited": 9,
   "memory_issues": 8, "transactions": 16, "l1": {"MISS": 4}, "dram_bytes": 512}]}],
"counters": {"sm": {"cycles": {"unit": "core cycles", "meaning": "m", "adds": "sum"}}},
"blocks": {"gpu.sm0": {"kind": "sm", "counters": {"cycles": 50, "stalls": {"x": 1}}}}})json";
}

void write_readers() {
    put("profile", "compute",
        "==PROF== x\n\"ID\",\"Process ID\",\"Kernel Name\",\"Grid Size\",\"Block Size\","
        "\"gpu__time_duration.sum\",\"smsp__inst_executed.sum\"\n\"\",\"\",\"\",\"\",\"\",\"us\","
        "\"inst\"\n"
        "\"0\",\"7\",\"void k<(int)4>(T1 *)\",\"(4, 1, 1)\",\"(64, 1, 1)\",\"1,234.5\",\"20\"\n" +
            std::string(1, '\0') + statistics(1));
    put("profile", "details",
        "ID;Kernel Name;Metric Name;Metric Unit;Metric Value\n0;k;Duration;ns;1.234,5\n"
        "0;k;Memory Throughput;Gbyte/s;12,5\n" +
            std::string(1, '\0') + statistics(1));
    put("profile", "systems",
        "Time (%),Total Time (ns),Instances,Name\n100,2468,2,\"k(float*)\"\n\n"
        "Start (ns),Duration (ns),GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Name\n5,9,4,1,1,64,1,1,k\n" +
            std::string(1, '\0') + statistics(1));
    put("statistics", "one", statistics(1));
    put("statistics", "two", statistics(1) + '\0' + statistics(2));
    put("sweep", "all",
        "workloads:\n  - {name: w, trace: /, options: {--any-binary-version: true}}\n"
        "  - {cuda: /, arguments: [1, b], environment: {A: b}, folder: /, shards: 2, warm-up: 1}\n"
        "  - {ptx: /, launch: /}\npresets: [TINY, QV100]\nconfigurations:\n"
        "  - {name: c, files: [/], options: {-gpgpu_n_mem: 4}}\n"
        "axes: {-gpgpu_n_clusters: [20, 40]}\n"
        "paired:\n  - {-gpgpu_shmem_size: [1, 2], -gpgpu_l1_latency: [3, 4]}\n"
        "options: {--threads: 2, --vcd: \"{run}/w.vcd\"}\nstatistics: [gpu_tot_ipc]\n"
        "measured: {w: 1.5e3}\ntimeout: 60\nslurm: [--mem=4G]\noutput: out\n");
    platform::checkpoint_contents c;
    c.kernels = 3;
    c.time = 1234567;
    c.options = {{"-gpgpu_n_clusters", "2"}};
    c.state = std::string(1000, 's') + "state";
    put("checkpoint", "trace", c.packed() + '\0');
    c.host_log = "log";
    put("checkpoint", "host", c.packed() + '\1');
}

void write_seeds(const fs::path& repository) {
    write_readers();
    put("fat_binary", "ptx", fat_binary());
    copy_texts("cubin", repository / "tests/unit/sass/cubins", ".cubin");
    for (const char* architecture : {"80", "90"}) {
        std::string all;
        for (const char* part : {"kernels", "functions"}) {
            const std::string name =
                std::string("parts_") + part + ".sm_" + architecture + ".cubin";
            const std::string bytes =
                test::bytes_of_file((repository / "tests/system/machine_code" / name).string());
            put("linker", name, bytes);
            all += (all.empty() ? "" : "\n--\n") + bytes;
        }
        put("linker", std::string("parts.sm_") + architecture, all);
    }
    copy_texts("machine_code", repository / "tests/unit/sass/cubins", ".cubin");
    for (const char* name : {"conditions.sm_80.cubin", "collectives.sm_90.cubin",
                             "functions.sm_75.cubin", "tiles.sm_90.cubin", "recursion.sm_80.cubin",
                             "sparse_80.sm_80.cubin", "halves.sm_75.cubin"})
        put("machine_code", name,
            test::bytes_of_file((repository / "tests/system/machine_code" / name).string()));
    copy_texts("launch_file", repository / "programs", ".launch");
    put("launch_file", "all",
        "buffer a u32 64 ramp 1 2\nbuffer b f32 8 random 7 -1 1.5\nbuffer c u8 4 values 1 2 -3 "
        "0x7f\n"
        "buffer d f64 4 unwritten\nset factor u32 values 3\n# comment\nlaunch twice grid 2,3 block "
        "64 cluster 2 shared 128 stream 4 \\\n  cooperative args a+16 u32:7\n"
        "expect a buffer a tolerance 0.5\nexpect c values 1 2 -3 0x7f\n");
    put("debugger", "all",
        "b a.ptx:3 33 if kernel == 1\nb line 3\nb pc 0x10\nb op LDG\ntb warp 0:0\nb cta 1,0,0\n"
        "b kernel kernel\nb end 1\nb if cycle > 3 && %r2 == 7\nw table:8 rw\nw 0x1000:4 w\n"
        "w %r2 0:0:3\ni b\nc\ns 3\nl 4\ndp 0\ndm table 64\ndm shared 0 4\ndm p 0\ni k\ni w\n"
        "i r 0:0:2\ni wait\nf 0:0:1\np [0x1000]:8 + (1 << 3) * ~mask % 7\np R1\n"
        "p gpu.sm0:issued\nu 40\nd 1 2\nd\nh\nq\n");
    put("opencl_options", "build",
        '\0' +
            std::string("-D A=1 -DF(x)='x + 1' -U B -I inc -I\"a b\" -cl-std=CL3.0 -w -Wno-unused "
                        "-cl-mad-enable -cl-nv-maxrregcount=32 -cl-nv-opt-level 3 -x clc -g"));
    put("opencl_options", "link", "\2-create-library -enable-link-options -cl-no-signed-zeros");
    write_traces(repository);
    put("command_list", "all",
        "\xef\xbb\xbf--skip-kernels 0\n--kernels 1-,@k\nMemcpyHtoD,0x00007f5800000000,65536\n\n"
        "kernel-1.traceg\n# c\ncudaDeviceSynchronize\nMemcpyDtoH,0x00007f5800000000,65536\n");
    put("opcode_file", "two",
        "# mine\n[ampere]\nsp half: FADD2\n[new : hopper] 100 120\nload shared ldsm: LDT LDU\n");
    put("network_file", "mesh",
        "topology = mesh;\nk = 6;\nn = 2;\nrouting_function = dor;\nnum_vcs = 1;\n"
        "vc_buf_size = 8;\nwait_for_tail_credit = 0;\n// c\ntraffic = uniform;\n");
    copy_texts("options", repository / "configs", ".config");
    copy_texts("ptx", repository / "tests", ".ptx");
    put("ptx", "small",
        ".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .b64 %rd<3>;\n.reg .f32 %f<2>;\n.reg .pred %p<2>;\nld.param.u64 %rd1, [p];\n"
        "L: ld.global.f32 %f1, [%rd1+4];\nsetp.gt.f32 %p1, %f1, 0f3F800000;\n@%p1 bra L;\n"
        "ret;\n}\n");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: fuzz_seeds FOLDER REPOSITORY\n");
        return 2;
    }
    try {
        root = argv[1];
        fs::create_directories(root);
        write_seeds(argv[2]);
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "fuzz_seeds: %s\n", e.what());
        return 1;
    }
}

/// Required by the SystemC library.
extern "C" int sc_main(int, char**) {
    return 0;
}
