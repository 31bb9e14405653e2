// SPDX-License-Identifier: Apache-2.0
#include "platform/options/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <stdexcept>

namespace simtlm::platform {

namespace {

// Reasons why an option of GPGPU-Sim or Accel-Sim has no effect.
constexpr const char* registers_take_all_lanes =
    "an access of the register file takes the energy of all lanes";
constexpr const char* prints_elsewhere =
    "statistics and messages are always printed; --stats-json contains all statistics";
constexpr const char* other_checkpoints = "--checkpoint-blocks writes a checkpoint within a kernel";
constexpr const char* no_preference =
    "a kernel's cache preference (cudaFuncSetCacheConfig) is only a hint, which traces do not "
    "record; -gpgpu_adaptive_cache_config sets the share of the L1D";
constexpr const char* device_runtime =
    "launches by kernels are always executed, with the launch latency of any kernel; traces list "
    "them as ordinary kernels";
constexpr const char* nothing_anywhere = "it has no effect in GPGPU-Sim or Accel-Sim either";

class builder {
public:
    explicit builder(std::vector<option_info>& table) : table_(table) {}

    void in(option_group group) { group_ = group; }

    option_info& add(std::string name, option_type type, std::string syntax,
                     std::string default_text, std::string unit, std::string description) {
        table_.push_back({std::move(name),
                          type,
                          std::move(syntax),
                          std::move(default_text),
                          group_,
                          std::move(unit),
                          std::move(description),
                          {}});
        return table_.back();
    }
    option_info& onoff(std::string name, const char* default_text, std::string description) {
        return add(std::move(name), option_type::boolean, "0|1", default_text, "",
                   std::move(description));
    }
    option_info& flag(std::string name, std::string description) {
        return add(std::move(name), option_type::boolean, "", "0", "", std::move(description));
    }
    option_info& count(std::string name, const char* default_text, std::string unit,
                       std::string description) {
        return add(std::move(name), option_type::natural, "N", default_text, std::move(unit),
                   std::move(description));
    }
    option_info& word(std::string name, std::string syntax, std::string default_text,
                      std::string description) {
        return add(std::move(name), option_type::text, std::move(syntax), std::move(default_text),
                   "", std::move(description));
    }
    option_info& file(std::string name, std::string default_text, std::string description) {
        return add(std::move(name), option_type::path, "FILE", std::move(default_text), "",
                   std::move(description));
    }
    void ignored(std::string name, option_type type, std::string default_text, const char* reason) {
        const char* syntax = type == option_type::boolean ? "0|1"
                             : type == option_type::text  ? "TEXT"
                             : type == option_type::path  ? "FILE"
                                                          : "N";
        add(std::move(name), type, syntax, std::move(default_text), "", "").no_meaning = reason;
    }

    // Attributes of options that have been added.

    using names = std::initializer_list<const char*>;
    /// The options have an effect only if one of others is enabled.
    void need(names options, names others) {
        for (const char* o : options) row(o).depends_on.assign(others.begin(), others.end());
    }
    /// The options have an effect only in some kinds of runs.
    void limit(names options, std::uint8_t runs) {
        for (const char* o : options) row(o).runs = runs;
    }
    void use(names options, file_use how) {
        for (const char* o : options) row(o).files = how;
    }

private:
    option_info& row(const char* name) {
        const auto at = std::find_if(table_.begin(), table_.end(),
                                     [&](const option_info& o) { return o.name == name; });
        if (at == table_.end()) throw std::logic_error(fmt::format("no option {}", name));
        return *at;
    }

