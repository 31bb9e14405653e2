// SPDX-License-Identifier: Apache-2.0
// simtlm-report on runs of the simulator, and its page in a browser if one is installed.
#include "tests/system/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace simtlm::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string statistics_of(const scratch_folder& folder, const std::string& trace,
                          const std::string& name, std::vector<std::string> more) {
    more.insert(more.end(), {"--stats-json", folder.path(name)});
    const outcome o = simulate(on_tiny(sample(trace), more));
    EXPECT_EQ(0, o.code) << o.err;
    return folder.path(name);
}

nlohmann::json report_of(const scratch_folder& folder, std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--format", "json", "-o", folder.path("report.json")});
    const outcome o = tool("simtlm-report", arguments);
    EXPECT_EQ(0, o.code) << o.err;
    return read_json(folder.path("report.json"));
}

TEST(StatisticsFile, HasPeakRatesAndTheLimitOfOccupancy) {
    const scratch_folder folder;
    const nlohmann::json s = read_json(statistics_of(folder, "sgemm_tile", "s.json", {}));
    EXPECT_EQ(2, s["gpu"]["sms"]);
    EXPECT_GT(s["gpu"]["peaks"]["dram_bytes_per_second"].get<double>(), 0);
    const nlohmann::json& k = s["kernels"][0];
    EXPECT_EQ(3u, k["grid"].size());
    EXPECT_GT(k["registers"].get<int>(), 0);
    EXPECT_FALSE(k["occupancy_limits"].empty());
}

TEST(StatisticsFile, HasTheSharedMemoryBanksForThePeakRateOfTheL1) {
    const scratch_folder folder;
    const nlohmann::json s =
        read_json(statistics_of(folder, "vecadd", "s.json", {"--core", "modern"}));
    const nlohmann::json& peaks = s["gpu"]["peaks"];
    EXPECT_EQ(peaks["shared_bytes_per_second"], peaks["l1_bytes_per_second"]);
    const double core_hz = s["gpu"]["clock_hz"]["core"];
    EXPECT_DOUBLE_EQ(2 * 32 * 4 * core_hz, peaks["l1_bytes_per_second"].get<double>());
}

class InstructionProfile : public testing::TestWithParam<const char*> {};

TEST_P(InstructionProfile, AttributesAStallToTheLoadThatCausesIt) {
    const scratch_folder folder;
    const nlohmann::json s = read_json(statistics_of(
        folder, "pchase", "s.json", {"--core", GetParam(), "-enable_ptx_file_line_stats", "1"}));
    std::string blamed;
    double most = 0, awaited = 0, waits = 0;
    for (const nlohmann::json& i : s["kernels"][0]["instructions"]) {
        const double a = i["awaited"];
        awaited += a;
        for (const char* why : {"memory", "scoreboard"})
            if (i.contains("waits")) waits += i["waits"].value(why, 0.0);
        if (a > most) {
            most = a;
            blamed = i["opcode"];
        }
    }
    EXPECT_THAT(blamed, HasSubstr("LD"));  // a pointer chase waits for its loads
    EXPECT_GT(most, 0.5 * awaited);
    EXPECT_GT(awaited, 0.9 * waits);  // nearly every wait for a register has a producer
    EXPECT_LE(awaited, waits);
}

INSTANTIATE_TEST_SUITE_P(Cores, InstructionProfile, testing::Values("classic", "modern"),
                         [](const auto& name) { return std::string(name.param); });

TEST(ReportTool, RanksTheBottlenecksOfAKernel) {
    const scratch_folder folder;
    const std::string run =
        statistics_of(folder, "pchase", "s.json", {"-enable_ptx_file_line_stats", "1"});
    const nlohmann::json k = report_of(folder, {run})["runs"][0]["kernels"][0];
    ASSERT_FALSE(k["findings"].empty());
    double before = 1e9;
    for (const nlohmann::json& f : k["findings"]) {
        EXPECT_LE(f["speed_up"].get<double>(), before);
        before = f["speed_up"];
        EXPECT_NE("", f["remedy"]);
    }
    EXPECT_EQ(k["findings"][0]["limiter"], k["bound"]) << "one reason, one answer";
    // A chain of dependent loads, by one thread: the idle SMs, then the load.
    const auto waits =
        std::find_if(k["findings"].begin(), k["findings"].end(),
                     [](const nlohmann::json& f) { return f["limiter"] == "memory latency"; });
    ASSERT_NE(waits, k["findings"].end()) << k["findings"].dump(1);
    EXPECT_THAT((*waits)["places"][0]["where"].get<std::string>(), HasSubstr("LDG"));
    double slots = 0;
    for (const nlohmann::json& s : k["slots"]) slots += s.get<double>();
    EXPECT_NEAR(1, slots, 0.01);
    // Launch latency is separate from the kernel's own cycles.
    const nlohmann::json s = read_json(run)["kernels"][0];
    EXPECT_EQ(s["start_cycle"].get<int>() - s["launched_at"].get<int>(), k["launch"].get<int>());
}

