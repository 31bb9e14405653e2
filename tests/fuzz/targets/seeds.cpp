// SPDX-License-Identifier: Apache-2.0
// fuzz_seeds FOLDER REPOSITORY: writes the seeds of each fuzz target to FOLDER/TARGET/.
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

void write_seeds(const fs::path& repository) {
    put("fat_binary", "ptx", fat_binary());
    copy_texts("cubin", repository / "tests/unit/sass/cubins", ".cubin");
    for (const char* name : {"parts_functions.sm_80.cubin", "parts_kernels.sm_90.cubin"})
        put("linker", name,
            test::bytes_of_file((repository / "tests/system/machine_code" / name).string()));
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
