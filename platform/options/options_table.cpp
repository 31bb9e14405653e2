// SPDX-License-Identifier: Apache-2.0
#include "platform/options/options.h"

#include <fmt/format.h>

namespace simtlm::platform {

namespace {

// Why an option of GPGPU-Sim or Accel-Sim has no meaning here.
constexpr const char* models_power = "power is not modelled";
constexpr const char* prints_elsewhere =
    "statistics and messages are always printed, and in full in --stats-json";
constexpr const char* between_kernels = "checkpoints are written between two kernels";
constexpr const char* no_preference =
    "a kernel's cache preference is a hint (cudaFuncSetCacheConfig) that traces do not record and "
    "programs need not follow: the L1D's share is -gpgpu_adaptive_cache_config";
constexpr const char* device_runtime =
    "kernels of programs do not launch kernels; those of traces stand there as kernels";
constexpr const char* nothing_anywhere = "it does nothing in its home simulator either";

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
                          {},
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

private:
    std::vector<option_info>& table_;
    option_group group_ = option_group::run;
};

constexpr const char* cache_syntax =
    "none | [N|S:]SETS:LINE:WAYS,REPL:WRITE:ALLOC:WALLOC[:INDEX],MSHR:ENTRIES:MERGE,"
    "MISSQ[:FIFO[,PORT]]";

void running(builder& b) {
    b.in(option_group::run);
    b.word("--preset", "NAME", "",
           "Loads the shipped configuration of a GPU (QV100, RTX3070, ...) or a DRAM fragment "
           "(dram/GDDR6) at this point.")
        .action = true;
    b.file("-config", "", "Reads options from a file at this point.").action = true;
    b.flag("--list-configs", "Lists the shipped configurations and the traces they suit.").action =
        true;
    b.flag("--dump-config", "Prints the configuration in force, with the origin of every value.")
        .action = true;
    b.flag("--help", "Prints all options.").action = true;
    b.flag("--help-markdown", "Prints all options as the page docs/options.md.").action = true;
    b.flag("--help-statistics",
           "Prints what every statistic means, as the page docs/statistics.md.")
        .action = true;
    b.flag("--version", "Prints the version.").action = true;
    b.count("-gpgpu_max_cycle", "0", "core cycles",
            "Ends the run after so many cycles; 0: no limit.");
    b.count("-gpgpu_max_insn", "0", "thread instructions",
            "Ends the run after so many instructions; 0: no limit.");
    b.count("-gpgpu_max_cta", "0", "thread blocks",
            "Ends the run after so many thread blocks have been issued; 0: no limit.");
    b.count("-gpgpu_max_completed_cta", "0", "thread blocks",
            "Ends the run after so many thread blocks have finished; 0: no limit.");
    b.onoff("-gpgpu_deadlock_detect", "1",
            "Ends the run with a report of who waits for whom when nothing is executed for long.");
    b.flag("--no-sleep", "Keeps idle blocks awake; the results must not change, only the speed.");
    b.count("--shuffle-seed", "", "",
            "Creates processes in a permuted order, to show that the order does not matter.");
    b.word(
        "--processes", "module|block", "module",
        "Of SystemC. module: one for each SM, memory partition, network, ..., which runs the "
        "blocks inside it in the order of their phases; block: every block is a clocked thread of "
        "its own, as a debugger or a reader wants it. The results are the same.");
    b.count(
        "--threads", "1", "threads",
        "Of the host, that simulate SMs and memory partitions at the same time. The results are "
        "the same.");
    b.count("--sms-a-thread", "0", "SMs",
            "In a cycle in which fewer SMs (memory partitions) have work, fewer threads share it; "
            "with less than twice as many, one does it all. 0: as many as turns out to be faster, "
            "which is tried now and again.");
    b.flag("--sample",
           "Simulates a few kernels of each group of kernels that execute the same, and projects "
           "the cycles of the whole run with an error bound; see docs/sampling.md.");
    b.add("--sample-budget", option_type::real, "X", "0.05", "",
          "Of --sample: the share of the estimated work of the run that is simulated, where one "
          "kernel of each cluster of groups takes less.")
        .depends_on = "--sample";
    b.add("--sample-similarity", option_type::real, "X", "0.1", "",
          "Of --sample: by how much instructions, their mix and memory touched may differ within a "
          "group.")
        .depends_on = "--sample";
    b.flag(
        "--sample-stable",
        "Ends a kernel when its rate of instructions is stable, and projects the rest of it; see "
        "docs/sampling.md.");
    b.add("--sample-spread", option_type::real, "X", "0.02", "",
          "Of --sample-stable: the relative standard deviation of a stable rate.")
        .depends_on = "--sample-stable";
    b.file("--sample-json", "", "Writes the projection, kernel by kernel, as JSON.");
    b.file("--checkpoint", "",
           "Saves the run in this file when --checkpoint-at kernels have finished, as soon as "
           "nothing is under way, for --resume; see docs/checkpoints.md.");
    b.count("--checkpoint-at", "0", "kernels", "Of --checkpoint: how many have finished.");
    b.file("--resume", "",
           "Goes on with the run that --checkpoint has saved in this file, with the same GPU and "
           "trace or program: cycles and statistics are those of the whole run.");
    b.onoff("-checkpoint_option", "0",
            "GPGPU-Sim's spelling of --checkpoint checkpoint_files/kernel_K.checkpoint "
            "--checkpoint-at K, with K of -checkpoint_kernel.");
    b.count("-checkpoint_kernel", "1", "", "Of -checkpoint_option: the kernel behind which.");
    b.onoff("-resume_option", "0",
            "GPGPU-Sim's spelling of --resume checkpoint_files/kernel_K.checkpoint, with K of "
            "-resume_kernel.");
    b.count("-resume_kernel", "0", "", "Of -resume_option: the kernel behind which to go on.");
    b.flag("--check-dram", "Attaches an independent checker of DRAM timing to every channel.");
    b.flag("--profile-kernel", "Reports where the simulator itself spends its time.");
}

void output(builder& b) {
    b.in(option_group::output);
    b.file("--stats-json", "", "Writes all statistics as JSON.");
    b.file("--stats-csv", "", "Writes all statistics as CSV, one row per kernel.");
    b.file("--stats-csv-long", "",
           "Writes the counters of every kernel as CSV, one row per kernel and counter.");
    b.word("--stats", "full|compact", "full",
           "What is printed after every kernel; compact: of the whole GPU, without what is zero or "
           "unchanged.");
    b.count("-gpgpu_warp_issue_shader", "0", "",
            "The SM whose issue distribution by warp slot is printed after every kernel.");
    b.add("-gpgpu_memlatency_stat", option_type::integer, "FLAGS", "14", "",
          "0 leaves the latencies and accesses of memory, by bank, out of the text report (in "
          "GPGPU-Sim this is the default); the other flags have no effect.");
    b.file("--vcd", "", "Writes a waveform.");
    b.word("--vcd-scope", "GLOB[,GLOB...]", "*",
           "Restricts the waveform to blocks whose hierarchical names match.");
    b.word("--vcd-window", "FROM:TO", ":",
           "Restricts the waveform to an interval of core cycles; either end may be left out.");
    b.file("--timeline", "",
           "Writes a timeline of kernels, thread blocks and stalls for a trace viewer.");
    b.word("--timeline-window", "FROM:TO", ":",
           "Restricts the timeline to an interval of core cycles; either end may be left out.");
    b.count("--timeline-sample", "1000", "core cycles", "Interval of the timeline's counters.");
    b.file(
        "--interval-csv", "",
        "Writes IPC, resident warps, stalls, hit rates and DRAM bandwidth over time as CSV: a row "
        "per sample for the whole GPU, each SM, L2 slice and DRAM channel.");
    b.file("--interval-db", "", "Writes the same as an SQLite database.");
    b.count("--interval", "1000", "core cycles", "Time between two such samples.");
    b.word("--interval-counters", "GLOB[,GLOB...]", "",
           "Samples these counters as well, named KIND.COUNTER[.CELL] as in docs/statistics.md: "
           "what was counted since the sample before.");
    b.word("--interval-scope", "GLOB[,GLOB...]", "*",
           "Samples only what has such a hierarchical name; gpu is the whole.");
    b.onoff(
        "-enable_ptx_file_line_stats", "0",
        "Counts what every instruction costs, where -ptx_line_stats_filename, -visualizer_enabled, "
        "--stats-json or --stats-csv-long show it (in GPGPU-Sim this is the default).");
    b.file("-ptx_line_stats_filename", "gpgpu_inst_stats.txt",
           "The file of those counts by kernel and line, for AerialVision's source view; written "
           "where it is named, or with -visualizer_enabled.");
    b.onoff("-visualizer_enabled", "0",
            "Writes a log for AerialVision's time-lapse view (in GPGPU-Sim this is the default).");
    b.file("-visualizer_outputfile", "NULL",
           "The log's name; NULL: gpgpusim_visualizer.log.gz in the current folder.");
    b.count("-visualizer_zlevel", "6", "", "How much the log is compressed: 0 (not) to 9.");
    b.word("-gpgpu_runtime_stat", "CYCLES[:FLAGS]", "10000:0",
           "Core cycles between two samples of the log; the flags, which print more in GPGPU-Sim, "
           "have no effect.");
    b.count("-gpgpu_cflog_interval", "0", "core cycles",
            "How often the log looks where the threads are; 0: with every sample.");
    b.add("-gpgpu_warpdistro_shader", option_type::integer, "N", "-1", "",
          "The SM whose issue distribution the log shows; -1: the mean of all.");
    b.flag("--debug",
           "Runs in the interactive debugger, as the environment variable GPGPUSIM_DEBUG=1 does; "
           "see docs/debugger.md. The results are the same.");
    b.file("--debug-commands", "",
           "Commands for the debugger, a line each; at their end the run goes on.");
    b.onoff("-trace_enabled", "0",
            "Prints what components do, cycle after cycle; see docs/debugger.md.");
    b.word("-trace_components", "NAME[,NAME...]", "none",
           "Which: WARP_SCHEDULER, SCOREBOARD, MEMORY_PARTITION_UNIT, MEMORY_SUBPARTITION_UNIT, "
           "INTERCONNECT, LIVENESS.");
    b.add("-trace_sampling_core", option_type::integer, "N", "0", "",
          "The SM that WARP_SCHEDULER and SCOREBOARD tell of, and INTERCONNECT; -1: all.");
    b.add("-trace_sampling_memory_partition", option_type::integer, "N", "-1", "",
          "The memory partition that the streams of partitions tell of; -1: all.");
    b.flag("--quiet", "Prints statistics and errors only.");
    b.flag("--summary", "Ends with a summary on stderr, which otherwise only a terminal gets.");
    b.word("--progress", "auto|on|off", "auto",
           "Shows progress on the terminal; auto: when the output is one.");
    b.count("-liveness_message_freq", "1", "seconds", "Least time between two progress messages.");
}

void programs(builder& b) {
    b.file("--ptx", "", "A PTX program to run; see docs/execution.md.");
    b.file("--cubin", "",
           "Machine code to run, with time or without (-gpgpu_ptx_sim_mode 1): a cubin; see "
           "docs/sass.md.");
    b.word("--code", "ptx|sass|auto", "ptx",
           "What of a CUDA program's code is run. ptx: the newest PTX that the GPU takes; sass: "
           "machine code for the GPU's generation; auto: machine code where there is some for the "
           "GPU's very architecture and all of it can be executed, else PTX.");
    b.file("--launch", "", "What to run of it: buffers, launches and expected results.");
    b.file("--record-trace", "",
           "Records the kernels of --ptx, --cubin or a CUDA program as they run, with a "
           "kernelslist.g, in this folder, which is made. A replay takes the same cycles. Traces "
           "of machine code are those of Accel-Sim's tracer.");
    b.word("--record-form", "binary|text|text6", "binary",
           "Form of the traces recorded. Machine code as text has tracer version 5, with text6 "
           "version 6.");
    b.count("-gpgpu_ptx_sim_mode", "0", "",
            "1: programs run without time, and what was executed is printed. The environment "
            "variable PTX_SIM_MODE_FUNC=1 says the same.");
    b.count("--functional-threads", "1", "threads", "Of the host, for programs without time.");
    b.word("--check", "memory,races,init|all", "",
           "What to look for while a program runs; see docs/execution.md. Findings are told at the "
           "end, and the exit code is 5.");
    b.count("-gpgpu_simd_model", "1", "",
            "Where lanes of a program that have taken different ways meet again: 1 at immediate "
            "post-dominators, with the SIMT stack; there is no other model, as in GPGPU-Sim.");
    b.count("-gpgpu_stack_size_limit", "1024", "bytes",
            "Stack of a thread, where a program recurses, calls through pointers or allocates on "
            "the stack.");
    b.count("-gpgpu_heap_size_limit", "8388608", "bytes", "What malloc of programs gives.");
    b.count("-gpgpu_ptx_force_max_capability", "0", "",
            "CUDA programs: the newest PTX of a fat binary that is taken, as 70 for sm_70; 0: the "
            "GPU's own compute capability.");
    b.flag("-save_embedded_ptx", "CUDA programs: writes the PTX that is loaded to _N.ptx.");
    b.flag("-keep", "The same.");
    b.count("--gpus", "1", "", "CUDA programs: so many GPUs of the same configuration.");
    b.count("--device-memory", "34359738368", "bytes", "CUDA programs: memory of each GPU.");
    b.add("--pcie-bandwidth", option_type::real, "X", "0", "GB/s",
          "CUDA and OpenCL programs: of copies between host and GPU, in each direction; copies and "
          "fills inside a GPU go at the peak bandwidth of its DRAM then; 0: copies take no time.");
    b.add("--pcie-latency", option_type::real, "X", "0", "us",
          "CUDA and OpenCL programs: of each copy between host and GPU, where it has a "
          "bandwidth.");
    b.add("--nvlink-bandwidth", option_type::real, "X", "0", "GB/s",
          "CUDA programs: of copies between GPUs; 0: they take no time.");
    b.add("--nvlink-latency", option_type::real, "X", "0", "us",
          "CUDA programs: of each such copy, where it has a bandwidth.");
    b.count("--host-grace", "300", "ms",
            "CUDA programs: simulated time goes on while the host waits for the GPU, or after it "
            "has been silent for so long; 0: only while it waits.");
    b.file("--stats-file", "",
           "simtlm run: the file for the reports of kernels (simtlm-stats.txt).");
    b.flag(
        "--keep-exit-code",
        "simtlm run: ends with the program's own exit code, even if a kernel of it was aborted or "
        "results could not be written; see docs/exit-codes.md.");
    b.onoff("-gpgpu_ptx_instruction_classification", "0",
            "Without time, prints what every launch has executed by class.");
    b.onoff("-gpgpu_ptx_inst_debug_to_file", "0",
            "Writes every instruction that a thread of a program executes, and its registers.");
    b.file("-gpgpu_ptx_inst_debug_file", "inst_debug.txt",
           "Where to. To stdout: environment variable PTX_SIM_DEBUG; see docs/execution.md.");
    b.count("-gpgpu_ptx_inst_debug_thread_uid", "1", "",
            "Of this thread only: all are counted from 1, launch after launch, block after block. "
            "0: of all.");
}

void traces(builder& b) {
    b.in(option_group::trace);
    b.file("-trace", "",
           "The command list (kernelslist.g) to replay, or the folder that holds it.");
    b.count("--trace-lookahead", "64", "thread blocks",
            "How far decoding may run ahead, per kernel; less where blocks are large.");
    b.file("--opcode-table", "", "Adds opcodes to the built-in tables, or changes them.")
        .repeatable = true;
    b.word("--unknown-opcode", "error|warn", "error",
           "What to do about an opcode in no table; warn: one warning, and the integer unit.");
    b.count("--override-shmem", "", "bytes",
            "Shared memory of every thread block, where a trace's header is wrong.");
    b.count("--override-registers", "", "registers",
            "Registers of every thread, where a trace's header is wrong.");
    b.flag("--any-binary-version",
           "Replays traces of another GPU generation than the configured one.");
    b.flag(
        "--no-validate",
        "Replays traces that no tracer can have recorded: registers beyond -nregs, misaligned or "
        "wrapping addresses, widths that are no power of two, two opcodes at one program "
        "counter, lanes beyond the thread block, warps without EXIT, negative numbers of "
        "kernels and streams. Otherwise they are refused with their line.");
    b.word("--kernels", "RANGES", "",
           "Runs these kernels of the list only, counted from 1: 3, 5-9, 12-, @REGEX, 5-9@REGEX; "
           "several with commas between them. A line of the list may say the same, as for the "
           "five options below. Of programs these are simulated, and all others run without time.");
    b.word("--kernel-ids", "RANGES", "",
           "The same, by the tracer's numbers (kernel id in the header): what it calls "
           "DYNAMIC_KERNEL_LIMIT_START to _END, or DYNAMIC_KERNEL_RANGE.");
    b.word("--kernel-names", "REGEX", "",
           "Runs only kernels in whose names, mangled or not, this regular expression is found.");
    b.count("--skip-kernels", "", "kernels",
            "Begins behind so many kernels of the list. Those of a program are executed without "
            "time.");
    b.count("--max-kernels", "", "kernels", "Ends the list behind so many kernels that have run.");
    b.word("--ctas", "FROM-TO", "",
           "Runs these thread blocks of every kernel only, counted from 0 with x fastest.");
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
           "accel-sim: behaves as Accel-Sim does, its defects included; the same as all quirks.");
    std::string names, meanings;
    for (const quirk_info& quirk : quirk_table()) {
        names += std::string(names.empty() ? "" : "|") + quirk.name;
        meanings +=
            fmt::format("{}`{}`: {}", meanings.empty() ? "" : "; ", quirk.name, quirk.description);
    }
    b.word("--quirk", names, "",
           "Switches on one departure of Accel-Sim from the hardware. " + meanings + ".")
        .repeatable = true;
}

