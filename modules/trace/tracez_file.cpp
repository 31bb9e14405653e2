// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/tracez_file.h"

#include "modules/support/error.h"
#include "modules/trace/zstd_stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace simtlm::trace {

namespace {

constexpr std::size_t longest_header = 1 << 20;
constexpr std::uint32_t largest_dictionary = 64 << 20;
constexpr std::uint32_t max_supported_warps = 32;
constexpr std::size_t buffer_bytes = 64 * 1024;
constexpr unsigned ids_of_a_block = 10;

/// A file that is read sequentially at several positions.
class numbered_bytes {
public:
    explicit numbered_bytes(const std::string& file) : name_(file) {
        fd_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat status {};
        if (fd_ < 0 || ::fstat(fd_, &status) != 0) {
            const std::string why = std::strerror(errno);
            if (fd_ >= 0) ::close(fd_);
            throw support::user_error(name_, "cannot open the file (" + why + ")",
                                      "check the path");
        }
        size_ = static_cast<std::uint64_t>(status.st_size);
    }
    ~numbered_bytes() { ::close(fd_); }
    numbered_bytes(const numbered_bytes&) = delete;
    numbered_bytes& operator=(const numbered_bytes&) = delete;

    std::uint64_t size() const { return size_; }

    [[noreturn]] void damaged(std::uint64_t at, const std::string& what) const {
        throw support::user_error(name_ + ": byte " + std::to_string(at), what,
                                  "the trace is damaged: record or fetch it again");
    }

    /// @returns the number of bytes read: all, or up to the end of the file
    std::size_t read(std::uint64_t at, char* out, std::size_t n) const {
        std::size_t done = 0;
        while (done < n) {
            const ssize_t got = ::pread(fd_, out + done, n - done, static_cast<off_t>(at + done));
            if (got == 0) break;
            if (got > 0)
                done += static_cast<std::size_t>(got);
            else if (errno != EINTR)
                throw support::user_error(
                    name_, std::string("cannot read the file (") + std::strerror(errno) + ")");
        }
        return done;
    }

private:
    std::string name_;
    int fd_ = -1;
    std::uint64_t size_ = 0;
};

/// A position in the file that advances with reading.
class cursor {
public:
    cursor(const numbered_bytes& file, std::uint64_t at) : file_(file), at_(at) {}

    std::uint64_t position() const { return at_ + used_; }
    void move_to(std::uint64_t at) {
        at_ = at;
        used_ = filled_ = 0;
    }
    /// Returns up to `most` of the following bytes, at least one; valid until the next call.
    std::string_view some(std::uint64_t most) {
        if (used_ == filled_) {
            at_ += used_;
            used_ = 0;
            filled_ = file_.read(at_, buffer_.data(), buffer_.size());
            if (filled_ == 0) file_.damaged(at_, "the file ends here, in the middle of its data");
        }
        const std::size_t n =
            static_cast<std::size_t>(std::min<std::uint64_t>(most, filled_ - used_));
        const std::string_view part{buffer_.data() + used_, n};
        used_ += n;
        return part;
    }
    /// Returns unused bytes of some().
    void give_back(std::size_t n) { used_ -= n; }

    template <typename Number>
    Number number() {
        Number value{};
        auto* to = reinterpret_cast<char*>(&value);
        for (std::size_t n = 0; n < sizeof value;) {
            const std::string_view part = some(sizeof value - n);
            std::memcpy(to + n, part.data(), part.size());
            n += part.size();
        }
        return value;
    }

private:
    const numbered_bytes& file_;
    std::uint64_t at_;
    std::vector<char> buffer_ = std::vector<char>(buffer_bytes);
    std::size_t used_ = 0, filled_ = 0;
};

class tracez_bytes final : public line_source::byte_source {
public:
    explicit tracez_bytes(const std::string& file)
        : file_(file), index_(file_, 0), data_(file_, 0) {
        read_front();
        find_index();
    }

    std::size_t read(char* out, std::size_t n) override {
        std::size_t done = 0;
        while (done < n) {
            if (given_ < text_.size()) {
                const std::size_t part = std::min(n - done, text_.size() - given_);
                std::memcpy(out + done, text_.data() + given_, part);
                given_ += part;
                done += part;
            } else if (chunk_left_ != 0 || unpacking_) {
                done += unpack(out + done, n - done);
            } else if (!begin_next()) {
                break;
            }
        }
        return done;
    }

private:
    void read_front() {
        cursor front(file_, 0);
        for (;;) {
            if (text_.size() > longest_header || front.position() >= file_.size())
                file_.damaged(0, "no header that ends with a zero byte");
            const std::string_view part = front.some(buffer_bytes);
            const std::size_t zero = part.find('\0');
            text_.append(part.substr(0, zero));
            if (zero == part.npos) continue;
            front.give_back(part.size() - zero - 1);
            break;
        }
        text_ += '\n';
        const auto bytes = front.number<std::uint32_t>();
        front.number<std::uint32_t>();  // instructions per chunk: redundant, since each chunk has
                                        // its own number
        if (bytes > largest_dictionary || bytes > file_.size())
            file_.damaged(front.position(), "a dictionary of " + std::to_string(bytes) + " bytes");
        std::string dictionary;
        while (dictionary.size() < bytes) dictionary += front.some(bytes - dictionary.size());
        data_from_ = front.position();
        try {
            if (bytes != 0) dictionary_.emplace(dictionary);
            unpacker_.emplace(dictionary_ ? &*dictionary_ : nullptr);
        } catch (const std::runtime_error& e) {
            file_.damaged(front.position(), e.what());
        }
    }