TEST(ReportTool, ReadsSamplesFromDatabaseAndCsv) {
    const scratch_folder folder;
    const std::string run =
        statistics_of(folder, "vecadd", "s.json",
                      {"--interval", "100", "--interval-db", folder.path("t.db"), "--interval-csv",
                       folder.path("t.csv")});
    const auto time_of = [&](const char* file) {
        return report_of(folder, {run, "--samples", folder.path(file)})["runs"][0]["time"];
    };
    const nlohmann::json found = report_of(folder, {run})["runs"][0]["time"];
    EXPECT_EQ(time_of("t.db"), time_of("t.csv"));
    EXPECT_EQ(found, time_of("t.db"));  // at the location recorded by the run
    EXPECT_EQ(found["cycles"].size(), found["whole"]["ipc"].size());
    EXPECT_EQ(2u, found["maps"][0]["units"].size());
}

TEST(ReportTool, ShowsThePtxOfAProgram) {
    const scratch_folder folder;
    const std::string programs = SIMTLM_PROGRAMS;
    ASSERT_EQ(0, simulate({"--preset", "TINY", "--ptx", programs + "/saxpy.ptx", "--launch",
                           programs + "/saxpy.launch", "-enable_ptx_file_line_stats", "1",
                           "--stats-json", folder.path("s.json")})
                     .code);
    const nlohmann::json profile = report_of(folder, {folder.path("s.json")})["runs"][0]["profile"];
    const nlohmann::json& p = profile.front();
    EXPECT_EQ("PTX", p["line_kind"]);
    bool load = false;
    for (const auto& [line, text] : p["text"].items())
        load |= text.get<std::string>().find("ld.global") != std::string::npos;
    EXPECT_TRUE(load);
}

TEST(ReportTool, ShowsTheCudaSourceOfAProgramThatHasLineNumbers) {
    const scratch_folder folder;
    const std::string source = folder.write("twice.cu", "// a kernel\nx[i] = 2 * x[i];\n");
    folder.write("twice.ptx", R"(.version 6.3
.target sm_70
.address_size 64
.visible .entry twice(.param .u64 x)
{
    .reg .b32 %r<3>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [x];
    .loc 1 2 0
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 4;
    add.s64 %d3, %d1, %d2;
    ld.global.u32 %r2, [%d3];
    shl.b32 %r2, %r2, 1;
    st.global.u32 [%d3], %r2;
    ret;
}
.file 1 ")" + source + "\"\n");
    const outcome o =
        simulate({"--preset", "TINY", "--ptx", folder.path("twice.ptx"), "--launch",
                  folder.write("twice.launch",
                               "buffer x u32 32 ramp\n"
                               "launch twice grid 1 block 32 args x\n"),
                  "-enable_ptx_file_line_stats", "1", "--stats-json", folder.path("s.json")});
    ASSERT_EQ(0, o.code) << o.err;
    bool in_file = false;
    const nlohmann::json statistics = read_json(folder.path("s.json"));
    for (const nlohmann::json& i : statistics["kernels"][0]["instructions"])
        if (i["opcode"] == "ld.global.u32") {
            in_file = true;
            EXPECT_EQ(source + ":2", i["source"]);
            EXPECT_EQ("ld.global.u32 %r2, [%d3]", i["text"]);
        }
    EXPECT_TRUE(in_file);
    const nlohmann::json run = report_of(folder, {folder.path("s.json")})["runs"][0];
    EXPECT_EQ("x[i] = 2 * x[i];", run["profile"]["twice"]["source"]["twice.cu:2"]);
    EXPECT_EQ("twice.cu:2", run["profile"]["twice"]["rows"].back()["src"]);
}