void chip(builder& b) {
    b.in(option_group::chip);
    b.count("-gpgpu_n_clusters", "10", "clusters", "SM clusters; each is one network node.");
    b.count("-gpgpu_n_cores_per_cluster", "3", "SMs", "SMs in a cluster.");
    b.count("-gpgpu_n_cluster_ejection_buffer_size", "8", "packets",
            "Packets a cluster can take from the network before its SMs do.");
    b.add("-gpgpu_clock_domains", option_type::text, "CORE:NETWORK:L2:DRAM",
          "500.0:2000.0:2000.0:2000.0", "MHz",
          "Frequencies of the four clocks; DRAM: its command clock.");
    b.count("-gpgpu_compute_capability_major", "7", "",
            "Major compute capability; decides how accesses coalesce and which traces fit.");
    b.count("-gpgpu_compute_capability_minor", "0", "", "Minor compute capability.");
    b.count("-gpgpu_simt_core_sim_order", "1", "",
            "Which SM of a cluster comes first: 0 always the same, 1 in turn.");
}

void launch(builder& b) {
    b.in(option_group::launch);
    b.count("-gpgpu_kernel_launch_latency", "0", "core cycles",
            "Time between launch and first block.");
    b.count("-gpgpu_TB_launch_latency", "0", "core cycles",
            "Added to the launch latency for every thread block of the kernel.");
    b.add("-gpgpu_cta_launch_interval", option_type::real, "X", "0", "core cycles",
          "Between two thread blocks that are placed on the whole GPU, with decimals; 0: every "
          "cluster may get one a cycle.");
    b.word("-gpgpu_gpc_sms", "N[,N...]", "0",
           "SMs of each GPC in order, as far as the GPU has SMs; more of them are GPCs of the last "
           "size. One GPC runs all thread blocks of a cluster. 0: all SMs are one.");
    b.count("-gpgpu_max_concurrent_kernel", "32", "kernels",
            "Kernels that may run at the same time.");
    b.onoff("-gpgpu_concurrent_kernel_sm", "0", "Lets blocks of several kernels share an SM.");
}