    void find_index() {
        constexpr std::uint64_t tail = sizeof(std::uint64_t);
        if (file_.size() < data_from_ + tail) file_.damaged(file_.size(), "the file has no end");
        index_.move_to(file_.size() - tail);
        index_at_ = index_.number<std::uint64_t>();
        if (index_at_ < data_from_ || index_at_ > file_.size() - tail)
            file_.damaged(file_.size() - tail, "an index outside of the file");
        index_.move_to(index_at_);
        blocks_left_ = index_.number<std::uint32_t>();
    }

    /// Begins the next chunk, warp or block. @returns false after the last
    bool begin_next() {
        text_.clear();
        given_ = 0;
        if (chunks_left_ != 0) {
            --chunks_left_;
            chunk_left_ = data_.number<std::uint32_t>();
            if (chunk_left_ == 0 || chunk_left_ > index_at_ - std::min(index_at_, data_.position()))
                file_.damaged(data_.position(),
                              "a chunk of " + std::to_string(chunk_left_) + " bytes");
        } else if (warps_left_ != 0) {
            begin_warp();
        } else if (in_block_) {
            text_ = "\n#END_TB\n";
            in_block_ = false;
        } else if (blocks_left_ != 0) {
            begin_block();
        } else {
            return false;
        }
        return true;
    }

    void begin_block() {
        --blocks_left_;
        std::array<std::uint32_t, ids_of_a_block> ids{};
        for (std::uint32_t& id : ids) id = index_.number<std::uint32_t>();
        warps_ = warps_left_ = index_.number<std::uint32_t>();
        if (warps_ > max_supported_warps)
            file_.damaged(index_.position(), std::to_string(warps_) + " warps in a thread block");
        text_ = "\n#BEGIN_TB\n\nthread block = " + std::to_string(ids[0]) + ',' +
                std::to_string(ids[1]) + ',' + std::to_string(ids[2]) + '\n';
        in_block_ = true;
    }

    void begin_warp() {
        const std::uint32_t warp = warps_ - warps_left_--;
        const auto instructions = index_.number<std::uint32_t>();
        chunks_left_ = index_.number<std::uint32_t>();
        const auto at = index_.number<std::uint64_t>();
        for (std::uint32_t c = 0; c < chunks_left_; ++c) index_.number<std::uint32_t>();
        text_ =
            "\nwarp = " + std::to_string(warp) + "\ninsts = " + std::to_string(instructions) + '\n';
        if (chunks_left_ == 0) return;
        if (at < data_from_ || at >= index_at_)
            file_.damaged(index_.position(), "a warp outside of the file's data");
        if (at != data_.position()) data_.move_to(at);
        if (data_.number<std::uint32_t>() != instructions ||
            data_.number<std::uint32_t>() != chunks_left_)
            file_.damaged(at, "a warp that is not as the index has it");
    }

    std::size_t unpack(char* out, std::size_t n) {
        std::string_view in = chunk_left_ != 0 ? data_.some(chunk_left_) : std::string_view();
        const std::size_t whole = in.size();
        std::size_t got = 0;
        try {
            got = unpacker_->unpack(in, out, n);
        } catch (const std::runtime_error& e) {
            file_.damaged(data_.position(), std::string("a damaged chunk (") + e.what() + ")");
        }
        data_.give_back(in.size());
        chunk_left_ -= static_cast<std::uint32_t>(whole - in.size());
        if (got != 0) last_ = out[got - 1];
        unpacking_ = !unpacker_->complete();
        if (unpacking_ && chunk_left_ == 0 && got == 0 && n != 0)
            file_.damaged(data_.position(), "a chunk ends in the middle of its frame");
        if (!unpacking_ && chunk_left_ != 0 && whole == in.size() && got == 0)
            file_.damaged(data_.position(), "a chunk goes on behind its frame");
        if (!unpacking_ && chunk_left_ == 0 && last_ != '\n') {
            text_ = last_ = '\n';
            given_ = 0;
        }
        return got;
    }

    numbered_bytes file_;
    cursor index_, data_;
    std::uint64_t data_from_ = 0, index_at_ = 0;
    std::optional<zstd_dictionary> dictionary_;
    std::optional<zstd_stream> unpacker_;
    std::string text_;  ///< text to be returned next
    std::size_t given_ = 0;
    std::uint32_t blocks_left_ = 0;
    std::uint32_t warps_ = 0, warps_left_ = 0;
    std::uint32_t chunks_left_ = 0;
    std::uint32_t chunk_left_ = 0;  ///< bytes
    bool unpacking_ = false;        ///< the current frame has more output
    bool in_block_ = false;
    char last_ = '\n';
};

}  // namespace

std::unique_ptr<line_source::byte_source> open_tracez(const std::string& file) {
    return std::make_unique<tracez_bytes>(file);
}

bool is_tracez(const std::string& file) {
    const std::string_view suffix = tracez_suffix;
    return file.size() > suffix.size() &&
           file.compare(file.size() - suffix.size(), suffix.size(), suffix) == 0;
}

}  // namespace simtlm::trace
