// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/line_source.h"

#include "modules/support/error.h"
#include "modules/trace/tracez_file.h"
#include "modules/trace/zstd_stream.h"

#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string_view>

namespace simtlm::trace {

namespace {

namespace io = boost::iostreams;

constexpr std::size_t full_buffer = 256 * 1024;  // unless a line is longer
constexpr std::size_t longest_line = 1024 * 1024;
constexpr std::size_t filter_buffer = 64 * 1024;
/// Most kernel headers are shorter than the first read, so that no more of the file is
/// decompressed, which is slow for xz.
constexpr std::size_t first_read = 1024, unpacked_at_once = 2 * 1024;

enum class format { plain, xz, gzip, zstd, bzip2 };

format format_of(const unsigned char* magic, std::size_t n) {
    const auto starts = [&](std::initializer_list<unsigned char> bytes) {
        return n >= bytes.size() && std::equal(bytes.begin(), bytes.end(), magic);
    };
    if (starts({0xfd, '7', 'z', 'X', 'Z', 0})) return format::xz;
    if (starts({0x1f, 0x8b})) return format::gzip;
    if (starts({0x28, 0xb5, 0x2f, 0xfd})) return format::zstd;
    if (starts({'B', 'Z', 'h'})) return format::bzip2;
    return format::plain;
}

/// A file read with read(2). The bytes read to identify the format are returned first.
class file_bytes final : public line_source::byte_source {
public:
    explicit file_bytes(const std::string& file) : file_(file) {
        fd_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
        if (fd_ < 0) fail("cannot open the file");
        struct stat status {};
        if (::fstat(fd_, &status) == 0 && S_ISDIR(status.st_mode)) {
            ::close(fd_);
            throw support::user_error(file_, "is a folder, not a file", "name the file in it");
        }
        while (n_magic_ < sizeof magic_) {
            const std::size_t n = read_some(magic_ + n_magic_, sizeof magic_ - n_magic_);
            if (n == 0) break;
            n_magic_ += n;
        }
    }
    ~file_bytes() override {
        if (fd_ >= 0) ::close(fd_);
    }
    file_bytes(const file_bytes&) = delete;
    file_bytes& operator=(const file_bytes&) = delete;

    format kind() const {
        return format_of(reinterpret_cast<const unsigned char*>(magic_), n_magic_);
    }

    std::size_t read(char* out, std::size_t n) override {
        if (given_ < n_magic_) {
            n = std::min(n, n_magic_ - given_);
            std::memcpy(out, magic_ + given_, n);
            given_ += n;
            return n;
        }
        return read_some(out, n);
    }

private:
    std::size_t read_some(char* out, std::size_t n) {
        for (;;) {
            const ssize_t got = ::read(fd_, out, n);
            if (got >= 0) return static_cast<std::size_t>(got);
            if (errno != EINTR) fail("cannot read the file");
        }
    }

    [[noreturn]] void fail(const std::string& what) {
        const std::string why = std::strerror(errno);
        if (fd_ >= 0) ::close(fd_);
        fd_ = -1;
        throw support::user_error(file_, what + " (" + why + ")", "check the path");
    }

    std::string file_;
    int fd_ = -1;
    char magic_[6] = {};
    std::size_t n_magic_ = 0;
    std::size_t given_ = 0;
};

/// Boost.Iostreams' interface to file_bytes.
class archive_device {
public:
    using char_type = char;
    using category = io::source_tag;
    explicit archive_device(file_bytes& file) : file_(&file) {}
    std::streamsize read(char* out, std::streamsize n) {
        const std::size_t got = file_->read(out, static_cast<std::size_t>(n));
        return got == 0 ? -1 : static_cast<std::streamsize>(got);
    }

private:
    file_bytes* file_;
};

/// The text in an archive.
class archive_bytes final : public line_source::byte_source {
public:
    archive_bytes(std::unique_ptr<file_bytes> file, const std::string& name)
        : file_(std::move(file)), name_(name) {
        switch (file_->kind()) {
            case format::xz:
                chain_.push(io::lzma_decompressor(filter_buffer), first_read);
                break;
            case format::gzip:
                chain_.push(io::gzip_decompressor(io::zlib::default_window_bits, filter_buffer),
                            unpacked_at_once);
                break;
            case format::bzip2:
            case format::zstd:
            case format::plain:
                chain_.push(io::bzip2_decompressor(false, filter_buffer), unpacked_at_once);
                break;
        }
        chain_.push(archive_device(*file_), filter_buffer);
    }

    std::size_t read(char* out, std::size_t n) override {
        if (n == 0 || at_end_) return 0;
        try {
            const std::streamsize got = io::read(chain_, out, static_cast<std::streamsize>(n));
            at_end_ = got < static_cast<std::streamsize>(n);
            if (at_end_) chain_.reset();  // frees megabytes, because the kernel may run for long
            return got <= 0 ? 0 : static_cast<std::size_t>(got);
        } catch (const support::user_error&) {
            throw;
        } catch (const std::bad_alloc&) {
            throw damaged("asks for more memory than there is");
        } catch (const std::exception& e) {
            throw damaged(e.what());
        }
    }

private:
    support::user_error damaged(const std::string& why) const {
        return support::user_error(name_, "damaged archive (" + why + ")",
                                   "fetch or compress the trace again");
    }

