// SPDX-License-Identifier: Apache-2.0
#include "platform/device/remote_link.h"

#include "modules/support/error.h"

#include <fmt/format.h>
#include <linux/vm_sockets.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>

namespace simtlm::device {

namespace {

constexpr std::size_t header_bytes = 8;

[[noreturn]] void refuse_address(const std::string& address) {
    throw support::user_error(address, "is no address of a simulated GPU",
                              "unix:PATH, tcp:HOST:PORT or vsock:CID:PORT");
}

unsigned number_in(const std::string& address, const std::string& text) {
    if (text.empty() || text.size() > 10 ||
        text.find_first_not_of("0123456789") != std::string::npos)
        refuse_address(address);
    const unsigned long n = std::stoul(text);
    if (n > std::numeric_limits<unsigned>::max()) refuse_address(address);
    return static_cast<unsigned>(n);
}

bool begins_with(const std::string& text, std::string_view start) {
    return text.compare(0, start.size(), start) == 0;
}

/// A socket address of any family.
struct socket_place {
    sockaddr_storage address{};
    socklen_t bytes = 0;
    int family() const { return address.ss_family; }
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

socket_place unix_place(const std::string& path) {
    socket_place p;
    sockaddr_un a{};
    a.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof a.sun_path)
        throw support::user_error(path, "is too long for the name of a socket",
                                  fmt::format("at most {} bytes", sizeof a.sun_path - 1));
    std::memcpy(a.sun_path, path.data(), path.size());
    std::memcpy(&p.address, &a, sizeof a);
    p.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
    return p;
}

/// Splits "A:B" at the last colon.
std::pair<std::string, std::string> halves(const std::string& address, const std::string& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0) refuse_address(address);
    return {text.substr(0, colon), text.substr(colon + 1)};
}

socket_place place_of(const std::string& address) {
    if (begins_with(address, "unix:")) return unix_place(address.substr(5));
    if (begins_with(address, "vsock:")) {
        const auto [cid, port] = halves(address, address.substr(6));
        sockaddr_vm a{};
        a.svm_family = AF_VSOCK;
        a.svm_cid = cid == "any" ? VMADDR_CID_ANY : number_in(address, cid);
        a.svm_port = number_in(address, port);
        socket_place p;
        std::memcpy(&p.address, &a, sizeof a);
        p.bytes = sizeof a;
        return p;
    }
    if (!begins_with(address, "tcp:")) {
        const bool is_path =
            address.find(':') == std::string::npos || address.find('/') < address.find(':');
        if (!is_path) refuse_address(address);
        return unix_place(address);
    }
    const auto [host, port] = halves(address, address.substr(4));
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (const int failed = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found); failed != 0)
        throw support::user_error(address, ::gai_strerror(failed));
    socket_place p;
    std::memcpy(&p.address, found->ai_addr, found->ai_addrlen);
    p.bytes = found->ai_addrlen;
    ::freeaddrinfo(found);
    return p;
}

int socket_for(const std::string& address, const socket_place& p) {
    const int s = ::socket(p.family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s < 0) throw support::user_error(address, std::strerror(errno));
    const int on = 1;
    if (p.family() == AF_INET || p.family() == AF_INET6) {
        ::setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        ::setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    }
    return s;
}

}  // namespace

std::unique_ptr<remote_link> remote_link::connect(const std::string& address) {
    return std::make_unique<remote_link>(connect_socket(address));
}

int remote_link::connect_socket(const std::string& address) {
    const socket_place p = place_of(address);
    const int s = socket_for(address, p);
    int failed = 0;
    while ((failed = ::connect(s, p.get(), p.bytes)) != 0 && errno == EINTR) {
    }
    if (failed != 0) {
        const int cause = errno;
        ::close(s);
        throw support::user_error(
            address, fmt::format("no simulated GPU can be reached: {}", std::strerror(cause)),
            "start one: simtlm serve --listen " + address + " --preset NAME");
    }
    return s;
}

int remote_link::listen(const std::string& address) {
    const socket_place p = place_of(address);
    const int s = socket_for(address, p);
    const auto bound = [&] { return ::bind(s, p.get(), p.bytes) == 0; };
    bool good = bound();
    if (!good && errno == EADDRINUSE && p.family() == AF_UNIX) {
        // Nothing listens at a socket that a process has left.
        const int probe = socket_for(address, p);
        const bool in_use = ::connect(probe, p.get(), p.bytes) == 0 || errno != ECONNREFUSED;
        ::close(probe);
        sockaddr_un a{};
        std::memcpy(&a, &p.address, sizeof a);
        struct stat about {};
        if (!in_use && ::lstat(a.sun_path, &about) == 0 && S_ISSOCK(about.st_mode)) {
            ::unlink(a.sun_path);
            good = bound();
        } else {
            errno = EADDRINUSE;
        }
    }
    constexpr int waiting = 64;
    if (!good || ::listen(s, waiting) != 0) {
        const int cause = errno;
        ::close(s);
        throw support::user_error(address,
                                  fmt::format("cannot be listened at: {}", std::strerror(cause)),
                                  "choose another address");
    }
    return s;
}

