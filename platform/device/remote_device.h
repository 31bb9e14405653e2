// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/engine.h"
#include "platform/device/loaded_module.h"
#include "platform/device/remote_link.h"
#include "platform/device/remote_memory.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::device {

class run_log;

/// Simulated GPUs in another process, which `simtlm serve` has started: the client's side of a
/// connection. The driver, that is streams, events, graphs and allocations, remains in this
/// process; modules, the contents of device memory and tasks are passed on.
///
/// A lost connection fails the tasks in progress and all later ones, with one line on stderr.
class remote_device {
public:
    /// Connects to a server. @param command  of this program, for the server's reports
    /// @throws support::user_error
    remote_device(std::string address, const std::vector<std::string>& command);
    remote_device(const remote_device&) = delete;
    remote_device& operator=(const remote_device&) = delete;

    /// The server's options that a driver must know: names and values.
    const std::vector<std::pair<std::string, std::string>>& options() const { return options_; }
    /// Name of the GPUs.
    const std::string& name() const { return name_; }
    /// Whether tasks can be executed after a failed one.
    bool survives_faults() const { return survives_faults_; }
    /// Whether the server records API calls.
    bool records_calls() const { return records_calls_; }

    /// The driver is ready. The arguments must outlive this object.
    void open(shared_state& state, run_log& log);
    /// Loads a module here and in the server.
    /// @param make  loads it here; its variables are placed as the argument requires
    std::shared_ptr<loaded_module> load(
        const module_source& source,
        const std::function<loaded_module*(execution::device_memory::static_placement*)>& make);
    /// Records an API call; see run_log::called. Thread-safe.
    void called(const char* name, std::uint64_t row, std::uint64_t from, std::uint64_t to);
    /// Passes a note on, for the server's reports. Thread-safe.
    void note(const std::string& kind, const std::string& text);
    /// Why the run is being ended early.
    void interrupted(const std::string& why) { interrupted_ = why; }
    /// The program has ended: the server writes statistics. Later calls have no effect.
    void finish();

    // ---- for the engine; in its thread ----

    void start(const task_ptr& t);
    std::vector<task_ptr> run();
    std::vector<task_ptr> take_ready_for_dependents() { return std::exchange(ready_, {}); }
    bool busy() const { return !open_.empty(); }
    std::uint64_t now() const { return now_; }

private:
    using access = std::unique_ptr<memory_space::access_scope>;

    void read_welcome(const message& m);
    void lose(const std::string& why);
    bool send(message_kind kind, std::string_view payload = {});
    void share_memory();
    void send_ranges();
    void send_textures();
    void send_calls();
    void unload(loaded_module* m);
    message wait_for(message_kind kind, access& gate);
    void ask_to_return(bool& asked);
    void handle(const message& m, access& gate);
    void take_ranges(payload_reader in);
    void perform_effect(payload_reader in, access& gate);
    std::vector<task_ptr> read_ran(const message& m);
    std::vector<task_ptr> fail_all();
    access hold() { return std::make_unique<memory_space::access_scope>(state_->memory, true); }

    const std::string address_;
    std::string name_;
    std::unique_ptr<remote_link> link_;
    std::vector<std::pair<std::string, std::string>> options_;
    bool survives_faults_ = true, records_calls_ = false;
    shared_state* state_ = nullptr;
    run_log* log_ = nullptr;
    std::unique_ptr<remote_memory> memory_;

    // Used in the engine's thread.
    std::map<std::uint64_t, task_ptr> open_;  ///< tasks in progress, by number
    std::vector<task_ptr> ready_;             ///< for programmatic launches
    std::uint64_t now_ = 0;                   ///< ps
    std::uint64_t seen_changes_ = 0, seen_textures_ = 0;
    std::map<std::uint64_t, std::uint64_t> sent_;  ///< allocations that the server knows: serial
    std::set<std::uint64_t> servers_;              ///< allocations that the server has made
    bool finished_ = false;

    std::mutex modules_mutex_;
    std::map<const loaded_module*, std::uint32_t> modules_;
    std::uint32_t last_module_ = 0;

    std::mutex calls_mutex_;
    payload_writer calls_;
    std::string interrupted_;
    std::atomic<bool> lost_{false};
};

/// Executes tasks on GPUs that another process simulates.
class remote_engine : public engine {
public:
    explicit remote_engine(remote_device& device) : device_(device) {}
    void start(const task_ptr& t) override { device_.start(t); }
    std::vector<task_ptr> run() override { return device_.run(); }
    std::vector<task_ptr> take_ready_for_dependents() override {
        return device_.take_ready_for_dependents();
    }
    bool busy() const override { return device_.busy(); }
    std::uint64_t now() const override { return device_.now(); }
    bool survives_faults() const override { return device_.survives_faults(); }
    void finish() override { device_.finish(); }

private:
    remote_device& device_;
};

}  // namespace simtlm::device