void core(builder& b) {
    b.in(option_group::core);
    b.word("-gpgpu_shader_core_pipeline", "THREADS:WARPSIZE", "1024:32",
           "Threads an SM can hold, and threads of a warp.");
    b.count("-gpgpu_shader_registers", "8192", "registers", "Registers of an SM.");
    b.count("-gpgpu_registers_per_block", "8192", "registers",
            "Registers a thread block may use; when left out, those of the SM.");
    b.count("-gpgpu_shader_cta", "32", "thread blocks", "Thread blocks an SM can hold.");
    b.count("-gpgpu_num_cta_barriers", "16", "barriers", "Named barriers of a thread block.");
    b.onoff("-gpgpu_ignore_resources_limitation", "0",
            "Runs one block at a time of a kernel that needs more than an SM has.");
    b.count("-gpgpu_num_sched_per_core", "1", "", "Warp schedulers of an SM.");
    b.word("-gpgpu_scheduler",
           "lrr|gto|rrr|oldest|two_level_active:WARPS:INNER:OUTER|warp_limiting:PRIORITY:WARPS",
           "gto",
           "How a warp scheduler orders its warps. INNER is 0 (round robin), OUTER 1 (in order), "
           "PRIORITY 2 (greedy, then oldest).");
    b.count("-gpgpu_max_insn_issue_per_warp", "2", "instructions",
            "Instructions a scheduler may issue from one warp in a cycle.");
    b.onoff("-gpgpu_dual_issue_diff_exec_units", "1",
            "Instructions issued together must go to different units.");
    b.onoff("-gpgpu_sub_core_model", "0",
            "Gives each scheduler its own share of registers, collectors and units.");
    b.count("-gpgpu_inst_fetch_throughput", "1", "per cycle", "Fetches and decodes of an SM.");
    b.onoff("-gpgpu_perfect_inst_const_cache", "0", "Instruction and constant caches always hit.");
}

