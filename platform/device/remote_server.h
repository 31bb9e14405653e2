// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/engine.h"
#include "platform/device/remote_link.h"
#include "platform/device/remote_memory.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace simtlm::device {

class system;

/// Identification of a client.
struct remote_client {
    std::vector<std::string> command;  ///< of its program
};

/// Receives the first message of a client. @throws link_error
message receive_first(remote_link& link);
/// Returns the identification in a client's first message. Refuses a client with another version of
/// the protocol, with a message. @throws link_error
remote_client greet(remote_link& link, const message& first);
/// Sends a client the reason for which it is not served.
void refuse(remote_link& link, const std::string& why);

/// Executes the tasks of a client on the GPUs of this process: the server's side of a connection.
/// remote_device is the other side.
class remote_server {
public:
    /// @param link  of a client that greet() has received
    remote_server(std::unique_ptr<remote_link> link, system& gpus,
                  const platform::option_values& options);
    ~remote_server();
    remote_server(const remote_server&) = delete;
    remote_server& operator=(const remote_server&) = delete;

    /// Serves the client until its program ends, the connection ends, or stop() is called.
    /// @param end  ends the run and writes statistics. @param why  it ends early; empty: it does
    /// not
    /// @return why the connection has ended early; empty: it has not
    std::string serve(const std::function<void(const std::string& why)>& end);

private:
    struct client_range {
        std::uint64_t bytes;
        bool outside;  ///< of the address range of device memory: host memory of the client
    };

    void welcome(const platform::option_values& options);
    void receive();
    message next();
    message wait_for_effect();
    void stop(bool abandon);
    void handle(const message& m);
    void take_open(payload_reader in);
    void take_load(payload_reader in);
    void take_ranges(payload_reader in);
    void add_range(std::uint64_t begin, std::uint64_t bytes, std::string label, bool shared,
                   payload_reader& in);
    void remove_range(std::uint64_t begin, payload_reader& in);
    void map_host_pages(std::uint64_t begin, std::uint64_t bytes);
    void unmap_host_pages(std::uint64_t begin, std::uint64_t bytes);
    void take_memory(const message& m);
    void take_calls(payload_reader in);
    void take_start(payload_reader in);
    void check_rows(const memory_rows& rows, payload_reader& in) const;
    void perform(const task_ptr& t, bool by_client);
    void perform_on_client(task& t);
    void run();
    void send_ranges();
    void finish(payload_reader in, const std::function<void(const std::string&)>& end);
    engine& gpu();

    std::unique_ptr<remote_link> link_;
    system& gpus_;
    shared_state& state_;
    remote_memory memory_;
    std::unique_ptr<engine> engine_;
    std::map<std::uint64_t, task_ptr> open_;  ///< tasks in progress, by number
    std::map<std::uint32_t, std::shared_ptr<loaded_module>> modules_;
    std::map<std::uint64_t, client_range> ranges_;  ///< allocations of the client
    std::map<std::uint64_t, std::uint64_t> own_;    ///< allocations of kernels: serial
    std::map<std::uint64_t, unsigned> host_pages_;  ///< pages for host memory: ranges in them
    std::set<std::string> labels_;
    std::uint64_t seen_changes_ = 0;
    bool opened_ = false, has_run_ = false;

    std::thread receiver_;
    std::mutex mutex_;  ///< protects the following members
    std::condition_variable changed_;
    std::deque<message> received_;
    std::size_t waiting_bytes_ = 0;
    std::string lost_;  ///< why nothing more will be received
    bool ended_ = false, stops_ = false, stopped_ = false, finished_ = false;
};

}  // namespace simtlm::device