remote_link::~remote_link() {
    ::close(socket_);
}

void remote_link::shut_down() {
    ::shutdown(socket_, SHUT_RDWR);
}

void remote_link::send(message_kind kind, std::string_view payload) {
    if (payload.size() > longest) throw link_error("a message is too long");
    char header[header_bytes] = {};
    const auto bytes = static_cast<std::uint32_t>(payload.size());
    std::memcpy(header, &bytes, sizeof bytes);
    std::memcpy(header + 4, &kind, sizeof kind);
    const std::lock_guard<std::mutex> lock(sending_);
    iovec parts[2] = {{header, sizeof header}, {const_cast<char*>(payload.data()), payload.size()}};
    msghdr m{};
    m.msg_iov = parts;
    m.msg_iovlen = 2;
    while (parts[0].iov_len + parts[1].iov_len != 0) {
        const ssize_t sent = ::sendmsg(socket_, &m, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) throw link_error(std::strerror(errno));
        auto left = static_cast<std::size_t>(sent);
        for (iovec& p : parts) {
            const std::size_t n = std::min(left, p.iov_len);
            p.iov_base = static_cast<char*>(p.iov_base) + n;
            p.iov_len -= n;
            left -= n;
        }
    }
}

/// Receives more bytes. @return false: none have come in time
bool remote_link::fill(int milliseconds) {
    pollfd waits{socket_, POLLIN, 0};
    const int ready = ::poll(&waits, 1, milliseconds);
    if (ready < 0 && errno != EINTR) throw link_error(std::strerror(errno));
    if (ready <= 0) return false;
    constexpr std::size_t most = std::size_t{1} << 18;
    if (consumed_ != 0) {
        received_.erase(0, consumed_);
        consumed_ = 0;
    }
    const std::size_t before = received_.size();
    received_.resize(before + most);
    const ssize_t n = ::recv(socket_, received_.data() + before, most, MSG_DONTWAIT);
    const int cause = errno;
    received_.resize(before + (n > 0 ? static_cast<std::size_t>(n) : 0));
    if (n == 0)
        throw link_error(before == 0 ? "the other side has closed it"
                                     : "the other side has closed it within a message");
    if (n < 0 && cause != EINTR && cause != EAGAIN) throw link_error(std::strerror(cause));
    return true;
}

std::optional<message> remote_link::receive(int milliseconds) {
    while (true) {
        const std::size_t here = received_.size() - consumed_;
        std::uint32_t bytes = 0;
        if (here >= header_bytes) {
            std::uint16_t kind = 0, zero = 0;
            const char* const header = received_.data() + consumed_;
            std::memcpy(&bytes, header, sizeof bytes);
            std::memcpy(&kind, header + 4, sizeof kind);
            std::memcpy(&zero, header + 6, sizeof zero);
            if (bytes > longest || zero != 0 || kind == 0 ||
                kind > static_cast<std::uint16_t>(message_kind::compiled))
                throw link_error("the other side does not speak the protocol of simtlm");
            if (here - header_bytes >= bytes) {
                message m{static_cast<message_kind>(kind),
                          received_.substr(consumed_ + header_bytes, bytes)};
                consumed_ += header_bytes + bytes;
                if (consumed_ == received_.size()) {
                    received_.clear();
                    consumed_ = 0;
                }
                return m;
            }
        }
        if (!fill(milliseconds)) return std::nullopt;
    }
}

payload_writer& payload_writer::rows(const memory_rows& r) {
    return number(r.address)
        .number(r.width)
        .number(r.pitch)
        .number(r.height)
        .number(r.slice)
        .number(r.depth);
}

memory_rows payload_reader::rows() {
    memory_rows r;
    r.address = number<std::uint64_t>();
    r.width = number<std::uint64_t>();
    r.pitch = number<std::uint64_t>();
    r.height = number<std::uint64_t>();
    r.slice = number<std::uint64_t>();
    r.depth = number<std::uint64_t>();
    return r;
}

std::string_view payload_reader::view(std::uint64_t n) {
    if (n > bytes_.size() - at_) fail("it ends too early");
    const std::string_view v = bytes_.substr(at_, n);
    at_ += n;
    return v;
}

void payload_reader::take(void* to, std::size_t n) {
    std::memcpy(to, view(n).data(), n);
}

std::size_t payload_reader::count(std::size_t least) {
    const auto n = number<std::uint64_t>();
    if (n > (bytes_.size() - at_) / least) fail("it ends too early");
    return n;
}

void payload_reader::finish() const {
    if (!at_end()) fail("it is too long");
}

void payload_reader::fail(const std::string& what) const {
    throw link_error(
        fmt::format("a message of kind {} is malformed: {}", static_cast<unsigned>(kind_), what));
}

}  // namespace simtlm::device