/// Three kernels with a fault each: strided loads, bank conflicts, and branches that diverge.
const char* const faulty_kernels = R"(.version 6.3
.target sm_70
.address_size 64
.visible .entry strided(.param .u64 x)
{
    .reg .b32 %r<6>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [x];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r1, %r2, %r3, %r1;
    mul.wide.u32 %d2, %r1, 128;
    add.s64 %d3, %d1, %d2;
    ld.global.u32 %r4, [%d3];
    add.u32 %r4, %r4, 1;
    st.global.u32 [%d3], %r4;
    ret;
}
.visible .entry conflicts(.param .u64 x)
{
    .reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p;
    .shared .align 4 .b8 tile[4096];
    mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; shl.b32 %r2, %r2, 7;
    mov.u32 %r3, tile; add.u32 %r2, %r2, %r3; mov.u32 %r4, 0; mov.u32 %r6, 0;
again:
    st.shared.u32 [%r2], %r4;
    ld.shared.u32 %r5, [%r2]; add.u32 %r6, %r6, %r5;
    add.u32 %r4, %r4, 1; setp.lt.u32 %p, %r4, 64;
    @%p bra again;
    ld.param.u64 %d1, [x]; mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;
    st.global.u32 [%d3], %r6;
    ret;
}
.visible .entry diverging(.param .u64 x)
{
    .reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p;
    mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; shl.b32 %r2, %r2, 4; add.u32 %r2, %r2, 1;
    mov.u32 %r4, 0; mov.u32 %r6, 1;
again:
    mad.lo.u32 %r6, %r6, 5, %r4; xor.b32 %r6, %r6, %r1;
    add.u32 %r4, %r4, 1; setp.lt.u32 %p, %r4, %r2;
    @%p bra again;
    ld.param.u64 %d1, [x]; mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;
    st.global.u32 [%d3], %r6;
    ret;
}
)";

TEST(ReportTool, NamesTheFaultTheInstructionAndTheRemedyOfClassicCases) {
    const scratch_folder folder;
    const outcome o =
        simulate({"--preset", "TINY", "--core", "sub-core", "-gpgpu_kernel_launch_latency", "0",
                  "--ptx", folder.write("k.ptx", faulty_kernels), "--launch",
                  folder.write("k.launch",
                               "buffer x u32 1048576 ramp\n"
                               "launch strided grid 128 block 256 args x\n"
                               "launch conflicts grid 8 block 256 args x\n"
                               "launch diverging grid 8 block 256 args x\n"),
                  "-enable_ptx_file_line_stats", "1", "--stats-json", folder.path("s.json")});
    ASSERT_EQ(0, o.code) << o.err;
    const nlohmann::json kernels = report_of(folder, {folder.path("s.json")})["runs"][0]["kernels"];
    const auto finding = [&](std::size_t kernel, const std::string& limiter) {
        for (const nlohmann::json& f : kernels[kernel]["findings"])
            if (f["limiter"] == limiter) return f;
        ADD_FAILURE() << limiter << " is missing: " << kernels[kernel]["findings"].dump(1);
        return nlohmann::json{{"places", {{{"where", ""}, {"degree", ""}}}}};
    };
    const auto place = [](const nlohmann::json& f, const char* member) {
        return f["places"][0][member].get<std::string>();
    };
    const nlohmann::json uncoalesced = finding(0, "uncoalesced accesses");
    EXPECT_THAT(place(uncoalesced, "where"), HasSubstr("ld.global.u32"));
    EXPECT_EQ("32.0 sectors per request instead of 4", place(uncoalesced, "degree"));
    EXPECT_EQ("bank conflicts", kernels[1]["bound"]);
    EXPECT_THAT(place(finding(1, "bank conflicts"), "degree"), HasSubstr("32.0-way conflicts"));
    EXPECT_EQ("divergence", kernels[2]["bound"]);
    EXPECT_THAT(place(finding(2, "divergence"), "where"), HasSubstr("bra"));
    EXPECT_EQ(32, kernels[0]["transactions"]) << "parameters do not count";
    const outcome one = tool("simtlm-report", {"--summary", "conflicts", folder.path("s.json")});
    EXPECT_THAT(one.out, HasSubstr("1. Shared memory bank conflicts"));
    EXPECT_THAT(one.out, HasSubstr("warp slots"));
    const outcome none = tool("simtlm-report", {"--summary", "nothing", folder.path("s.json")});
    EXPECT_EQ(2, none.code);
    EXPECT_THAT(none.err, HasSubstr("has no kernel 'nothing'"));
}

TEST(ReportTool, HasATableOfInstructionsForEachLaunchOfAKernel) {
    const scratch_folder folder;
    const outcome o =
        simulate({"--preset", "TINY", "--ptx", folder.write("k.ptx", faulty_kernels), "--launch",
                  folder.write("k.launch",
                               "buffer x u32 1048576 ramp\n"
                               "launch strided grid 1 block 32 args x\n"
                               "launch strided grid 3 block 32 args x\n"),
                  "-enable_ptx_file_line_stats", "1", "--stats-json", folder.path("s.json")});
    ASSERT_EQ(0, o.code) << o.err;
    const nlohmann::json run = report_of(folder, {folder.path("s.json")})["runs"][0];
    const auto issues = [&](const std::string& profile) {
        return run["profile"][profile]["rows"][0]["n"].get<int>();
    };
    EXPECT_EQ("strided#2", run["kernels"][1]["profile"]);
    EXPECT_EQ(1, issues("strided#1"));
    EXPECT_EQ(3, issues("strided#2"));
    EXPECT_EQ(4, issues("strided")) << "of all launches";
}