    std::vector<option_info>& table_;
    option_group group_ = option_group::run;
};

constexpr const char* cache_syntax =
    "none | [N|S:]SETS:LINE:WAYS,REPL:WRITE:ALLOC:WALLOC[:INDEX],MSHR:ENTRIES:MERGE,"
    "MISSQ[:FIFO[,PORT]]";

void sampling(builder& b) {
    b.flag("--sample",
           "Simulates a few kernels of each group of similar kernels, and projects the cycles of "
           "the whole run with an error bound; see docs/sampling.md.");
    b.add("--sample-budget", option_type::real, "X", "0.05", "",
          "With --sample: share of the estimated work of the run to simulate. It is exceeded if "
          "one kernel per cluster of groups needs more.")
        .depends_on = {"--sample"};
    b.add("--sample-similarity", option_type::real, "X", "0.1", "",
          "With --sample: maximum relative difference of instructions, instruction mix and "
          "accessed memory within a group.")
        .depends_on = {"--sample"};
    b.count("--sample-first", "0", "launches",
            "With --sample, of programs: simulates the first launches of each group, this many, "
            "instead of launches that are spread over the run. 0: spread.")
        .depends_on = {"--sample"};
    b.count("--sample-skip", "0", "warp instructions",
            "With --sample, of programs whose timing does not depend on computed values: launches "
            "that are not simulated are not executed, either, if earlier launches of the same "
            "kernel, grid and arguments other than addresses executed this many instructions or "
            "more; nor are thread blocks that --sample-stable leaves. Such large launches are "
            "simulated once. Results of the program are then not computed. 0: all are executed.")
        .depends_on = {"--sample"};
    b.count(
         "--sample-from", "0", "",
         "With --sample-skip: number of the launch, from 1, with which the sampled part of the run "
         "begins. Earlier ones are neither executed nor counted in the projection.")
        .depends_on = {"--sample-skip"};
    b.flag("--sample-stable",
           "Ends a kernel when its instruction rate is stable, and projects the remainder, which "
           "programs execute without timing; see docs/sampling.md.");
    b.add("--sample-spread", option_type::real, "X", "0.02", "",
          "With --sample-stable: maximum relative standard deviation of a stable rate.")
        .depends_on = {"--sample-stable"};
    b.file("--sample-json", "", "Writes the projection for every kernel as JSON.");
}

void running(builder& b) {
    b.in(option_group::run);
    b.word("--preset", "NAME", "",
           "Loads the preset of a GPU (QV100, RTX3070, ...), of a DRAM technology (dram/GDDR6), or "
           "in "
           "a folder of one's own (./MYGPU, or MYGPU in a folder of the environment variable "
           "SIMTLM_PRESET_PATH) at this point.")
        .action = true;
    b.file("-config", "", "Reads options from a file at this point.").action = true;
    b.flag("--list-configs",
           "Lists the presets with the architectures of the traces that they accept.")
        .action = true;
    b.flag("--dump-config", "Prints the effective configuration with the origin of every value.")
        .action = true;
    b.flag(
         "--help",
         "Prints all options; with a word after it, those of a topic: a part of a heading or of a "
         "name (--help dram).")
        .action = true;
    b.flag("--help-markdown", "Prints all options in Markdown (docs/options.md).").action = true;
    b.flag("--help-statistics",
           "Prints the descriptions of all statistics in Markdown (docs/statistics.md).")
        .action = true;
    b.flag("--version", "Prints the version.").action = true;
    b.count("-gpgpu_max_cycle", "0", "core cycles",
            "Ends the run after this number of cycles; 0: no limit.");
    b.count("-gpgpu_max_insn", "0", "thread instructions",
            "Ends the run after this number of instructions; 0: no limit.");
    b.count("-gpgpu_max_cta", "0", "thread blocks",
            "Ends the run when this number of thread blocks has been launched; 0: no limit.");
    b.count("-gpgpu_max_completed_cta", "0", "thread blocks",
            "Ends the run when this number of thread blocks has finished; 0: no limit.");
    b.onoff("-gpgpu_deadlock_detect", "1",
            "Ends the run if no instruction is executed for a long time, with a report of which "
            "unit waits for which; or if the warps of programs repeat the same states for ever, "
            "with the place of a loop.");
    b.flag("--no-sleep",
           "Evaluates idle blocks in every cycle. The results are the same; the simulation is "
           "slower.");
    b.count("--shuffle-seed", "", "",
            "Creates SystemC processes in an order permuted with this seed, to test that the order "
            "does not affect results.");
    b.word("--processes", "module|block", "module",
           "Granularity of SystemC processes. module: one process for each SM, memory partition, "
           "network, ..., which runs the blocks in it in the order of their phases; block: one "
           "clocked thread for each block, which is easier to debug. The results are the same.");
    b.count("--threads", "1", "threads",
            "Number of host threads that simulate SMs and memory partitions in parallel, of traces "
            "and of programs. The results are the same.");
    b.count("--sms-a-thread", "0", "SMs",
            "With --threads: minimum number of active SMs (memory partitions) per thread. In "
            "cycles with fewer active ones, fewer threads take part; with less than twice this "
            "number, only one. 0: selected automatically by repeated measurement.");
    sampling(b);
    b.file("--checkpoint", "",
           "Saves the run to this file, for --resume, when --checkpoint-at kernels have finished "
           "and the GPU is idle; see docs/checkpoints.md.");
    b.count("--checkpoint-at", "0", "kernels",
            "With --checkpoint: number of kernels that must have finished.");
    b.count("--checkpoint-blocks", "0", "thread blocks",
            "With --checkpoint: number of thread blocks that are placed after --checkpoint-at "
            "kernels (which may be 0); no other is placed until they have ended and the checkpoint "
            "is written, within a kernel. 0: it is written between two kernels.");
    b.file("--resume", "",
           "Resumes a run saved with --checkpoint, on the same GPU and with the same trace or "
           "program. Cycles and statistics are those of the whole run.");
    b.flag("--resume-what-if",
           "With --resume: permits another GPU than that of the saved run. Statistics begin at the "
           "checkpoint; blocks whose configuration differs begin in their initial state, caches "
           "with the lines that fit.");
    b.onoff("-checkpoint_option", "0",
            "GPGPU-Sim's equivalent of --checkpoint checkpoint_files/kernel_K.checkpoint "
            "--checkpoint-at K, where -checkpoint_kernel sets K.");
    b.count("-checkpoint_kernel", "1", "",
            "With -checkpoint_option: the kernel after which the checkpoint is written.");
    b.onoff("-resume_option", "0",
            "GPGPU-Sim's equivalent of --resume checkpoint_files/kernel_K.checkpoint, where "
            "-resume_kernel sets K.");
    b.count("-resume_kernel", "0", "", "With -resume_option: the kernel after which to resume.");
    b.flag("--check-dram", "Checks the DRAM timing of every channel with an independent checker.");
    b.flag("--profile-kernel", "Prints a profile of the simulator's own time.");
}

void output(builder& b) {
    b.in(option_group::output);
    b.file("--stats-json", "", "Writes all statistics as JSON.");
    b.file("--stats-csv", "", "Writes all statistics as CSV, one row per kernel.");
    b.file("--stats-csv-long", "",
           "Writes the counters of every kernel as CSV, one row per kernel and counter.");
    b.word("--stats", "full|compact", "full",
           "Statistics to print after every kernel. full: all; compact: only those of the whole "
           "GPU that are nonzero and have changed.");
    b.count("-gpgpu_warp_issue_shader", "0", "",
            "SM whose issue distribution by warp slot is printed after every kernel.");
    b.add("-gpgpu_memlatency_stat", option_type::integer, "FLAGS", "14", "",
          "0: omits memory latencies and accesses by bank from the text report (the default in "
          "GPGPU-Sim). Other flags have no effect.");
    b.file("--vcd", "", "Writes a waveform.");
    b.word("--vcd-scope", "GLOB[,GLOB...]", "*",
           "Restricts the waveform to signals whose hierarchical names match, or that are below a "
           "matching name.");
    b.word("--vcd-window", "FROM:TO", ":",
           "Restricts the waveform to an interval of core cycles, excluding TO; either end may be "
           "omitted.");
    b.file("--timeline", "",
           "Writes a timeline of kernels, thread blocks, stalls and requests for a trace viewer; "
           "see docs/waveforms.md.");
    b.word("--timeline-window", "FROM:TO", ":",
           "Restricts the timeline to an interval of core cycles; either end may be omitted.");
    b.count("--timeline-sample", "1000", "core cycles",
            "Interval at which the timeline samples warps and counters.");
    b.file("--interval-csv", "",
           "Writes IPC, resident warps, stalls, hit rates and DRAM bandwidth over time as CSV, "
           "with a row per sample for the whole GPU and for each SM, L2 slice and DRAM channel.");
    b.file("--interval-db", "", "Writes the samples of --interval-csv to an SQLite database.");
    b.count("--interval", "1000", "core cycles",
            "Interval between samples of --interval-csv and --interval-db.");
    b.word("--interval-counters", "GLOB[,GLOB...]", "",
           "Adds the increments of these counters to the samples; names are KIND.COUNTER[.CELL] as "
           "in docs/statistics.md.");
    b.word("--interval-scope", "GLOB[,GLOB...]", "*",
           "Samples only units whose hierarchical names match; gpu is the whole GPU.");
    b.onoff("-enable_ptx_file_line_stats", "0",
            "Records a profile of every instruction (on by default in GPGPU-Sim), if "
            "-ptx_line_stats_filename, -visualizer_enabled, --stats-json or --stats-csv-long "
            "outputs it.");
    b.file("-ptx_line_stats_filename", "gpgpu_inst_stats.txt",
           "File for the profile by kernel and line, for the source view of AerialVision. Written "
           "if the option is given, or with -visualizer_enabled.");
    b.onoff("-visualizer_enabled", "0",
            "Writes a log for the time-lapse view of AerialVision (on by default in GPGPU-Sim).");
    b.file("-visualizer_outputfile", "NULL",
           "Name of the AerialVision log; NULL: gpgpusim_visualizer.log.gz in the current folder.");
    b.count("-visualizer_zlevel", "6", "",
            "Compression level of the AerialVision log, from 0 (none) to 9.");
    b.word("-gpgpu_runtime_stat", "CYCLES[:FLAGS]", "10000:0",
           "Core cycles between samples of the AerialVision log, and of a window of the power "
           "model. The flags, which enable further "
           "output in GPGPU-Sim, have no effect.");
    b.count("-gpgpu_cflog_interval", "0", "core cycles",
            "Interval at which the AerialVision log samples the positions of threads; 0: at every "
            "sample of the log.");
    b.add("-gpgpu_warpdistro_shader", option_type::integer, "N", "-1", "",
          "SM whose issue distribution the AerialVision log contains; -1: the mean of all SMs.");
    b.flag("--debug",
           "Runs in the interactive debugger, like the environment variable GPGPUSIM_DEBUG=1; see "
           "docs/debugger.md. The results are the same.");
    b.file("--debug-commands", "",
           "File with debugger commands, one per line. After the last one, the run continues to "
           "its end.");
    b.onoff("-trace_enabled", "0",
            "Prints the events of -trace_components in each cycle; see docs/debugger.md.");
    b.word("-trace_components", "NAME[,NAME...]", "none",
           "Components to trace: WARP_SCHEDULER, SCOREBOARD, MEMORY_PARTITION_UNIT, "
           "MEMORY_SUBPARTITION_UNIT, INTERCONNECT, LIVENESS.");
    b.add("-trace_sampling_core", option_type::integer, "N", "0", "",
          "SM for which WARP_SCHEDULER, SCOREBOARD and INTERCONNECT print events; -1: all.");
    b.add("-trace_sampling_memory_partition", option_type::integer, "N", "-1", "",
          "Memory partition for which MEMORY_PARTITION_UNIT and MEMORY_SUBPARTITION_UNIT print "
          "events; -1: all.");
    b.flag("--quiet", "Prints only statistics and errors.");
    b.flag("--summary", "Prints the summary to stderr even if stderr is not a terminal.");
    b.word("--progress", "auto|on|off", "auto",
           "Prints progress to stderr; auto: only if stderr is a terminal.");
    b.count("-liveness_message_freq", "1", "seconds",
            "Minimum time between two progress messages; 0: one in every 1,024 core cycles.");
}

void programs(builder& b) {
    b.file("--ptx", "", "Runs a PTX program; see docs/execution.md.");
    b.file("--cubin", "",
           "Runs the machine code of a cubin, with or without timing (-gpgpu_ptx_sim_mode 1). "
           "Several files of a program that was compiled separately (nvcc -rdc=true) are linked; "
           "see docs/sass.md.")
        .repeatable = true;
    b.word("--code", "ptx|sass|auto", "auto",
           "Which code of a CUDA program is executed. auto: as NVIDIA's driver, machine code that "
           "the GPU can run, otherwise PTX; also PTX if some instruction of the machine code is "
           "not supported; sass: machine code only; ptx: PTX only.");
    b.word("--ptxas", "auto|off|FILE", "auto",
           "Compiler of PTX for which the program has no machine code: ptxas of the CUDA toolkit, "
           "found "
           "in SIMTLM_PTXAS, PATH, CUDA_HOME, CUDA_PATH or the usual folders (auto), or this file; "
           "off: "
           "PTX is executed as it is. See docs/cuda.md.");
    b.file("--launch", "",
           "Launch file for --ptx or --cubin: buffers, launches and expected results; see "
           "docs/execution.md.");
    b.file("--record-trace", "",
           "Creates this folder, and records traces of the kernels of --ptx, --cubin or a CUDA "
           "program in it, with a kernelslist.g. A replay takes the same cycles. Traces of machine "
           "code are like those of Accel-Sim's tracer.");
    b.word("--record-form", "binary|text|text6", "binary",
           "Format of recorded traces. For machine code, text has tracer version 5, and text6 has "
           "version 6.");
    b.count("-gpgpu_ptx_sim_mode", "0", "",
            "1: executes programs without timing and prints the executed instructions. The "
            "environment variable PTX_SIM_MODE_FUNC=1 is equivalent.");
    b.count("--functional-threads", "1", "threads",
            "Number of host threads that execute programs without timing.");
    b.word("--check", "memory,races,init|all", "",
           "Checks to perform while a program runs; see docs/execution.md. Findings are reported "
           "at the end, with exit code 5.");
    b.count("-gpgpu_simd_model", "1", "",
            "Where divergent lanes of a program reconverge. 1, the only value as in GPGPU-Sim: at "
            "immediate post-dominators, with the SIMT stack.");
    b.count("-gpgpu_stack_size_limit", "1024", "bytes",
            "Stack size of a thread, for programs that use recursion, calls through pointers or "
            "stack allocation.");
    b.count("-gpgpu_heap_size_limit", "8388608", "bytes", "Heap size for malloc in kernels.");
    b.count("-gpgpu_ptx_force_max_capability", "0", "",
            "CUDA programs: newest PTX version of a fat binary that may be selected, such as 70 "
            "for sm_70; 0: the compute capability of the GPU.");
    b.flag("-save_embedded_ptx", "CUDA programs: writes loaded PTX to _N.ptx.");
    b.flag("-keep", "Same as -save_embedded_ptx.");
    b.count("--gpus", "1", "", "CUDA programs: number of GPUs, all with the same configuration.");
    b.add("--pcie-bandwidth", option_type::real, "X", "0", "GB/s",
          "CUDA and OpenCL programs: bandwidth of copies between host and GPU in each direction. "
          "If it is set, copies and fills inside a GPU take place at the peak bandwidth of its "
          "DRAM. 0: copies take no time.");
    b.add("--pcie-latency", option_type::real, "X", "0", "us",
          "CUDA and OpenCL programs: latency of each copy between host and GPU, if "
          "--pcie-bandwidth is set.");
    b.add("--nvlink-bandwidth", option_type::real, "X", "0", "GB/s",
          "CUDA programs: bandwidth of copies between GPUs; 0: they take no time.");
    b.add("--nvlink-latency", option_type::real, "X", "0", "us",
          "CUDA programs: latency of each copy between GPUs, if --nvlink-bandwidth is set.");
    b.count("--host-grace", "300", "ms",
            "CUDA programs: simulated time advances while the host waits for the GPU, or after the "
            "host has made no call for this time; 0: only while it waits.");
    b.word(
        "--listen", "ADDRESS", "",
        "simtlm serve: where programs reach the simulated GPUs, also those in a virtual machine: "
        "the path of a socket, tcp:HOST:PORT or vsock:CID:PORT; see docs/guest.md.");
    b.word(
        "--connect", "ADDRESS", "",
        "simtlm run: uses the GPUs that simtlm serve simulates at this address, with its options, "
        "instead of simulating them in the process of the program; see docs/guest.md.");
    b.file("--stats-file", "",
           "simtlm run: file for the reports of kernels (default simtlm-stats.txt).");
    b.flag("--keep-exit-code",
           "simtlm run: returns the program's own exit code, even if one of its kernels was "
           "aborted or results could not be written; see docs/exit-codes.md.");
    b.onoff("-gpgpu_ptx_instruction_classification", "0",
            "Without timing: prints the executed instructions of every launch by class.");
    b.onoff("-gpgpu_ptx_inst_debug_to_file", "0",
            "Writes every instruction that a thread of a program executes, with its registers, to "
            "-gpgpu_ptx_inst_debug_file.");
    b.file("-gpgpu_ptx_inst_debug_file", "inst_debug.txt",
           "File for -gpgpu_ptx_inst_debug_to_file. To print to stdout, use the environment "
           "variable PTX_SIM_DEBUG; see docs/execution.md.");
    b.count("-gpgpu_ptx_inst_debug_thread_uid", "1", "",
            "With -gpgpu_ptx_inst_debug_to_file: the thread to log. Threads are numbered from 1 "
            "across launches and thread blocks. 0: all threads.");
}

void traces(builder& b) {
    b.in(option_group::trace);
    b.file("-trace", "",
           "Replays a command list (kernelslist.g), given by its path or its folder.");
    b.count("--trace-lookahead", "64", "thread blocks",
            "Maximum number of thread blocks to decode in advance per kernel; fewer if blocks are "
            "large.");
    b.file("--opcode-table", "", "Adds or redefines opcodes of the built-in tables.").repeatable =
        true;
    b.word("--unknown-opcode", "error|warn", "error",
           "Handling of opcodes that are in no table. error: rejects the trace; warn: prints one "
           "warning and uses the integer unit.");
    b.count("--override-shmem", "", "bytes",
            "Overrides the shared memory size of thread blocks in the headers of traces.");
    b.count("--override-registers", "", "registers",
            "Overrides the number of registers per thread in the headers of traces.");
    b.flag("--any-binary-version",
           "Accepts traces of a GPU generation other than the configured one.");
    b.flag("--no-validate",
           "Accepts invalid traces, which are rejected by default: registers beyond -nregs, "
           "misaligned or wrapping addresses, widths that are not powers of two, two opcodes at "
           "one program counter, lanes beyond the thread block, warps without EXIT, negative "
           "kernel or stream numbers.");
    b.word(
        "--kernels", "RANGES", "",
        "Simulates only these kernels of the list, numbered from 1: comma-separated items such as "
        "3, 5-9, 12-, @REGEX or 5-9@REGEX. For programs, all other launches are executed without "
        "timing. This option and the following five may also be lines of the command list.");
    b.word("--kernel-ids", "RANGES", "",
           "Like --kernels, but with the tracer's numbers (kernel id in the header, as used by "
           "DYNAMIC_KERNEL_LIMIT_START, DYNAMIC_KERNEL_LIMIT_END and DYNAMIC_KERNEL_RANGE).");
    b.word("--kernel-names", "REGEX", "",
           "Simulates only kernels whose mangled or demangled names contain a match of this "
           "regular expression.");
    b.count("--skip-kernels", "", "kernels",
            "Skips this number of kernels at the start of the list. For programs, they are "
            "executed without timing.");
    b.count("--max-kernels", "", "kernels",
            "Ends the list after this number of simulated kernels.");
    b.word("--ctas", "FROM-TO", "",
           "Simulates only these thread blocks of every kernel, numbered from 0 with x varying "
           "fastest.");
    const auto latency = [&](std::string kind, const char* usual, std::string what) {
        b.add("-trace_opcode_latency_initiation_" + kind, option_type::text, "LATENCY,INITIATION",
              usual, "core cycles", "Latency and initiation interval of " + what + ".");
    };
    latency("int", "4,1", "integer instructions, branches and calls");
    latency("sp", "4,1", "single- and half-precision arithmetic");
    latency("dp", "4,1", "double-precision arithmetic");
    latency("sfu", "4,1", "special functions");
    latency("tensor", "4,1", "tensor core instructions");
    for (int i = 1; i <= 8; ++i)
        latency(fmt::format("spec_op_{}", i), "4,4",
                fmt::format("instructions of specialised unit {}", i));
}

void fidelity(builder& b) {
    b.in(option_group::fidelity);
    b.word("--compat", "none|accel-sim", "none",
           "accel-sim: reproduces the behaviour of Accel-Sim including its defects: enables all "
           "quirks, selects --core simt, and reads Accel-Sim's parameters of the presets that have "
           "a file of them (QV100, RTX2060, RTX3070).");
    std::string names, meanings;
    for (const quirk_info& quirk : quirk_table()) {
        names += std::string(names.empty() ? "" : "|") + quirk.name;
        meanings +=
            fmt::format("{}`{}`: {}", meanings.empty() ? "" : "; ", quirk.name, quirk.description);
    }
    b.word("--quirk", names, "", "Reproduces one defect of Accel-Sim. " + meanings + ".")
        .repeatable = true;
}

void chip(builder& b) {
    b.in(option_group::chip);
    b.count("-gpgpu_n_clusters", "10", "clusters",
            "Number of SM clusters; each is one network node.");
    b.count("-gpgpu_n_cores_per_cluster", "3", "SMs", "SMs per cluster.");
    b.count("-gpgpu_n_cluster_ejection_buffer_size", "8", "packets",
            "Packets that a cluster can buffer between the network and its SMs.");
    b.add("-gpgpu_clock_domains", option_type::text, "CORE:NETWORK:L2:DRAM",
          "500.0:2000.0:2000.0:2000.0", "MHz",
          "Frequencies of the four clock domains; DRAM: the command clock.");
    b.count(
        "-gpgpu_compute_capability_major", "7", "",
        "Major compute capability; determines the coalescing of accesses and the accepted traces.");
    b.count("--device-memory", "34359738368", "bytes", "CUDA programs: memory size of each GPU.");
    b.count("-gpgpu_compute_capability_minor", "0", "", "Minor compute capability.");
    b.count("-gpgpu_simt_core_sim_order", "1", "",
            "Order of the SMs of a cluster: 0 fixed, 1 round robin.");
    b.word("-gpgpu_cache:gpc", cache_syntax, "none",
           "Cache for instructions and constants that the SMs of a GPC (-gpgpu_gpc_sms) share, "
           "between their L1 caches and the L2; none: they read the L2.");
    b.count("-gpgpu_gpc_cache_latency", "0", "core cycles",
            "Time from the arrival of a request at the cache of a GPC to its look-up.");
}

void launch(builder& b) {
    b.in(option_group::launch);
    b.count("-gpgpu_kernel_launch_latency", "0", "core cycles",
            "Time from the launch of a kernel to its first thread block.");
    b.count("-gpgpu_TB_launch_latency", "0", "core cycles",
            "Additional launch latency for every thread block of the kernel.");
    b.add("-gpgpu_cta_launch_interval", option_type::real, "X", "0", "core cycles",
          "Interval between thread blocks placed on the GPU; may be a fraction. 0: each cluster "
          "may receive one per cycle.");
    b.word("-gpgpu_cta_order", "clusters|gpcs", "clusters",
           "Order in which SMs receive thread blocks. clusters: by cluster number. gpcs: the GPCs "
           "(-gpgpu_gpc_sms) in turn, in each the TPCs (pairs of SMs) in turn, and the second SM "
           "of a TPC after the first SMs of all.");
    b.word("-gpgpu_cta_placement", "turns|most-room", "turns",
           "Choice of the SM for a thread block. turns: the first SM with room after the cluster "
           "that received the last block. most-room: the SM that has room for the largest number "
           "of blocks of the kernel, and the first such SM in the order of -gpgpu_cta_order.");
    b.word("-gpgpu_gpc_sms", "N[,N...]", "0",
           "Number of SMs in each GPC; the last value is repeated for the remaining SMs. All "
           "thread blocks of a cluster run on one GPC. 0: one GPC contains all SMs.");
    b.word("-gpgpu_gpc_partitions", "0|1[,0|1...]", "alternate",
           "Partition of the L2 that each GPC is attached to, repeated for further GPCs; requires "
           "-gpgpu_l2_far_latency. alternate: 0,1.");
    b.count("-gpgpu_max_concurrent_kernel", "32", "kernels",
            "Maximum number of concurrent kernels.");
    b.onoff("-gpgpu_concurrent_kernel_sm", "0",
            "Allows thread blocks of several kernels on one SM.");
}

void core(builder& b) {
    b.in(option_group::core);
    b.word("-gpgpu_shader_core_pipeline", "THREADS:WARPSIZE", "1024:32",
           "Maximum threads per SM, and threads per warp.");
    b.count("-gpgpu_shader_registers", "8192", "registers", "Registers per SM.");
    b.count(
        "-gpgpu_registers_per_block", "8192", "registers",
        "Maximum registers per thread block; if the option is not given, the registers of the SM.");
    b.count("-gpgpu_shader_cta", "32", "thread blocks", "Maximum thread blocks per SM.");
    b.count("-gpgpu_num_cta_barriers", "16", "barriers", "Named barriers per thread block.");
    b.onoff("-gpgpu_ignore_resources_limitation", "0",
            "Runs one thread block per SM of kernels that exceed the resources of an SM.");
    b.count("-gpgpu_num_sched_per_core", "1", "", "Warp schedulers per SM.");
    b.word("-gpgpu_scheduler",
           "lrr|gto|rrr|oldest|two_level_active:WARPS:INNER:OUTER|warp_limiting:PRIORITY:WARPS",
           "gto",
           "Policy of the warp schedulers. INNER is 0 (round robin), OUTER 1 (in order), PRIORITY "
           "2 (greedy, then oldest).");
    b.count("-gpgpu_max_insn_issue_per_warp", "2", "instructions",
            "Maximum instructions that a scheduler issues from one warp per cycle.");
    b.onoff("-gpgpu_dual_issue_diff_exec_units", "1",
            "Restricts dual issue to instructions for different units.");
    b.onoff("-gpgpu_sub_core_model", "0",
            "Assigns each scheduler its own share of registers, collectors and units.");
    b.count("-gpgpu_inst_fetch_throughput", "1", "per cycle", "Fetches and decodes per SM.");
    b.onoff("-gpgpu_perfect_inst_const_cache", "0", "Instruction and constant caches always hit.");
}

void operands(builder& b) {
    b.in(option_group::operands);
    b.count("-gpgpu_num_reg_banks", "8", "banks", "Banks of the register file of an SM.");
    b.onoff("-gpgpu_reg_bank_use_warp_id", "1",
            "Includes the warp number in the selection of the register bank, as current versions "
            "of Accel-Sim always do.");
    b.count("-gpgpu_reg_file_port_throughput", "1", "per cycle",
            "Passes of the operand collectors over the register file per cycle.");
    b.onoff("-gpgpu_enable_specialized_operand_collector", "1",
            "Provides separate collectors for each kind of unit in addition to the general ones.");
    struct pool {
        const char* name;
        const char* what;
        const char* units;
        const char* ports;
    };
    for (const pool& p :
         {pool{"sp", "single-precision", "4", "1"}, pool{"dp", "double-precision", "0", "0"},
          pool{"sfu", "special-function", "4", "1"}, pool{"int", "integer", "0", "0"},
          pool{"tensor_core", "tensor core", "4", "1"}, pool{"mem", "memory", "2", "1"},
          pool{"gen", "general", "0", "0"}}) {
        const std::string stem = "-gpgpu_operand_collector_num_";
        b.count(stem + "units_" + p.name, p.units, "",
                fmt::format("Number of {} collector units.", p.what));
        b.count(stem + "in_ports_" + p.name, p.ports, "",
                fmt::format("Instructions that can enter {} collectors per cycle.", p.what));
        b.count(stem + "out_ports_" + p.name, p.ports, "",
                fmt::format("Instructions that can leave {} collectors per cycle.", p.what));
    }
}

void units(builder& b) {
    b.in(option_group::units);
    b.word("-gpgpu_pipeline_widths", "W,W,...", "1,1,1,1,1,1,1,1,1,1,1,1,1",
           "Pipeline registers per stage: issue to collector for SP, DP, INT, SFU and MEM; "
           "collector to unit for the same; write-back; then both stages of the tensor core. Seven "
           "values (SP, SFU, MEM; the same again; write-back) have the meaning of GPGPU-Sim 3.");
    b.count("-gpgpu_num_sp_units", "1", "units", "Single-precision units per SM.");
    b.count("-gpgpu_num_dp_units", "0", "units",
            "Double-precision units per SM; 0: special-function units execute their instructions.");
    b.count("-gpgpu_num_int_units", "0", "units",
            "Integer units per SM; 0: single-precision units execute their instructions.");
    b.count("-gpgpu_num_sfu_units", "1", "units", "Special-function units per SM.");
    b.onoff("-gpgpu_tensor_core_avail", "0", "Enables tensor cores.");
    b.count("-gpgpu_num_tensor_core_units", "0", "units", "Tensor core units per SM.");
    for (int i = 1; i <= 8; ++i)
        b.word(fmt::format("-specialized_unit_{}", i), "ENABLED,UNITS,LATENCY,ID_OC,OC_EX,NAME",
               "0,4,4,4,4,BRA",
               fmt::format("Specialised unit {0}: enabled or not, number of units, latency (no "
                           "effect; -trace_opcode_latency_initiation_spec_op_{0} sets it), widths "
                           "of its pipeline registers, and name.",
                           i));
    const auto ptx = [&](const std::string& kind, const char* syntax, const char* latency,
                         const char* initiation, const std::string& what) {
        b.add("-ptx_opcode_latency_" + kind, option_type::text, syntax, latency, "core cycles",
              fmt::format("Latency of {} in PTX programs. For traces, use "
                          "-trace_opcode_latency_initiation_*.",
                          what));
        b.add("-ptx_opcode_initiation_" + (kind == "tesnor" ? "tensor" : kind), option_type::text,
              syntax, initiation, "core cycles",
              fmt::format("Initiation interval of {} in PTX programs.", what));
    };
    constexpr const char* operations = "ADD,MAX,MUL,MAD,DIV";
    ptx("int", "ADD,MAX,MUL,MAD,DIV[,SHFL]", "1,1,19,25,145,32", "1,1,4,4,32,4",
        "integer operations");
    ptx("fp", operations, "1,1,1,1,30", "1,1,1,1,5", "single-precision operations");
    ptx("dp", operations, "8,8,8,8,335", "8,8,8,8,130", "double-precision operations");
    ptx("sfu", "N", "8", "8", "special functions");
    ptx("tesnor", "N", "64", "64", "tensor core operations");
    b.ignored("-gpgpu_num_mem_units", option_type::natural, "1", nothing_anywhere);
}

// Options that are specific to the sub-core pipeline; it also uses those of the SIMT pipeline.

void sub_core_units(builder& b) {
    b.in(option_group::sub_cores);
    b.word("--core", "simt|sub-core", "simt",
           "Pipeline of the SM. simt, or classic: that of GPGPU-Sim's SIMT core; sub-core, or "
           "modern: sub-cores that issue according to the control bits of the compiler, as "
           "measured on Volta and later GPUs. --compat accel-sim always uses simt.");
    b.word(
        "--dependences", "bits|scoreboard", "bits",
        "sub-core pipeline: mechanism that enforces dependences. bits: control bits of the machine "
        "code, or control bits computed as a compiler would, which also reorders the PTX of a "
        "basic block; scoreboard: registers with pending writes.");
    b.word("-modern_scheduler", "cggty|lrr|glrr", "cggty",
           "Policy that selects among the eligible warps of a sub-core. cggty: greedy, then "
           "youngest; lrr: loose round robin; glrr: greedy, then loose round robin.");
    b.onoff("-modern_rotate_ctas", "0",
            "Assigns the first warp of each thread block to the sub-core after that of the "
            "previous block.");
    const auto pair = [&](const char* kind, const char* usual, const char* what) {
        b.add(std::string("-modern_") + kind, option_type::text, "LATENCY,INITIATION", usual,
              "core cycles",
              fmt::format("Latency of {}, from issue to the issue of a dependent instruction, and "
                          "initiation interval per sub-core.",
                          what));
    };
    pair("alu", "4,2", "integer, logic, compare and move instructions");
    pair("fp32", "4,2", "FP32 arithmetic");
    pair("imad", "4,2", "integer multiply-add");
    pair("imad_wide", "5,2", "integer multiply-add with a 64-bit result");
    pair("half", "5,2", "packed half-precision arithmetic");
    pair("uniform", "4,2", "instructions on uniform registers");
    pair("fp64", "40,32", "FP64 arithmetic");
    pair("xu", "18,8", "special functions and conversions");
    pair("special", "20,2", "reads of special registers and votes");
    pair("branch", "8,1", "control flow");
    b.onoff("-modern_second_fp32_pipe", "1", "Adds a second FP32 pipeline to each sub-core.");
    b.count("-modern_shared_fp64_interval", "0", "core cycles",
            "Interval between FP64 instructions if the sub-cores of an SM share one unit, which "
            "also converts from and to 64-bit types; 0: each sub-core has its own.");
    b.count(
        "-modern_tensor_rate", "2048", "",
        "Throughput of a tensor core: M x N x K x operand bits of matrix products per two cycles.");
    b.count("-modern_tensor_f32_rate", "0", "",
            "Throughput of a tensor core for products that accumulate in FP32; 0: as "
            "-modern_tensor_rate.");
    b.count("-modern_tensor_extra", "16", "core cycles",
            "Latency of matrix products that accumulate in FP16 or integers, in addition to their "
            "initiation interval.");
    b.count("-modern_tensor_f32_extra", "16", "core cycles",
            "Latency of matrix products that accumulate in FP32, in addition to their initiation "
            "interval.");
    b.count("-modern_tensor_forward", "0", "core cycles",
            "Matrix products of machine code with control bits: time from the last cycle of the "
            "initiation interval until another product of the warp may issue that accumulates on "
            "the result (1: without a gap); 0: when the result is written.");
}

void sub_core_front_end(builder& b) {
    b.in(option_group::sub_cores);
    b.count(
        "-modern_fetch_width", "1", "instructions",
        "Instructions that a sub-core fetches per cycle, from one cache line and for one warp.");
    b.count("-modern_warp_launch_interval", "0", "network cycles",
            "Interval between the starts of two warps on an SM.");
    b.count("-modern_cta_turnaround", "0", "network cycles",
            "Time from the end of a thread block until another can use its resources.");
    b.count("-modern_branch_redirect", "6", "core cycles",
            "Time from the issue of a taken branch to the fetch of its target.");
    b.count("-modern_barrier_latency", "10", "core cycles",
            "Time from the issue of a CTA barrier until the barrier counts the warp.");
    b.count("-modern_barrier_interval", "2", "core cycles",
            "Interval between two warps that the CTA barriers of an SM count.");
    b.word("-modern_fence_latency", "CTA,GPU,SYSTEM", "53,186,2900",
           "Minimum latency of a fence by scope, in core cycles.");
    b.word("-modern_l0i", "SETS:LINE:WAYS", "8:128:32", "L0 instruction cache of a sub-core.");
    b.count("-modern_stream_buffer", "8", "lines",
            "Size of the stream buffer (instruction prefetcher) of a sub-core; 0: none.");
    b.word("-modern_l1i_latency", "REQUEST,REPLY", "39,39",
           "Latency between L0 and L1 instruction caches in each direction, in core cycles.");
    b.count("-modern_result_queue", "8", "entries",
            "Entries of the result queue of a sub-core, for instructions with fixed latency.");
    b.count("-modern_register_read_ports", "1", "ports",
            "Read ports per register bank; 0: no conflicts.");
}

void sub_core_memory(builder& b) {
    b.in(option_group::sub_cores);
    b.word("-modern_memory_queue", "ENTRIES,STAGES,ADDRESS,UNIFORM", "4,7,4,2",
           "Memory pipeline of a sub-core: entries of its queue, cycles before the address "
           "calculation, and cycles of the address calculation for a regular address and for a "
           "uniform address or shared memory.");
    b.add("-modern_memory_interval", option_type::real, "X", "2", "core cycles",
          "Interval at which the memory unit of the SM accepts instructions; may be a fraction.");
    b.count("-modern_constant_interval", "2", "core cycles",
            "Interval between look-ups of different addresses of one constant load.");
    b.word("-modern_load_latency", "GLOBAL,SHARED,CONSTANT", "32,24,29",
           "Latency of a 32-bit load that hits, from its issue to the issue of a dependent "
           "instruction, in core cycles.");
    b.count("-modern_l1_tag_banks", "4", "banks",
            "Banks of the L1D's tags, a power of two. Each looks up one line, with all its "
            "sectors, per "
            "core cycle.");
    b.count("-modern_link_cycles", "2", "core cycles",
            "Transfer time of 128 bytes from the memory unit to a sub-core.");
    b.count(
        "-modern_network_packets", "1", "packets",
        "Packets that an SM can receive from the network per core cycle; each carries a sector.");
    b.count(
        "-modern_request_packets", "0", "packets",
        "Packets that an SM can send to the network per core cycle: a written sector, an atomic "
        "or a read request. 0: as many as -modern_network_packets.");
    b.onoff("-modern_request_lines", "0",
            "A read request can ask for all sectors of a line; otherwise it asks for one.");
    b.onoff("-modern_l1_local_write_back", "0",
            "An L1D with write policy T and lazy fetch keeps stores to local memory until their "
            "line is replaced, as write policy L does. What ld.local.lu or LDL.LU has read is not "
            "written back. Policies B and L keep them anyway; others are rejected.");
}

void asynchronous_engines(builder& b) {
    b.in(option_group::sub_cores);
    b.onoff("-modern_engines", "0",
            "Enables the engines of sm_90 for bulk copies (tensor memory accelerator), mbarriers "
            "and warpgroup products.");
    b.word("-modern_bulk_copy", "ISSUE,COMMAND,ARRIVAL,QUEUE,REQUESTS", "32,54,18,64,384",
           "Bulk copies: core cycles from issue to the front end of the engine, between two copies "
           "that the front end accepts, and from the last reply to the update of the mbarrier; "
           "queue size of the front end; maximum requests of 128 bytes in flight.");
    b.count("-modern_bulk_request_interval", "1", "core cycles",
            "Bulk copies: core cycles between two requests of 128 bytes.");
    b.count(
        "-modern_bulk_tensor_latency", "0", "core cycles",
        "Tensor copies: time from the acceptance of a copy by the front end, or from the arrival "
        "of its tensor map, to its first request.");
    b.word("-modern_mbarrier", "ARRIVE,WAIT", "29,32",
           "Core cycles of an arrival at an mbarrier, and from the issue of a wait, or the end of "
           "the phase, to the result of the wait.");
    b.word("-modern_warpgroup", "ISSUE,SHARED,REGISTERS", "17,66,64",
           "Warpgroup products (wgmma): core cycles from issue to the start of the tensor cores, "
           "and from their end to the write-back of the accumulators, with A in shared memory and "
           "in registers.");
    b.word(
        "-modern_warpgroup_queue", "SHARED,REGISTERS", "0,0",
        "Warpgroup products of an SM that may have been issued and not left the tensor cores when "
        "one with A in shared memory or in registers issues; otherwise its warps wait. 0: any "
        "number.");
    b.count("-modern_warpgroup_rate", "32768", "",
            "Throughput of the tensor cores of an SM for warpgroup products: m x n x k x operand "
            "bits per cycle.");
    b.onoff("-modern_warpgroup_register_reads", "0",
            "Warpgroup products read their accumulators, and A if it is in registers, through the "
            "read ports of the register files: one register per core cycle and sub-core.");
    b.onoff("-modern_tensor_memory", "0",
            "SMs have tensor memory and the tensor core of sm_100 (tcgen05): 512 columns of 128 "
            "lanes, two columns of the result per core cycle.");
    b.word("-modern_tensor_core", "ISSUE,TAIL,PAIR,FOLDED,SCALED", "17,50,34,8,3",
           "Products of tcgen05.mma: core cycles from issue until A is read, and from the last "
           "column of the result until a commit signals its mbarriers; additional ones for two "
           "CTAs, for two CTAs with 64 rows each, and for block scaling.");
    b.word("-modern_tensor_access", "ALLOC,ACCESS,COPY,INTERVAL", "253,16,168,70",
           "Core cycles of tcgen05.alloc; of tcgen05.ld and tcgen05.st in addition to one per "
           "register; of tcgen05.cp, and between two of them.");
    b.word("-modern_tensor_shift", "INTERVAL,LATENCY", "12,62",
           "Core cycles between tcgen05.shift instructions, and from then until a commit signals.");
    b.word("-modern_cluster_lanes", "LANES,BYTES,SMS", "4,32,6",
           "SM-to-SM network of a GPC (compute capability 9.0 and later): LANES in each direction "
           "shared equally by SMS SMs, and BYTES per lane and core cycle.");
    b.word("-modern_cluster_latency", "NEAR,FAR,ACCESS", "73,79,20",
           "SM-to-SM network: one-way latency in core cycles, without transfer time, between SMs "
           "that share lanes and between other SMs; and access latency of shared memory that "
           "another SM reads.");
    b.count("-modern_cluster_barrier_latency", "70", "core cycles",
            "Latency from an SM to the barrier of a cluster, and back. Not measured; assumed to be "
            "about the latency to another SM.");
}

void l1(builder& b) {
    b.in(option_group::l1);
    b.word("-gpgpu_cache:dl1", cache_syntax, "none",
           "L1 data cache. Kind: normal or sectored; replacement: L(RU), F(IFO), R(andom); write: "
           "R(ead only), B(ack), T(hrough), E(vict), L(ocal back, global through); allocation on "
           "m(iss), "
           "f(ill), or s(treaming); write allocation: N(one), W(rite), F(etch on write), L(azy "
           "fetch on "
           "read); set index: L(inear), X(or), P(olynomial), H(ash of Fermi), C(ustom: as linear); "
           "MSHR: "
           "A or S(ector) associative, F or T texture FIFO; PORT in bytes.");
    b.count(
        "-gpgpu_l1_cache_write_ratio", "0", "percent",
        "Dirty lines are not evicted while their share of the L1 data cache is below this value.");
    b.count("-gpgpu_l1_banks", "1", "banks", "Banks of the L1 data cache.");
    b.count("-gpgpu_l1_banks_byte_interleaving", "32", "bytes",
            "Interleaving granularity of the banks of the L1 data cache.");
    b.count("-gpgpu_l1_banks_hashing_function", "0", "",
            "Bank selection of the L1 data cache: 0 linear, 1 XOR, 2 polynomial, 3 hash of Fermi.");
    b.count("-gpgpu_l1_latency", "1", "core cycles", "Latency of a hit in the L1 data cache.");
    b.onoff("-gpgpu_gmem_skip_L1D", "0", "Global accesses bypass the L1 data cache.");
    b.onoff("-gpgpu_flush_l1_cache", "0", "Flushes the L1 caches after every kernel.");
    b.onoff("-gpgpu_adaptive_cache_config", "0",
            "Partitions the unified cache between L1 and shared memory for every kernel. Without "
            "-gpgpu_unified_l1d_size and -gpgpu_shmem_option as GPGPU-Sim 4.0: 128 KB, with 0, 8, "
            "16, 32, 64 or 96 KB of shared memory.");
    b.count("-gpgpu_unified_l1d_size", "0", "KB",
            "Combined size of L1 data cache and shared memory; 0: they are separate.");
    b.add("-gpgpu_shmem_option", option_type::text, "KB[,KB...]", "0", "KB",
          "Shared memory sizes that the partitioning can select.");
    b.count("-gpgpu_shmem_size", "16384", "bytes", "Shared memory per SM.");
    b.count("-gpgpu_shmem_per_block", "49152", "bytes",
            "Shared memory limit per thread block; since compute capability 7, a kernel may "
            "request more.");
    b.count("-gpgpu_shmem_num_banks", "16", "banks", "Banks of shared memory.");
    b.onoff("-gpgpu_shmem_limited_broadcast", "1",
            "Limits shared memory to broadcasting one word per cycle.");
    b.count("-gpgpu_shmem_warp_parts", "2", "",
            "Number of parts of a warp among which bank conflicts are determined separately.");
    b.count("-gpgpu_smem_latency", "3", "core cycles", "Latency of shared memory.");
    b.count("-gpgpu_n_ldst_response_buffer_size", "2", "packets",
            "Responses that can be queued for the load/store unit.");
    b.count("-gpgpu_coalesce_arch", "13", "",
            "Coalescing of the accesses of a warp: 13 as GT200, 20 as Fermi, 40 and above in "
            "sectors of 32 bytes.");
    b.onoff(
        "-gpgpu_local_mem_map", "1",
        "Interleaves local memory of threads so that accesses of neighbouring threads coalesce.");
    b.onoff("-gpgpu_perfect_mem", "0",
            "Models a perfect memory: a request that leaves an SM is answered in the next core "
            "cycle, one per cluster and cycle.");
    b.word("-gpgpu_cache:il1", cache_syntax, "4:256:4,L:R:f:N,A:2:32,4", "L1 instruction cache.");
    b.word("-gpgpu_const_cache:l1", cache_syntax, "64:64:2,L:R:f:N,A:2:32,4", "L1 constant cache.");
    b.word("-gpgpu_tex_cache:l1", cache_syntax, "8:128:5,L:R:m:N,F:128:4,128:2",
           "L1 texture cache; a sectored one fetches sectors of 32 bytes instead of lines.");
    b.ignored("-gpgpu_cache:dl1PrefL1", option_type::text, "none", no_preference);
    b.ignored("-gpgpu_cache:dl1PrefShared", option_type::text, "none", no_preference);
    b.ignored("-gpgpu_shmem_sizeDefault", option_type::natural, "16384", no_preference);
    b.ignored("-gpgpu_mem_unit_ports", option_type::natural, "1",
              "the load/store unit runs once per core cycle");
    b.ignored("-gpgpu_shmem_size_PrefL1", option_type::natural, "16384", no_preference);
    b.ignored("-gpgpu_shmem_size_PrefShared", option_type::natural, "16384", no_preference);
}

void l2(builder& b) {
    b.in(option_group::l2);
    b.count("-gpgpu_n_mem", "8", "channels",
            "Number of memory channels, each with a partition of the L2.");
    b.count("-gpgpu_n_sub_partition_per_mchannel", "1", "",
            "L2 sub-partitions per channel; each is one network node.");
    b.word("-gpgpu_cache:dl2", cache_syntax, "64:128:8,L:B:m:N,A:16:4,4",
           "L2 cache of one sub-partition; see -gpgpu_cache:dl1 for the format.");
    b.count(
        "-gpgpu_l2_dirty_limit", "100", "percent",
        "Modified lines of a set of the L2, at most. A write beyond that causes the write-back of "
        "the least recently used of them, which remains in the L2. 100: lines are written back "
        "when they are replaced.");
    b.onoff("-gpgpu_cache:dl2_texture_only", "1", "Only texture accesses use the L2.");
    b.onoff("-l2_ideal", "0", "The L2 always hits.");
    b.word("-gpgpu_dram_partition_queues", "NETWORK_TO_L2:L2_TO_DRAM:DRAM_TO_L2:L2_TO_NETWORK",
           "8:8:8:8", "Entries of the queues at the L2.");
    b.count("-gpgpu_l2_rop_latency", "85", "core cycles",
            "Minimum latency from the network to the L2.");
    b.count("-gpgpu_l2_fetch_granularity", "32", "bytes",
            "Size of the aligned block that a read which misses a sectored L2 fetches from the "
            "DRAM: 32, 64 or 128.");
    b.count("-gpgpu_l2_atomic_latency", "0", "core cycles",
            "Additional latency for atomics, which the L2 performs.");
    b.add("-gpgpu_l2_atomic_interval", option_type::real, "X", "0", "L2 cycles",
          "Interval at which a slice of the L2 performs atomics on a sector. 0: as often as it "
          "reads.");
    b.count("-gpgpu_l2_far_latency", "0", "core cycles",
            "Models an L2 with two partitions, each near half of the SMs: the GPCs of "
            "-gpgpu_gpc_partitions, or the first half by number without -gpgpu_gpc_sms. Additional "
            "latency for a "
            "read of a far sector without a copy in the near partition, and for every far write "
            "and atomic, which invalidates the copy. 0: one partition.");
    b.add(
        "-gpgpu_l2_far_interval", option_type::real, "X", "0", "core cycles",
        "Interval at which a sub-partition sends sectors that are read without a copy in the near "
        "partition to the other partition; requires -gpgpu_l2_far_latency. 0: no limit.");
    b.word("-gpgpu_l2_partition_bits", "BIT[,BIT...]", "none",
           "Address bits whose parity selects the partition of the L2 that an address belongs to; "
           "requires -gpgpu_l2_far_latency. none: even channels belong to one, odd ones to the "
           "other.");
    b.count("-dram_latency", "30", "core cycles",
            "Minimum latency from the L2 to the DRAM controller.");
    b.onoff("-gpgpu_perf_sim_memcpy", "1", "Copies from the host leave their data in the L2.");
    b.onoff(
        "-gpgpu_l2_copy_modified", "0",
        "Copies from the host modify the lines that they leave in the L2, which are written back "
        "later, as stores do; requires -gpgpu_perf_sim_memcpy. 0: the lines are clean.");
    b.onoff("-gpgpu_flush_l2_cache", "0",
            "Flushes the L2 when all running kernels have finished: after every kernel, unless "
            "kernels run concurrently.");
    b.count("-gpgpu_memory_partition_indexing", "0", "",
            "Distribution of addresses over partitions: 0 as mapped, 1 XOR, 2 polynomial (if the "
            "number of channels is not a power of two, as 6), 3 page randomisation, 4 random, 5 "
            "custom (as mapped), 6 rotation by a hash of the higher bits, for any number of "
            "channels.");
}

void dram(builder& b) {
    b.in(option_group::dram);
    b.add("-dram_clock", option_type::real, "MHZ", "", "MHz",
          "Replaces the DRAM clock of -gpgpu_clock_domains at this point: on the command line, and "
          "in "
          "a file that is loaded as a DRAM technology (--preset dram/NAME).");
    b.word(
        "-gpgpu_mem_addr_mapping", "[dramid@BIT;]MAP", "",
        "Mapping of the 64 address bits: R(ow), B(ank), C(olumn), S (byte of a burst), D "
        "(channel), 0 (ignored); dots are separators. dramid@BIT inserts the channel bits at BIT.");
    b.count("-gpgpu_mem_address_mask", "0", "",
            "Selects a built-in mapping if -gpgpu_mem_addr_mapping is not given.");
    b.add("-gpgpu_dram_timing_opt", option_type::text,
          "nbk=N:CCD=N:RRD=N:RCD=N:RAS=N:RP=N:RC=N:CL=N:WL=N:CDLR=N:WR=N[:nbkgrp=N:CCDL=N:RTPL=N]"
          "[:REFI=N:RFC=N|RFCSB=N]",
          "4:2:8:12:21:13:34:9:4:5:13:1:0:0", "DRAM cycles",
          "Number of banks and timing parameters, by name or as numbers in the order nbk CCD RRD "
          "RCD RAS RP RC CL WL CDLR WR nbkgrp CCDL RTPL. GPGPU-Sim does not have refreshes: of "
          "all banks for RFC cycles every REFI, or of one bank after the other for RFCSB cycles, "
          "each once in REFI. 0: no refresh.");
    b.count("-gpgpu_dram_scheduler", "1", "",
            "DRAM scheduler: 0 first come first served (FCFS), 1 row hits first (FR-FCFS).");
    b.count("-gpgpu_frfcfs_dram_sched_queue_size", "0", "requests",
            "Size of the queue of the DRAM scheduler; 0: no limit.");
    b.count("-gpgpu_dram_return_queue_size", "0", "requests",
            "Size of the return queue; 0: 1024 entries, and no limit on the requests of a "
            "partition in its channel.");
    b.count("-gpgpu_n_mem_per_ctrlr", "1", "chips",
            "DRAM chips per channel, which operate in parallel.");
    b.count("-gpgpu_dram_buswidth", "4", "bytes", "Data width of one chip.");
    b.count("-gpgpu_dram_burst_length", "4", "transfers", "Data transfers per column command.");
    b.count("-dram_data_command_freq_ratio", "2", "",
            "Data transfers per command cycle: 2 double, 4 quad data rate.");
    b.onoff("-dram_dual_bus_interface", "0",
            "Allows a row and a column command in the same cycle (HBM).");
    b.count("-dram_bnk_indexing_policy", "0", "",
            "Bank selection: 0 as mapped, 1 XOR, 2 polynomial, 3 custom.");
    b.count("-dram_bnkgrp_indexing_policy", "0", "",
            "Bank bits that select the bank group: 0 high bits, 1 low bits.");
    b.onoff("-dram_seperate_write_queue_enable", "0", "Uses a separate queue for writes.");
    b.word("-dram_write_queue_size", "SIZE:HIGH:LOW", "32:28:16",
           "Entries of the write queue, and the fill levels at which draining starts and stops.");
    b.onoff("-dram_elimnate_rw_turnaround", "0",
            "Eliminates the turnaround time of the bus between reads and writes.");
    b.onoff("-gpgpu_simple_dram_model", "0",
            "Models DRAM with a fixed latency instead of DRAM timing.");
    b.ignored("-gpgpu_mem_addr_test", option_type::boolean, "0",
              "mappings are always checked when they are read");
}

void interconnect(builder& b) {
    b.in(option_group::interconnect);
    b.count("-network_mode", "1", "",
            "Network model: 1 routers as described by -inter_config_file, 2 built-in crossbar, 3 "
            "no contention.");
    b.file("-inter_config_file", "mesh",
           "Topology and routers in BookSim syntax, for -network_mode 1.");
    b.count("-icnt_flit_size", "32", "bytes",
            "Flit size: bytes that a link transfers per network cycle.");
    b.count("-icnt_in_buffer_limit", "64", "packets",
            "Input buffer size of the crossbar per port.");
    b.count("-icnt_out_buffer_limit", "64", "packets",
            "Output buffer size of the crossbar per port.");
    b.count("-icnt_subnets", "2", "networks",
            "Number of crossbars; only 2 is supported: one for requests, one for replies.");
    b.count("-icnt_arbiter_algo", "1", "", "Crossbar arbiter: 0 round-robin, 1 iSLIP.");
    b.count("-icnt_grant_cycles", "1", "network cycles",
            "Time for which the arbiter keeps a grant.");
    b.count("-icnt_speedup", "1", "flits",
            "Flits that an input of the crossbar can send, and an output can receive, per network "
            "cycle.");
    b.add("-icnt_gpc_flits", option_type::real, "X", "0", "flits of 64 bytes",
          "Requests that the SMs of a GPC (-gpgpu_gpc_sms) can send per network cycle; may be a "
          "fraction. A request is a header, which the sectors of an instruction in one line share, "
          "and the data of a write or an atomic. 0: no limit but those of the SMs.");
    b.ignored("-icnt_verbose", option_type::natural, "0", prints_elsewhere);
}

/// The options that others require.
void requirements(builder& b) {
    b.need({"--vcd-scope", "--vcd-window"}, {"--vcd"});
    b.need({"--timeline-window", "--timeline-sample"}, {"--timeline"});
    b.need({"--interval", "--interval-counters", "--interval-scope"},
           {"--interval-csv", "--interval-db"});
    b.need({"--sample-json"}, {"--sample", "--sample-stable"});
    b.need({"--checkpoint-at", "--checkpoint-blocks"}, {"--checkpoint"});
    b.need({"-checkpoint_kernel"}, {"-checkpoint_option"});
    b.need({"-resume_kernel"}, {"-resume_option"});
    b.need({"--sms-a-thread"}, {"--threads"});
    b.need({"--record-form"}, {"--record-trace"});
    b.need({"-enable_ptx_file_line_stats"},
           {"-ptx_line_stats_filename", "-visualizer_enabled", "--stats-json", "--stats-csv-long"});
    b.need({"-ptx_line_stats_filename"}, {"-enable_ptx_file_line_stats"});
    b.need({"-visualizer_outputfile", "-visualizer_zlevel", "-gpgpu_cflog_interval",
            "-gpgpu_warpdistro_shader"},
           {"-visualizer_enabled"});
    b.need({"-gpgpu_runtime_stat"}, {"-visualizer_enabled", "-power_simulation_enabled"});
    b.need({"-trace_components", "-trace_sampling_core", "-trace_sampling_memory_partition"},
           {"-trace_enabled"});
    b.need({"-gpgpu_ptx_inst_debug_file", "-gpgpu_ptx_inst_debug_thread_uid"},
           {"-gpgpu_ptx_inst_debug_to_file"});
    b.need({"--pcie-latency"}, {"--pcie-bandwidth"});
    b.need({"--nvlink-bandwidth"}, {"--gpus"});
    b.need({"--nvlink-latency"}, {"--nvlink-bandwidth"});
}

/// The runs in which options have an effect. Parameters of the modelled hardware are accepted by
/// all runs.
void effective_runs(builder& b) {
    b.limit({"-gpgpu_deadlock_detect",
             "--no-sleep",
             "--shuffle-seed",
             "--processes",
             "--threads",
             "--sms-a-thread",
             "--sample",
             "--sample-similarity",
             "--sample-stable",
             "--sample-spread",
             "--sample-json",
             "--checkpoint",
             "--checkpoint-at",
             "--checkpoint-blocks",
             "--resume",
             "--resume-what-if",
             "-checkpoint_option",
             "-checkpoint_kernel",
             "-resume_option",
             "-resume_kernel",
             "--check-dram",
             "--stats-json",
             "--stats-csv",
             "--stats-csv-long",
             "--stats",
             "-gpgpu_warp_issue_shader",
             "-gpgpu_memlatency_stat",
             "--vcd",
             "--vcd-scope",
             "--vcd-window",
             "--timeline",
             "--timeline-window",
             "--timeline-sample",
             "--interval-csv",
             "--interval-db",
             "--interval",
             "--interval-counters",
             "--interval-scope",
             "-enable_ptx_file_line_stats",
             "-ptx_line_stats_filename",
             "-visualizer_enabled",
             "-visualizer_outputfile",
             "-visualizer_zlevel",
             "-gpgpu_runtime_stat",
             "-gpgpu_cflog_interval",
             "-gpgpu_warpdistro_shader",
             "-trace_enabled",
             "-trace_components",
             "-trace_sampling_core",
             "-trace_sampling_memory_partition",
             "--kernels",
             "--kernel-names",
             "--skip-kernels",
             "--max-kernels"},
            timed_runs);
    b.limit({"--profile-kernel", "--kernel-ids", "--opcode-table"}, replay | timed_program);
    b.limit({"--sample-budget"}, replay);
    b.limit({"--sample-first"}, timed_program | timed_host);
    b.limit({"--sample-skip", "--sample-from"}, timed_host);
    b.limit({"--summary"}, timed_runs | functional_host);
    b.limit({"-trace", "--trace-lookahead", "--ctas", "--no-validate", "--unknown-opcode",
             "--override-shmem", "--override-registers"},
            replay);
    b.limit({"--launch"}, program_runs);
    b.limit({"--ptx", "--cubin"}, program_runs);
    b.limit({"--record-trace", "--record-form"}, timed_program | timed_host);
    b.limit({"--functional-threads", "-gpgpu_ptx_instruction_classification"}, functional_runs);
    b.limit({"--check", "-gpgpu_ptx_sim_mode", "-gpgpu_ptx_inst_debug_to_file",
             "-gpgpu_ptx_inst_debug_file", "-gpgpu_ptx_inst_debug_thread_uid"},
            program_runs | host_runs);
    b.limit({"--stats-file", "--keep-exit-code", "--gpus", "--device-memory", "--code", "--ptxas",
             "-save_embedded_ptx", "-keep"},
            host_runs);
    b.limit({"--pcie-bandwidth", "--pcie-latency", "--nvlink-bandwidth", "--nvlink-latency",
             "--host-grace"},
            timed_host);
}

/// The options that name files.
void file_uses(builder& b) {
    b.use({"-config", "--ptx", "--cubin", "--launch", "-trace", "--opcode-table",
           "-inter_config_file", "--resume", "--debug-commands"},
          file_use::input);
    b.use({"--checkpoint", "--sample-json", "--stats-json", "--stats-csv", "--stats-csv-long",
           "--vcd", "--timeline", "--interval-csv", "--interval-db", "-ptx_line_stats_filename",
           "-visualizer_outputfile", "--stats-file", "-gpgpu_ptx_inst_debug_file"},
          file_use::output);
    b.use({"--record-trace"}, file_use::output_folder);
}

void power(builder& b) {
    b.in(option_group::power);
    b.onoff("-power_simulation_enabled", "0",
            "Accounts for energy by component, and writes --power-report; see docs/power.md.");
    b.file("--energy-table", "",
           "Energies of the GPU: a table (docs/power.md) or an XML file of AccelWattch. Presets "
           "name theirs.");
    b.file(
        "-accelwattch_xml_file", "accelwattch_sass_sim.xml",
        "Energies as an XML file of AccelWattch, instead of --energy-table. Used if given, or if "
        "there is no table.");
    b.file("--power-report", "accelwattch_power_report.log",
           "Power by component of every kernel (mean, maximum, minimum), in AccelWattch's format.");
    b.count("-power_simulation_mode", "0", "",
            "Activity of which the power report is made: 0 simulation, 1 counters of hardware "
            "(-hw_perf_file_name) with simulated instructions, 2 those of hardware except "
            "-accelwattch_hybrid_perfsim_*.");
    b.onoff("-dvfs_enabled", "0",
            "Scales energies with the voltage: that of the energy table at the core clock, 1 V if "
            "it has none, and in modes 1 and 2 that of -hw_perf_file_name.");
    b.word("--power-limit", "WATTS|board", "",
           "Lowers the clocks of core, network and L2 along the voltage curve of the energy table "
           "so that the GPU does not take more power (nvidia-smi -pl); \"board\": the limit of the "
           "energy table.");
    b.word("--power-limit-interval", "US", "20",
           "Microseconds of simulated time after which --power-limit chooses the clocks again.")
        .depends_on = {"--power-limit"};
    b.word("--temperature", "CELSIUS", "",
           "Temperature of the die, on which leakage depends. Default: that of the energy table.");
    b.word("--cooling", "RESISTANCE:CAPACITANCE:AMBIENT", "",
           "The temperature of the die follows its power, beginning with --temperature: thermal "
           "resistance to the surroundings (K/W), heat capacity (J/K; 0: follows at once) and "
           "temperature of the surroundings (Celsius).");
    b.onoff("-gpgpu_clock_gated_lanes", "0",
            "Idle lanes of functional units take no energy (as in the published configurations of "
            "GPGPU-Sim), instead of half of what active ones take (special functions: three "
            "quarters).");
    b.onoff("-power_per_cycle_dump", "0",
            "Adds the power of every window of -gpgpu_runtime_stat cycles to --power-report.");
    b.onoff("-power_trace_enabled", "0",
            "Writes power and activity of every window to power_trace.log.gz and "
            "metric_trace.log.gz beside --power-report.");
    b.count("-power_trace_zlevel", "6", "", "Compression level of the power traces, 0 to 9.");
    b.onoff("-steady_power_levels_enabled", "0",
            "Writes periods of steady power to steady_state.log.gz beside --power-report.");
    b.word("-steady_state_definition", "WATTS:SAMPLES", "8:4",
           "Power is steady while windows differ from their mean by less than this, for more than "
           "this number of windows.");
    b.file("-hw_perf_file_name", "hw_perf.csv",
           "Counters of hardware, in AccelWattch's format, for -power_simulation_mode 1 and 2.");
    b.word("-hw_perf_bench_name", "NAME", "", "Name of the benchmark in -hw_perf_file_name.");
    b.onoff(
        "-aggregate_power_stats", "0",
        "In -power_simulation_mode 1 and 2, instruction counts are those of all kernels so far.");
    // Not --energy-table: presets, and copies of their files, name one for every run.
    b.need({"--power-report", "-accelwattch_xml_file", "-power_simulation_mode", "-dvfs_enabled",
            "-power_per_cycle_dump", "-power_trace_enabled", "-power_trace_zlevel",
            "-steady_power_levels_enabled", "-steady_state_definition", "-hw_perf_file_name",
            "-hw_perf_bench_name", "-aggregate_power_stats", "-gpgpu_clock_gated_lanes",
            "--power-limit", "--temperature", "--cooling"},
           {"-power_simulation_enabled"});
    b.limit({"-power_simulation_enabled"}, timed_runs);
    b.use({"--energy-table", "-accelwattch_xml_file", "-hw_perf_file_name"}, file_use::input);
    b.use({"--power-report"}, file_use::output);
    for (const char* counter : {"L1_RH", "L1_RM", "L1_WH", "L1_WM", "L2_RH", "L2_RM", "L2_WH",
                                "L2_WM", "CC_ACC", "SHARED_ACC", "DRAM_RD", "DRAM_WR", "NOC",
                                "PIPE_DUTY", "NUM_SM_IDLE", "CYCLES", "VOLTAGE"})
        b.onoff(
             std::string("-accelwattch_hybrid_perfsim_") + counter, "0",
             std::string("In -power_simulation_mode 2, takes ") + counter + " from the simulation.")
            .depends_on = {"-power_simulation_mode"};
}

void elsewhere(builder& b) {
    using type = option_type;
    b.in(option_group::elsewhere);
    const char* const runs_ptx =
        "PTX is executed directly; PTXPlus represents machine code of GT200";
    for (const char* name : {"-gpgpu_ptx_convert_to_ptxplus", "-gpgpu_ptx_save_converted_ptxplus"})
        b.ignored(name, type::boolean, "0", runs_ptx);
    const char* const reads_binaries =
        "fat binaries are read in memory, without cuobjdump or temporary files";
    b.ignored("-gpgpu_ptx_use_cuobjdump", type::boolean, "1", reads_binaries);
    b.ignored("-gpgpu_experimental_lib_support", type::boolean, "0", reads_binaries);
    b.ignored("-gpgpu_occupancy_sm_number", type::integer, "0",
              "registers are counted by simtlm; ptxas is not used");
    b.ignored("-gpgpu_runtime_sync_depth_limit", type::integer, "2", device_runtime);
    b.ignored("-gpgpu_runtime_pending_launch_count_limit", type::integer, "2048", device_runtime);
    b.ignored("-gpgpu_cdp_enabled", type::boolean, "0", device_runtime);
    b.ignored("-cdp_latency", type::text, "7200,8000,100,12000,1600", device_runtime);

    for (const char* name :
         {"-checkpoint_CTA", "-resume_CTA", "-checkpoint_CTA_t", "-checkpoint_insn_Y"})
        b.ignored(name, type::integer, "0", other_checkpoints);

    b.ignored("-n_regfile_gating_group", type::natural, "4", registers_take_all_lanes);
    b.ignored("-gpgpu_clock_gated_reg_file", type::boolean, "0", registers_take_all_lanes);
    b.ignored("-gpuwattch_xml_file", type::path, "gpuwattch.xml",
              "energies of GPUWattch would need McPAT; -accelwattch_xml_file is read");
}

}  // namespace

const std::vector<option_info>& option_table() {
    static const std::vector<option_info> table = [] {
        std::vector<option_info> rows;
        builder b(rows);
        running(b);
        programs(b);
        output(b);
        traces(b);
        fidelity(b);
        chip(b);
        launch(b);
        core(b);
        operands(b);
        units(b);
        sub_core_units(b);
        sub_core_front_end(b);
        sub_core_memory(b);
        asynchronous_engines(b);
        l1(b);
        l2(b);
        dram(b);
        interconnect(b);
        power(b);
        elsewhere(b);
        requirements(b);
        effective_runs(b);
        file_uses(b);
        return rows;
    }();
    return table;
}

const std::map<std::string, std::string, std::less<>>& option_aliases() {
    static const std::map<std::string, std::string, std::less<>> aliases = {
        {"-gmem_skip_L1D", "-gpgpu_gmem_skip_L1D"},
        {"-rop_latency", "-gpgpu_l2_rop_latency"},
        {"-smem_latency", "-gpgpu_smem_latency"},
        {"-gpgpu_flush_cache", "-gpgpu_flush_l1_cache"},
        {"-ptx_opcode_latency_tensor", "-ptx_opcode_latency_tesnor"},
        // Names in development versions of GPGPU-Sim 4.0 and in configurations of that time.
        {"-adaptive_cache_config", "-gpgpu_adaptive_cache_config"},
        {"-adaptive_volta_cache_config", "-gpgpu_adaptive_cache_config"},
        {"-adpative_volta_cache_config", "-gpgpu_adaptive_cache_config"},
        {"-arbiter_algo", "-icnt_arbiter_algo"},
        {"-gpgpu_cache_write_ratio", "-gpgpu_l1_cache_write_ratio"},
        {"-dual_bus_interface", "-dram_dual_bus_interface"},
        {"-enable_specialized_operand_collector", "-gpgpu_enable_specialized_operand_collector"},
        {"-inct_grant_cycles", "-icnt_grant_cycles"},
        {"-inct_in_buffer_limit", "-icnt_in_buffer_limit"},
        {"-inct_out_buffer_limit", "-icnt_out_buffer_limit"},
        {"-inct_subnets", "-icnt_subnets"},
        {"-inct_verbose", "-icnt_verbose"},
        {"-inst_fetch_throughput", "-gpgpu_inst_fetch_throughput"},
        {"-l1_banks", "-gpgpu_l1_banks"},
        {"-l1_latency", "-gpgpu_l1_latency"},
        {"-mem_unit_ports", "-gpgpu_mem_unit_ports"},
        {"-memory_partition_indexing", "-gpgpu_memory_partition_indexing"},
        {"-perf_sim_memcpy", "-gpgpu_perf_sim_memcpy"},
        {"-perfect_inst_const_cache", "-gpgpu_perfect_inst_const_cache"},
        {"-simple_dram_model", "-gpgpu_simple_dram_model"},
        {"-sub_core_model", "-gpgpu_sub_core_model"},
        {"-Elimnate_rw_turnaround", "-dram_elimnate_rw_turnaround"},
        {"-Seperate_Write_Queue_Enable", "-dram_seperate_write_queue_enable"},
        {"-Write_Queue_Size", "-dram_write_queue_size"},
        // Of GPGPU-Sim 3.
        {"-gpgpu_dram_sched_queue_size", "-gpgpu_frfcfs_dram_sched_queue_size"},
        {"-mcpat_xml_file", "-gpuwattch_xml_file"},
        {"--fast-forward", "--skip-kernels"},
        {"-h", "--help"},
    };
    return aliases;
}

const std::map<std::string, std::string, std::less<>>& former_options() {
    static const std::map<std::string, std::string, std::less<>> hints = [] {
        std::map<std::string, std::string, std::less<>> all = {
            {"-gpgpu_n_shader", "use -gpgpu_n_clusters and -gpgpu_n_cores_per_cluster"},
            {"-gpu_concentration", "use -gpgpu_n_cores_per_cluster"},
            {"-gpgpu_no_dl1", "use -gpgpu_cache:dl1 none"},
            {"-gpu_n_mshr_per_shader", "give the MSHR entries in -gpgpu_cache:dl1"},
            {"-gpgpu_interwarp_mshr_merge", "give the merged requests in -gpgpu_cache:dl1"},
            {"-gpgpu_cache_wt_through", "give the write policy in -gpgpu_cache:dl1"},
            {"-gpgpu_partial_write_mask", "omit it; partial writes are always masked"},
            {"-gpgpu_L2_queue", "use -gpgpu_dram_partition_queues"},
            {"-gpgpu_pre_mem_stages", "use -gpgpu_smem_latency and -gpgpu_l1_latency"},
            {"-gpgpu_pdom_sched_type", "use -gpgpu_scheduler"},
            {"-gpgpu_n_cache_bank", "use -gpgpu_l1_banks"},
            {"-gpgpu_shmem_port_per_bank", "use -gpgpu_shmem_num_banks"},
            {"-gpgpu_shmem_pipe_speedup", "use -gpgpu_shmem_warp_parts"},
            {"-gpgpu_shmem_bkconflict", "omit it; bank conflicts are always modelled"},
            {"-gpgpu_operand_collector", "omit it; operand collectors are always modelled"},
            {"-gpgpu_operand_collector_num_units", "use -gpgpu_operand_collector_num_units_gen"},
            {"-gpgpu_cache:dl1PreShared", "use -gpgpu_cache:dl1PrefShared"},
            {"-gpgpu_sm_uarch", "omit it; --core selects the model of the SM"},
            {"-gpgpu_cuda_sim", "omit it; see --ptx and simtlm run"},
            {"-gpgpu_spread_blocks_across_cores",
             "omit it; thread blocks are distributed over the SMs in turn"},
            {"-mcpat_printing_enabled", "omit it; --power-report has the components"},
            {"-pcie_bandwidth", "use --pcie-bandwidth"},
            {"-trace_driven_mode", "omit it; -trace replays a trace"},
            {"-trace_skip_first_kernel", "use --skip-kernels 1"},
            {"-skip_cycles_enable", "omit it; page faults are not modelled"},
        };
        for (const char* name :
             {"-gpgpu_dwf_heuristic", "-gpgpu_dwf_hw", "-gpgpu_dwf_reg_bankconflict",
              "-gpgpu_dwf_regbk", "-gpgpu_thread_swizzling", "-gpgpu_no_divg_load"})
            all.emplace(name, "omit it; dynamic warp formation is not modelled");
        for (const char* name :
             {"-gpgpu_cache_bkconflict", "-gpgpu_cache_port_per_bank", "-gpgpu_const_port_per_bank",
              "-gpgpu_reg_bankconflict", "-gpgpu_reg_bank_conflict_model", "-gpgpu_stall_on_use",
              "-gpgpu_strict_simd_wrbk", "-gpgpu_l2_readoverwrite", "-gpgpu_L1_warp_parts_cached",
              "-fast_execution_mode", "-ideal_mem_divergency"})
            all.emplace(name, "omit it; no later version of GPGPU-Sim has this parameter");
        for (const char* name :
             {"-enable_accurate_simulation", "-enable_dma", "-enable_smart_runtime",
              "-eviction_policy", "-gddr_size", "-hardware_prefetch", "-hwprefetch_oversub",
              "-invalidate_clean", "-migrate_threshold", "-multiply_dma_penalty",
              "-page_fault_latency", "-page_size", "-page_table_walk_latency",
              "-percentage_of_free_page_buffer", "-reserve_accessed_page_percent",
              "-sim_prof_enable", "-tlb_size"})
            all.emplace(name, "omit it; pages of unified memory are not modelled");
        for (const char* what : {"units", "in_ports", "out_ports"})
            all.emplace(std::string("-gpgpu_operand_collector_num_") + what + "_vp_core",
                        std::string("use -gpgpu_operand_collector_num_") + what + "_gen");
        all.emplace("-gpgpu_num_vp_core_units", "use -gpgpu_num_sp_units");
        return all;
    }();
    return hints;
}

std::string unknown_option_remedy(std::string_view name) {
    const auto former = former_options().find(name);
    return former != former_options().end() ? former->second
                                            : "did you mean " + nearest_option(name) + "?";
}

}  // namespace simtlm::platform