    std::unique_ptr<file_bytes> file_;
    std::string name_;
    io::filtering_streambuf<io::input> chain_;
    bool at_end_ = false;
};

/// The text in zstd frames, whose completeness is checked.
class zstd_bytes final : public line_source::byte_source {
public:
    zstd_bytes(std::unique_ptr<file_bytes> file, std::string name)
        : file_(std::move(file)), name_(std::move(name)) {}

    std::size_t read(char* out, std::size_t n) override {
        std::size_t got = 0;
        while (got == 0 && n != 0) {
            if (in_.empty()) in_ = {buffer_.data(), file_->read(buffer_.data(), buffer_.size())};
            const bool at_end = in_.empty();
            if (at_end && frames_.complete()) return 0;
            try {
                got = frames_.unpack(in_, out, n);
            } catch (const std::runtime_error& e) {
                fail(e.what());
            }
            if (at_end && got == 0 && !frames_.complete()) fail("it is cut short");
        }
        return got;
    }

private:
    [[noreturn]] void fail(const std::string& why) const {
        throw support::user_error(name_, "damaged archive (" + why + ")",
                                  "fetch or compress the trace again");
    }

    std::unique_ptr<file_bytes> file_;
    std::string name_;
    std::vector<char> buffer_ = std::vector<char>(filter_buffer);
    std::string_view in_;
    zstd_stream frames_;
};

/// Rejects a plain file with the name suffix of an archive.
void check_not_named_archive(const std::string& file) {
    const std::size_t dot = file.find_last_of("./");
    if (dot == std::string::npos || file[dot] != '.') return;
    const std::string suffix = file.substr(dot);
    for (const char* archive : {".xz", ".gz", ".zst", ".bz2"})
        if (suffix == archive)
            throw support::user_error(file, "has the name of an archive and is none",
                                      "fetch it again, or name it without " + suffix);
}

std::unique_ptr<line_source::byte_source> open_file(const std::string& file) {
    if (is_tracez(file)) return open_tracez(file);
    auto raw = std::make_unique<file_bytes>(file);
    if (raw->kind() == format::plain) {
        check_not_named_archive(file);
        return raw;
    }
    if (raw->kind() == format::zstd) return std::make_unique<zstd_bytes>(std::move(raw), file);
    return std::make_unique<archive_bytes>(std::move(raw), file);
}

}  // namespace

line_source::line_source(const std::string& file) : line_source(file, open_file(file)) {}

line_source::line_source(std::string name, std::unique_ptr<byte_source> bytes)
    : file_(std::move(name)),
      bytes_source_(std::move(bytes)),
      buffer_(new char[first_read + 1]),
      size_(first_read + 1),
      next_read_(first_read) {
    position_ = filled_ = buffer_.get();
}

line_source::~line_source() = default;

const char* line_source::find_newline() const {
    return static_cast<const char*>(
        std::memchr(position_, '\n', static_cast<std::size_t>(filled_ - position_)));
}

std::string line_source::where() const {
    return file_ + ":" + std::to_string(number_);
}

/// Enlarges the buffer, and keeps its first bytes.
void line_source::grow(std::size_t size, std::size_t kept) {
    std::unique_ptr<char[]> larger(new char[size]);
    std::memcpy(larger.get(), buffer_.get(), kept);
    buffer_ = std::move(larger);
    size_ = size;
}

bool line_source::refill() {
    std::size_t kept = static_cast<std::size_t>(filled_ - position_);
    if (at_end_) return false;
    std::memmove(buffer_.get(), position_, kept);
    for (;;) {
        if (kept + 1 >= size_) {
            if (kept > longest_line) {
                ++number_;
                throw support::user_error(where(), "a line of more than 1 MB", "is this a trace?");
            }
            grow(2 * size_, kept);
        }
        // The buffer grows with the reads: most files are short, or only their headers are read.
        if (const std::size_t wanted = std::min(kept + 1 + next_read_, full_buffer); wanted > size_)
            grow(wanted, kept);
        const std::size_t room = std::min(next_read_, size_ - 1 - kept);
        next_read_ *= next_read_ < full_buffer ? 4 : 1;
        const std::size_t got = bytes_source_->read(buffer_.get() + kept, room);
        bytes_ += got;
        if (got == 0) {
            at_end_ = true;
            if (kept > 0) buffer_[kept++] = '\n';
        }
        position_ = buffer_.get();
        filled_ = position_ + kept + got;
        const bool marked = number_ == 0 && filled_ - position_ >= 3 &&
                            std::memcmp(position_, "\xef\xbb\xbf", 3) == 0;
        if (marked) {  // skips a byte order mark before the first line
            std::memset(buffer_.get(), ' ', 3);
        }
        if (got == 0) return kept > 0;
        if (std::memchr(position_ + kept, '\n', got) != nullptr) return true;
        kept += got;
    }
}

}  // namespace simtlm::trace