TEST(ReportTool, SummarisesARunInThirtyLines) {
    const scratch_folder folder;
    const std::string run = statistics_of(folder, "streams", "s.json", {});
    const outcome o = tool("simtlm-report", {"--summary", run});
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_LE(std::count(o.out.begin(), o.out.end(), '\n'), 30);
    EXPECT_THAT(o.out, HasSubstr("launch latency"));
    EXPECT_THAT(o.out, HasSubstr("Why "));
}

TEST(ReportTool, RejectsUnsupportedFiles) {
    const scratch_folder folder;
    EXPECT_EQ(2, tool("simtlm-report", {"-o", folder.path("p.html")}).code);
    const std::string run = statistics_of(folder, "vecadd", "s.json", {});
    EXPECT_EQ(2, tool("simtlm-report", {run}).code);  // no --output
    EXPECT_EQ(2, tool("simtlm-report", {run, "-o", run}).code);
    EXPECT_EQ(2, tool("simtlm-report", {run, "-o", folder.path("p"), "--samples", run}).code);
    EXPECT_EQ(2, tool("simtlm-report", {run, "-o", folder.path("p"), "--source", "/none"}).code);
    EXPECT_THAT(folder.files(), testing::ElementsAre("s.json"));
}

TEST(ReportPage, HasNoExternalResources) {
    const scratch_folder folder;
    const std::string run = statistics_of(folder, "vecadd", "s.json", {});
    ASSERT_EQ(0, tool("simtlm-report", {run, "-o", folder.path("p.html")}).code);
    const std::string page = read_file(folder.path("p.html"));
    EXPECT_THAT(page, HasSubstr("default-src 'none'"));
    EXPECT_THAT(page, Not(HasSubstr(" src=")));
    EXPECT_THAT(page, Not(HasSubstr("@import")));
    EXPECT_THAT(page, Not(HasSubstr("<link")));
    EXPECT_THAT(page, Not(HasSubstr("fetch(")));
}

// ---- in a browser ---------------------------------------------------------------------------

std::string browser() {
    std::istringstream path(std::getenv("PATH") != nullptr ? std::getenv("PATH") : "");
    for (std::string folder; std::getline(path, folder, ':');)
        for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
            if (access((folder + "/" + name).c_str(), X_OK) == 0) return folder + "/" + name;
    return {};
}

/// Opens a page with an additional script of the test, and returns the resulting document.
std::string shown(const scratch_folder& folder, std::string page, const std::string& script) {
    const std::string watch =
        "<script>window.onerror = m => document.documentElement.dataset.fault = m;</script>";
    page.insert(page.find("<style>"), watch);
    page.insert(page.rfind("</body>"), "<script>" + script + "</script>");
    const std::string file = folder.write("shown.html", page);
    // The page's own policy permits inline scripts.
    const std::string command =
        browser() +
        " --headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
        "--disable-background-networking --disable-component-update --disable-sync "
        "--user-data-dir='" +
        folder.path("profile") + "' --virtual-time-budget=3000 --dump-dom 'file://" + file +
        "' 2>/dev/null";
    std::string text;
    if (FILE* p = popen(command.c_str(), "r")) {
        char buffer[65536];
        for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, p)) > 0;) text.append(buffer, n);
        pclose(p);
    }
    const std::size_t data = text.find("<script type=\"application/json\"");
    return text.substr(0, data) + text.substr(std::min(text.size(), text.find("</script>", data)));
}

#define SIMTLM_NEEDS_A_BROWSER() \
    if (browser().empty()) GTEST_SKIP() << "there is no chromium on this machine"

