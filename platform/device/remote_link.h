// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/task.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::device {

// Messages between a process with a host program (the client) and the process that simulates its
// GPUs (the server); docs/guest.md describes them.

/// Version of the protocol. Both sides must have the same.
inline constexpr std::uint32_t remote_version = 1;

/// Kinds of messages; the numbers are part of the protocol.
enum class message_kind : std::uint16_t {
    hello = 1,         ///< client: what it is
    welcome = 2,       ///< server: the configuration
    refuse = 3,        ///< server: why the connection ends
    open = 4,          ///< client: where its device memory is
    load = 5,          ///< client: a module
    unload = 6,        ///< client: a module is gone
    ranges = 7,        ///< both: allocations that have been made and freed
    memory = 8,        ///< both: contents of memory
    textures = 9,      ///< client: all textures and surfaces
    start = 10,        ///< client: a task whose dependencies are done
    run = 11,          ///< client: simulate until a task is done
    ran = 12,          ///< server: what is done
    attention = 13,    ///< client: return soon
    abandon = 14,      ///< client: the program is being ended
    effect = 15,       ///< server: perform the host's part of a task
    effect_data = 16,  ///< client: contents of memory that the effect has written
    effect_done = 17,  ///< client: the effect has been performed
    text = 18,         ///< server: output of kernels, errors
    place = 19,        ///< client: report allocations made for the tasks that were started
    placed = 20,       ///< server: they have been reported
    calls = 21,        ///< client: API calls for the timeline
    finish = 22,       ///< client: the program has ended
    finished = 23,     ///< server: statistics have been written
    compile = 24,      ///< client, as the first message: a program to compile
    compiled = 25,     ///< server: the result
};

/// The connection has ended, or the other side does not follow the protocol.
class link_error : public std::runtime_error {
public:
    using runtime_error::runtime_error;
};

/// A message as received.
struct message {
    message_kind kind;
    std::string payload;
};

/// A connection that carries messages: a stream socket. Numbers are little-endian. A message is a
/// header of 8 bytes, which are its length (32 bits, without the header), its kind (16 bits) and
/// zero (16 bits), and its payload.
class remote_link {
public:
    /// Longest payload in bytes.
    static constexpr std::uint32_t longest = std::uint32_t{256} << 20;

    /// Connects to a server. @param address  unix:PATH (or a path), tcp:HOST:PORT, vsock:CID:PORT
    /// @throws support::user_error
    static std::unique_ptr<remote_link> connect(const std::string& address);
    /// The same. @return a socket
    static int connect_socket(const std::string& address);
    /// Creates a listening socket. @return its descriptor  @throws support::user_error
    static int listen(const std::string& address);

    /// @param socket  closed with this object
    explicit remote_link(int socket) : socket_(socket) {}
    ~remote_link();
    remote_link(const remote_link&) = delete;
    remote_link& operator=(const remote_link&) = delete;

    /// Sends a message. Thread-safe. @throws link_error
    void send(message_kind kind, std::string_view payload = {});
    /// Receives the next message. To be called by one thread. @param milliseconds  to wait;
    /// negative: without limit  @return nothing if none has come in this time  @throws link_error
    std::optional<message> receive(int milliseconds);
    /// Ends the connection for both directions; a waiting receive() throws. Thread-safe.
    void shut_down();

private:
    bool fill(int milliseconds);

    const int socket_;
    std::mutex sending_;
    std::string received_;      ///< bytes of incomplete messages
    std::size_t consumed_ = 0;  ///< of received_
};

/// Writes the payload of a message.
class payload_writer {
public:
    template <class T>
    payload_writer& number(T n) {
        static_assert(std::is_integral_v<T> || std::is_enum_v<T>);
        bytes_.append(reinterpret_cast<const char*>(&n), sizeof n);
        return *this;
    }
    payload_writer& real(float f) {
        bytes_.append(reinterpret_cast<const char*>(&f), sizeof f);
        return *this;
    }
    payload_writer& flag(bool b) { return number(std::uint8_t{b}); }
    payload_writer& text(std::string_view s) {
        number(std::uint64_t{s.size()});
        bytes_.append(s);
        return *this;
    }
    payload_writer& rows(const memory_rows& r);
    std::size_t size() const { return bytes_.size(); }
    const std::string& bytes() const { return bytes_; }
    void clear() { bytes_.clear(); }

private:
    std::string bytes_;
};

/// Reads the payload of a message. All functions throw link_error if it ends too early or a value
/// is not valid.
class payload_reader {
public:
    explicit payload_reader(const message& m) : kind_(m.kind), bytes_(m.payload) {}

    template <class T>
    T number() {
        static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>);
        T n;
        take(&n, sizeof n);
        return n;
    }
    /// @param last  largest value of the enumeration
    template <class T>
    T choice(T last) {
        const auto n = number<std::underlying_type_t<T>>();
        if (n > static_cast<std::underlying_type_t<T>>(last)) fail("a value that does not exist");
        return static_cast<T>(n);
    }
    float real() {
        float f;
        take(&f, sizeof f);
        return f;
    }
    bool flag() {
        const auto n = number<std::uint8_t>();
        if (n > 1) fail("a flag that is neither 0 nor 1");
        return n != 0;
    }
    std::string text() { return std::string(view(number<std::uint64_t>())); }
    /// The next n bytes.
    std::string_view view(std::uint64_t n);
    /// A number of elements. @param least  bytes of an element
    std::size_t count(std::size_t least);
    memory_rows rows();
    bool at_end() const { return at_ == bytes_.size(); }
    /// To be called when all has been read.
    void finish() const;
    [[noreturn]] void fail(const std::string& what) const;

private:
    void take(void* to, std::size_t n);

    message_kind kind_;
    std::string_view bytes_;
    std::size_t at_ = 0;
};

}  // namespace simtlm::device