void operands(builder& b) {
    b.in(option_group::operands);
    b.count("-gpgpu_num_reg_banks", "8", "banks", "Banks of an SM's register file.");
    b.onoff("-gpgpu_reg_bank_use_warp_id", "1",
            "Adds the warp's number when choosing a bank, as today's Accel-Sim always does.");
    b.count("-gpgpu_reg_file_port_throughput", "1", "per cycle",
            "Passes of the operand collectors over the register file.");
    b.onoff("-gpgpu_enable_specialized_operand_collector", "1",
            "Each kind of unit has collectors of its own besides the general ones.");
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
        b.count(stem + "units_" + p.name, p.units, "", fmt::format("Collector units, {}.", p.what));
        b.count(stem + "in_ports_" + p.name, p.ports, "",
                fmt::format("Instructions that enter {} collectors per cycle.", p.what));
        b.count(stem + "out_ports_" + p.name, p.ports, "",
                fmt::format("Instructions that leave {} collectors per cycle.", p.what));
    }
}

void units(builder& b) {
    b.in(option_group::units);
    b.word(
        "-gpgpu_pipeline_widths", "W,W,...", "1,1,1,1,1,1,1,1,1,1,1,1,1",
        "Pipeline registers per stage: issue to collector for SP, DP, INT, SFU, MEM; collector to "
        "unit for the same; write-back; then the tensor core's two. Seven values (SP, SFU, MEM; "
        "the same again; write-back) are GPGPU-Sim 3's.");
    b.count("-gpgpu_num_sp_units", "1", "units", "Single-precision units of an SM.");
    b.count("-gpgpu_num_dp_units", "0", "units",
            "Double-precision units; without any, special-function units do their work.");
    b.count("-gpgpu_num_int_units", "0", "units",
            "Integer units; without any, single-precision units do their work.");
    b.count("-gpgpu_num_sfu_units", "1", "units", "Special-function units.");
    b.onoff("-gpgpu_tensor_core_avail", "0", "The SM has tensor cores.");
    b.count("-gpgpu_num_tensor_core_units", "0", "units", "Tensor core units.");
    for (int i = 1; i <= 8; ++i)
        b.word(
            fmt::format("-specialized_unit_{}", i), "ENABLED,UNITS,LATENCY,ID_OC,OC_EX,NAME",
            "0,4,4,4,4,BRA",
            fmt::format("Specialised unit {0}: whether it exists, how many, a latency that has no "
                        "effect (-trace_opcode_latency_initiation_spec_op_{0} sets it), widths of "
                        "its pipeline registers, and a name.",
                        i));
    const auto ptx = [&](const std::string& kind, const char* syntax, const char* latency,
                         const char* initiation, const std::string& what) {
        b.add("-ptx_opcode_latency_" + kind, option_type::text, syntax, latency, "core cycles",
              fmt::format("Latency of {} executed from PTX; recorded instructions have "
                          "-trace_opcode_latency_initiation_*.",
                          what));
        b.add("-ptx_opcode_initiation_" + (kind == "tesnor" ? "tensor" : kind), option_type::text,
              syntax, initiation, "core cycles",
              fmt::format("Initiation interval of {} executed from PTX.", what));
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

/// What sets the modern core apart; all else that it obeys is among the options of the classic one.
void modern(builder& b) {
    b.in(option_group::modern);
    b.word(
        "--core", "classic|modern", "classic",
        "Model of the SM. classic: that of GPGPU-Sim; modern: sub-cores that issue by the control "
        "bits of the compiler, as Volta and later are measured to. With --compat accel-sim always "
        "classic.");
    b.word(
        "--dependences", "bits|scoreboard", "bits",
        "Modern core: what keeps an instruction from issuing too early. bits: control bits of the "
        "machine code, or those that a compiler would set, which also reorders the PTX of a basic "
        "block; scoreboard: registers with a write under way.");
    b.word("-modern_scheduler", "cggty|lrr", "cggty",
           "Which eligible warp of a sub-core issues. cggty: greedy, then the youngest; lrr: loose "
           "round robin.");
    b.onoff("-modern_rotate_ctas", "0",
            "The warps of a thread block begin one sub-core behind those of the block before.");
    const auto pair = [&](const char* kind, const char* usual, const char* what) {
        b.add(std::string("-modern_") + kind, option_type::text, "LATENCY,INITIATION", usual,
              "core cycles",
              fmt::format("Latency from issue to the issue of a dependent instruction, "
                          "and initiation interval of a sub-core, of {}.",
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
    b.onoff("-modern_second_fp32_pipe", "1", "FP32 arithmetic has a second pipe in each sub-core.");
    b.count(
        "-modern_shared_fp64_interval", "0", "core cycles",
        "Between FP64 instructions of an SM whose sub-cores share one unit; 0: each has its own.");
    b.count("-modern_tensor_rate", "2048", "",
            "M x N x K x operand bits of a matrix product that a tensor core makes in two cycles.");
    b.count("-modern_tensor_f32_rate", "0", "",
            "The same for products that accumulate in FP32; 0: the same rate.");
    b.count("-modern_tensor_extra", "16", "core cycles",
            "Latency of matrix products that accumulate in FP16 or in integers, beyond their "
            "initiation interval.");
    b.count("-modern_tensor_f32_extra", "16", "core cycles",
            "The same for products that accumulate in FP32.");
    b.count("-modern_fetch_width", "1", "instructions",
            "Of one cache line and one warp that a sub-core fetches in a cycle.");
    b.count("-modern_warp_launch_interval", "0", "core cycles",
            "Between the starts of two warps of an SM.");
    b.count("-modern_cta_turnaround", "0", "core cycles",
            "From the end of a thread block until another can get its place on the SM.");
    b.count("-modern_branch_redirect", "6", "core cycles",
            "From the issue of a taken branch to the fetch behind it.");
    b.count("-modern_barrier_latency", "10", "core cycles",
            "From the issue of a CTA barrier until it counts the warp.");
    b.count("-modern_barrier_interval", "2", "core cycles",
            "Between two warps that the CTA barriers of an SM count.");
    b.word("-modern_fence_latency", "CTA,GPU,SYSTEM", "53,186,2900",
           "Shortest time of a fence by scope, core cycles.");
    b.word("-modern_l0i", "SETS:LINE:WAYS", "8:128:32", "L0 instruction cache of a sub-core.");
    b.count("-modern_stream_buffer", "8", "lines",
            "Of the instruction prefetcher of a sub-core; 0: none.");
    b.word("-modern_l1i_latency", "REQUEST,REPLY", "39,39",
           "Between L0 and L1 instruction caches, core cycles each way.");
    b.count("-modern_result_queue", "8", "entries",
            "Results of fixed latency of a sub-core that are under way.");
    b.count("-modern_register_read_ports", "1", "ports",
            "Read ports of a register bank; 0: reads never conflict.");
    b.word(
        "-modern_memory_queue", "ENTRIES,STAGES,ADDRESS,UNIFORM", "4,7,4,2",
        "Memory instructions of a sub-core: entries of its queue, cycles in front of the address "
        "calculation, cycles of that with a regular and with a uniform address or shared memory.");
    b.add("-modern_memory_interval", option_type::real, "X", "2", "core cycles",
          "Between instructions that the SM's memory unit takes, with decimals.");
    b.count("-modern_constant_interval", "2", "core cycles",
            "Between the look-ups of different addresses of a constant load.");
    b.word("-modern_load_latency", "GLOBAL,SHARED,CONSTANT", "32,24,29",
           "From the issue of a 32-bit load that hits to that of a reader, core cycles.");
    b.count("-modern_l1_tag_lookups", "4", "lines",
            "Of an L1D whose tags are looked up in a core cycle, each with all of its sectors.");
    b.count("-modern_link_cycles", "2", "core cycles",
            "For 128 bytes from the memory unit to a sub-core.");
    b.count("-modern_network_packets", "1", "packets",
            "That an SM sends into the network, and takes from it, in a core cycle.");
    b.onoff(
        "-modern_engines", "0",
        "SMs have engines for bulk copies (the tensor memory accelerator), mbarriers and products "
        "of warpgroups: sm_90.");
    b.word(
        "-modern_bulk_copy", "ISSUE,COMMAND,ARRIVAL,QUEUE,REQUESTS", "32,54,18,64,384",
        "Bulk copies: core cycles from issue to the front end of their engine, between two that "
        "it takes, and from the last reply until the mbarrier is told; copies in the queue of the "
        "front end; requests of 128 bytes in flight.");
    b.word(
        "-modern_mbarrier", "ARRIVE,WAIT", "29,32",
        "Core cycles of an arrival at an mbarrier, and from the issue of a wait, or the end of its "
        "phase, to its result.");
    b.word(
        "-modern_warpgroup", "ISSUE,SHARED,REGISTERS", "17,66,64",
        "Products of warpgroups (wgmma): core cycles from issue until the tensor cores begin, and "
        "from their end until the sums are written, with A in shared memory and in registers.");
    b.count(
        "-modern_warpgroup_rate", "32768", "",
        "m n k x operand bits that the tensor cores of an SM multiply in a cycle for a warpgroup.");
    b.word("-modern_cluster_lanes", "LANES,BYTES,SMS", "4,32,6",
           "SM-to-SM network of a GPC, from compute capability 9.0 on: lanes each way of so many "
           "SMs, which share them in equal parts, and bytes of a lane in a core cycle.");
    b.word("-modern_cluster_latency", "NEAR,FAR,ACCESS", "73,79,20",
           "Core cycles of that network, one way, between SMs that share lanes and between others, "
           "without the time of the bytes; and of shared memory that another SM reads.");
    b.count("-modern_cluster_barrier_latency", "70", "core cycles",
            "From an SM to the barrier of a cluster, and back: as far as to another SM, since no "
            "measurement tells.");
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
    b.count("-gpgpu_l1_cache_write_ratio", "0", "percent",
            "Dirty lines are not evicted while their share of the L1 data cache is below this.");
    b.count("-gpgpu_l1_banks", "1", "banks", "Banks of the L1 data cache.");
    b.count("-gpgpu_l1_banks_byte_interleaving", "32", "bytes", "Interleaving of those banks.");
    b.count("-gpgpu_l1_banks_hashing_function", "0", "",
            "How a bank is chosen: 0 linear, 1 xor, 2 polynomial, 3 Fermi's hash.");
    b.count("-gpgpu_l1_latency", "1", "core cycles", "Latency of a hit in the L1 data cache.");
    b.onoff("-gpgpu_gmem_skip_L1D", "0", "Global accesses go to L2 directly.");
    b.onoff("-gpgpu_flush_l1_cache", "0", "Empties the L1 caches after every kernel.");
    b.onoff("-gpgpu_adaptive_cache_config", "0",
            "Splits the unified cache between L1 and shared memory for every kernel.");
    b.count("-gpgpu_unified_l1d_size", "0", "KB", "L1 data cache and shared memory together.");
    b.add("-gpgpu_shmem_option", option_type::text, "KB[,KB...]", "0", "KB",
          "Sizes of shared memory among which the split chooses.");
    b.count("-gpgpu_shmem_size", "16384", "bytes", "Shared memory of an SM.");
    b.count("-gpgpu_shmem_per_block", "49152", "bytes",
            "Shared memory a block may use; from compute capability 7 a kernel may ask for more.");
    b.count("-gpgpu_shmem_num_banks", "16", "banks", "Banks of shared memory.");
    b.onoff("-gpgpu_shmem_limited_broadcast", "1", "Only one word is broadcast per cycle.");
    b.count("-gpgpu_shmem_warp_parts", "2", "",
            "Parts a warp is cut into when bank conflicts are looked for.");
    b.count("-gpgpu_smem_latency", "3", "core cycles", "Latency of shared memory.");
    b.count("-gpgpu_n_ldst_response_buffer_size", "2", "packets",
            "Responses that wait in front of the load/store unit.");
    b.count("-gpgpu_coalesce_arch", "13", "",
            "How a warp's accesses combine: 13 GT200, 20 Fermi, from 40 on sectors of 32 bytes.");
    b.onoff("-gpgpu_local_mem_map", "1", "Interleaves local memory so that neighbours coalesce.");
    b.onoff("-gpgpu_perfect_mem", "0", "Memory answers at once; nothing misses.");
    b.word("-gpgpu_cache:il1", cache_syntax, "4:256:4,L:R:f:N,A:2:32,4", "L1 instruction cache.");
    b.word("-gpgpu_const_cache:l1", cache_syntax, "64:64:2,L:R:f:N,A:2:32,4", "L1 constant cache.");
    b.word("-gpgpu_tex_cache:l1", cache_syntax, "8:128:5,L:R:m:N,F:128:4,128:2",
           "L1 texture cache.");
    b.ignored("-gpgpu_cache:dl1PrefL1", option_type::text, "none", no_preference);
    b.ignored("-gpgpu_cache:dl1PrefShared", option_type::text, "none", no_preference);
    b.ignored("-gpgpu_shmem_sizeDefault", option_type::natural, "16384", no_preference);
    b.ignored("-gpgpu_mem_unit_ports", option_type::natural, "1",
              "the load/store unit acts once per core cycle");
    b.ignored("-gpgpu_shmem_size_PrefL1", option_type::natural, "16384", no_preference);
    b.ignored("-gpgpu_shmem_size_PrefShared", option_type::natural, "16384", no_preference);
}

void l2(builder& b) {
    b.in(option_group::l2);
    b.count("-gpgpu_n_mem", "8", "channels", "Memory channels, each with its partition of L2.");
    b.count("-gpgpu_n_sub_partition_per_mchannel", "1", "",
            "Sub-partitions of L2 at each channel; each is one network node.");
    b.word("-gpgpu_cache:dl2", cache_syntax, "64:128:8,L:B:m:N,A:16:4,4",
           "L2 cache of one sub-partition.");
    b.onoff("-gpgpu_cache:dl2_texture_only", "1", "Only texture accesses use L2.");
    b.onoff("-l2_ideal", "0", "L2 always hits.");
    b.word("-gpgpu_dram_partition_queues", "NETWORK_TO_L2:L2_TO_DRAM:DRAM_TO_L2:L2_TO_NETWORK",
           "8:8:8:8", "Entries of the queues around L2.");
    b.count("-gpgpu_l2_rop_latency", "85", "core cycles", "Least time from the network to L2.");
    b.count("-gpgpu_l2_atomic_latency", "0", "core cycles",
            "Added to that for atomics, which the L2 performs.");
    b.count(
        "-gpgpu_l2_far_latency", "0", "core cycles",
        "The L2 is two partitions, each next to half of the SMs: added for reads of a sector of "
        "the other one of which the near one has no copy, and for every write and atomic that "
        "crosses; these end the copy. 0: one partition.");
    b.count("-dram_latency", "30", "core cycles", "Least time from L2 to the DRAM controller.");
    b.onoff("-gpgpu_perf_sim_memcpy", "1", "Copies from the host leave their data in L2.");
    b.onoff("-gpgpu_flush_l2_cache", "0",
            "Empties L2 when all kernels that were running have finished: after every kernel, "
            "unless some run concurrently.");
    b.count(
        "-gpgpu_memory_partition_indexing", "0", "",
        "How addresses spread over partitions: 0 as mapped, 1 xor, 2 polynomial, 3 page "
        "randomisation, 4 random, 5 custom (as mapped), 6 rotated by a hash of the higher bits, "
        "for any number of channels.");
}

void dram(builder& b) {
    b.in(option_group::dram);
    b.word("-gpgpu_mem_addr_mapping", "[dramid@BIT;]MAP", "",
           "What each of 64 address bits selects: R(ow), B(ank), C(olumn), S (byte of a burst), D "
           "(channel), "
           "0 nothing; dots separate. dramid@BIT inserts the channel bits at BIT.");
    b.count("-gpgpu_mem_address_mask", "0", "",
            "One of the built-in mappings, where none is given.");
    b.add("-gpgpu_dram_timing_opt", option_type::text,
          "nbk=N:CCD=N:RRD=N:RCD=N:RAS=N:RP=N:RC=N:CL=N:WL=N:CDLR=N:WR=N[:nbkgrp=N:CCDL=N:RTPL=N]"
          "[:REFI=N:RFC=N]",
          "4:2:8:12:21:13:34:9:4:5:13:1:0:0", "DRAM cycles",
          "Banks and timing. Also as bare numbers in the order nbk CCD RRD RCD RAS RP RC CL WL "
          "CDLR WR "
          "nbkgrp CCDL RTPL. REFI and RFC are ours: refresh interval and duration, 0 without.");
    b.count("-gpgpu_dram_scheduler", "1", "", "0 first come first served, 1 row hits first.");
    b.count("-gpgpu_frfcfs_dram_sched_queue_size", "0", "requests",
            "Requests the scheduler sees; 0: no limit.");
    b.count("-gpgpu_dram_return_queue_size", "0", "requests",
            "Replies that can wait; 0: 1024, and no limit to the requests that a partition has "
            "under way "
            "in its channel.");
    b.count("-gpgpu_n_mem_per_ctrlr", "1", "chips", "DRAM chips side by side in a channel.");
    b.count("-gpgpu_dram_buswidth", "4", "bytes", "Data width of one chip.");
    b.count("-gpgpu_dram_burst_length", "4", "transfers", "Data transfers per column command.");
    b.count("-dram_data_command_freq_ratio", "2", "",
            "Data transfers per command cycle: 2 double, 4 quad data rate.");
    b.onoff("-dram_dual_bus_interface", "0",
            "A row and a column command may go in the same cycle (HBM).");
    b.count("-dram_bnk_indexing_policy", "0", "",
            "How banks are chosen: 0 as mapped, 1 xor, 2 polynomial, 3 custom.");
    b.count("-dram_bnkgrp_indexing_policy", "0", "",
            "Which bank bits select the bank group: 0 the high ones, 1 the low ones.");
    b.onoff("-dram_seperate_write_queue_enable", "0", "Writes wait in a queue of their own.");
    b.word("-dram_write_queue_size", "SIZE:HIGH:LOW", "32:28:16",
           "That queue's entries, and the fillings between which it is drained.");
    b.onoff("-dram_elimnate_rw_turnaround", "0", "The bus turns around in no time.");
    b.onoff("-gpgpu_simple_dram_model", "0", "A fixed latency instead of DRAM timing.");
    b.ignored("-gpgpu_mem_addr_test", option_type::boolean, "0",
              "mappings are checked whenever they are read");
}

void interconnect(builder& b) {
    b.in(option_group::interconnect);
    b.count(
        "-network_mode", "1", "",
        "1 routers as described by -inter_config_file, 2 the built-in crossbar, 3 no contention.");
    b.file("-inter_config_file", "mesh",
           "Topology and routers, in BookSim syntax; used by mode 1.");
    b.count("-icnt_flit_size", "32", "bytes", "What a network link carries per network cycle.");
    b.count("-icnt_in_buffer_limit", "64", "packets", "Input buffer of the crossbar, per port.");
    b.count("-icnt_out_buffer_limit", "64", "packets", "Output buffer of the crossbar, per port.");
    b.count("-icnt_subnets", "2", "networks",
            "2: requests and replies have a crossbar each; nothing else is built.");
    b.count("-icnt_arbiter_algo", "1", "", "Crossbar arbiter: 0 round-robin, 1 iSLIP.");
    b.count("-icnt_grant_cycles", "1", "network cycles", "For how long the arbiter keeps a grant.");
    b.count("-icnt_speedup", "1", "flits",
            "That an input of the crossbar sends and an output receives in a network cycle.");
    b.ignored("-icnt_verbose", option_type::natural, "0", prints_elsewhere);
}

void elsewhere(builder& b) {
    using type = option_type;
    b.in(option_group::elsewhere);
    const char* const runs_ptx =
        "PTX is executed as it is; PTXPlus stands for machine code of GT200";
    for (const char* name : {"-gpgpu_ptx_convert_to_ptxplus", "-gpgpu_ptx_save_converted_ptxplus"})
        b.ignored(name, type::boolean, "0", runs_ptx);
    const char* const reads_binaries =
        "fat binaries are read in memory: no cuobjdump runs, and no files are made on the way";
    b.ignored("-gpgpu_ptx_use_cuobjdump", type::boolean, "1", reads_binaries);
    b.ignored("-gpgpu_experimental_lib_support", type::boolean, "0", reads_binaries);
    b.ignored("-gpgpu_occupancy_sm_number", type::integer, "0",
              "registers are counted in the process; no ptxas is told an architecture");
    b.ignored("-gpgpu_runtime_sync_depth_limit", type::integer, "2", device_runtime);
    b.ignored("-gpgpu_runtime_pending_launch_count_limit", type::integer, "2048", device_runtime);
    b.ignored("-gpgpu_cdp_enabled", type::boolean, "0", device_runtime);
    b.ignored("-cdp_latency", type::text, "7200,8000,100,12000,1600", device_runtime);

    for (const char* name :
         {"-checkpoint_CTA", "-resume_CTA", "-checkpoint_CTA_t", "-checkpoint_insn_Y"})
        b.ignored(name, type::integer, "0", between_kernels);

    b.ignored("-n_regfile_gating_group", type::natural, "4", models_power);
    for (const char* name :
         {"-gpgpu_clock_gated_reg_file", "-gpgpu_clock_gated_lanes", "-power_simulation_enabled",
          "-power_per_cycle_dump", "-power_trace_enabled", "-steady_power_levels_enabled",
          "-dvfs_enabled", "-aggregate_power_stats"})
        b.ignored(name, type::boolean, "0", models_power);
    b.ignored("-power_simulation_mode", type::integer, "0", models_power);
    b.ignored("-power_trace_zlevel", type::integer, "6", models_power);
    b.ignored("-steady_state_definition", type::text, "8:4", models_power);
    b.ignored("-accelwattch_xml_file", type::text, "accelwattch_sass_sim.xml", models_power);
    b.ignored("-gpuwattch_xml_file", type::text, "gpuwattch.xml", models_power);
    b.ignored("-hw_perf_file_name", type::text, "hw_perf.csv", models_power);
    b.ignored("-hw_perf_bench_name", type::text, "", models_power);
    for (const char* counter : {"L1_RH", "L1_RM", "L1_WH", "L1_WM", "L2_RH", "L2_RM", "L2_WH",
                                "L2_WM", "CC_ACC", "SHARED_ACC", "DRAM_RD", "DRAM_WR", "NOC",
                                "PIPE_DUTY", "NUM_SM_IDLE", "CYCLES", "VOLTAGE"})
        b.ignored(std::string("-accelwattch_hybrid_perfsim_") + counter, type::boolean, "0",
                  models_power);
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
        modern(b);
        l1(b);
        l2(b);
        dram(b);
        interconnect(b);
        elsewhere(b);
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
        {"--fast-forward", "--skip-kernels"},
        {"-h", "--help"},
    };
    return aliases;
}

}  // namespace simtlm::platform