TEST(ReportPage, RendersWithoutErrorsAndHandlesTheKeyboard) {
    SIMTLM_NEEDS_A_BROWSER();
    const scratch_folder folder;
    const std::string run = statistics_of(folder, "sample", "s.json",
                                          {"-enable_ptx_file_line_stats", "1", "--interval", "200",
                                           "--interval-db", folder.path("t.db")});
    const std::string other =
        statistics_of(folder, "sample", "o.json", {"-gpgpu_l2_rop_latency", "300"});
    ASSERT_EQ(0, tool("simtlm-report", {run, other, "-o", folder.path("p.html")}).code);
    const std::string dom = shown(
        folder, read_file(folder.path("p.html")),
        "const grid = document.getElementById('kernels');"
        "const press = key => grid.dispatchEvent(new KeyboardEvent('keydown', {key}));"
        "press('Home'); const first = document.getElementById('kname').textContent;"
        "press('ArrowDown'); const second = document.getElementById('kname').textContent;"
        "document.body.append('keys: ' + first + ' | ' + second);"
        "document.body.append(' unnamed: ' + [...document.querySelectorAll('[role=img],button,"
        "input,[role=grid]')].filter(e => !e.getAttribute('aria-label') && "
        "!e.textContent.trim()).length);"
        "document.body.append(' charts: ' + document.querySelectorAll('svg').length);");
    EXPECT_THAT(dom, HasSubstr("data-ready=\"1\""));
    EXPECT_THAT(dom, Not(HasSubstr("data-fault")));
    EXPECT_THAT(dom, HasSubstr("keys: 1  vecadd | 2  sgemm_tile"));
    EXPECT_THAT(dom, HasSubstr("unnamed: 0"));
    EXPECT_THAT(dom, HasSubstr("charts: 8"));  // two rooflines, memory chart, five curves
    EXPECT_THAT(dom, HasSubstr("Memory chart. Shared memory: busy in"));
    EXPECT_THAT(dom, HasSubstr("Comparison"));
}

TEST(ReportPage, ShowsNamesWithMarkupAsText) {
    SIMTLM_NEEDS_A_BROWSER();
    const scratch_folder folder;
    nlohmann::json s = read_json(statistics_of(folder, "vecadd", "s.json", {}));
    const std::string name = "<img src=x onerror='document.body.dataset.run=1'>@DATA@</script>";
    for (const char* member : {"name", "demangled_name"}) s["kernels"][0][member] = name;
    folder.write("markup.json", s.dump());
    ASSERT_EQ(
        0, tool("simtlm-report", {folder.path("markup.json"), "-o", folder.path("p.html")}).code);
    const std::string dom =
        shown(folder, read_file(folder.path("p.html")),
              "document.body.append('images: ' + document.querySelectorAll('img').length + ' ' + "
              "document.getElementById('kname').textContent.includes('<img'));");
    EXPECT_THAT(dom, Not(HasSubstr("data-fault")));
    EXPECT_THAT(dom, HasSubstr("images: 0 true"));
}

TEST(ReportPage, FitsTheWidthOfAPhone) {
    SIMTLM_NEEDS_A_BROWSER();
    const scratch_folder folder;
    const std::string run =
        statistics_of(folder, "sample", "s.json", {"-enable_ptx_file_line_stats", "1"});
    ASSERT_EQ(0, tool("simtlm-report", {run, "-o", folder.path("p.html")}).code);
    const std::string dom = shown(
        folder, read_file(folder.path("p.html")),
        "document.body.style.width = '390px';"
        "const wide = [...document.querySelectorAll('main > *')].filter(e => e.scrollWidth > 392);"
        "document.body.append('too wide: ' + wide.length);");
    EXPECT_THAT(dom, HasSubstr("too wide: 0"));
}

TEST(ReportPage, RendersOnlyTheVisibleRowsOfThreeThousandKernels) {
    SIMTLM_NEEDS_A_BROWSER();
    const scratch_folder folder;
    nlohmann::json s = read_json(statistics_of(folder, "vecadd", "s.json", {}));
    const nlohmann::json kernel = s["kernels"][0];
    for (int i = 1; i < 3000; ++i) {
        s["kernels"].push_back(kernel);
        s["kernels"].back()["list_number"] = i + 1;
    }
    folder.write("many.json", s.dump());
    ASSERT_EQ(0,
              tool("simtlm-report", {folder.path("many.json"), "-o", folder.path("p.html")}).code);
    const std::string dom = shown(
        folder, read_file(folder.path("p.html")),
        "document.getElementById('kernels').dispatchEvent(new KeyboardEvent('keydown', {key: "
        "'End'}));"
        "document.body.append('rows: ' + (document.querySelectorAll('.view .row').length < 60) + "
        "' last: ' + document.getElementById('kname').textContent);");
    EXPECT_THAT(dom, Not(HasSubstr("data-fault")));
    EXPECT_THAT(dom, HasSubstr("rows: true last: 3000  vecadd"));
    EXPECT_THAT(dom, HasSubstr("3,000 kernels"));
}

}  // namespace
}  // namespace simtlm::test
