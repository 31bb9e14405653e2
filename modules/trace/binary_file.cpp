// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/binary_file.h"

#include "modules/support/error.h"
#include "modules/trace/kernel_header.h"
#include "modules/trace/line_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace simtlm::trace {

namespace {

constexpr const char* convert_again = "convert the trace again";

/// Reads from memory.
class memory_bytes final : public line_source::byte_source {
public:
    explicit memory_bytes(std::string_view text) : left_(text) {}
    std::size_t read(char* out, std::size_t n) override {
        n = std::min(n, left_.size());
        std::memcpy(out, left_.data(), n);
        left_.remove_prefix(n);
        return n;
    }

private:
    std::string_view left_;
};

}  // namespace

bool is_binary_trace(const std::string& file) {
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return false;
    struct stat status {};
    char begin[sizeof binary_magic] = {};
    const bool found = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                       ::pread(fd, begin, sizeof begin, 0) == sizeof begin &&
                       std::memcmp(begin, binary_magic, sizeof begin) == 0;
    ::close(fd);
    return found;
}

binary_file::binary_file(const std::string& file) : file_(file) {
    binary_head head;
    const std::uint64_t size = file_.size();
    if (size < sizeof head + sizeof tail_) fail("it is cut short", convert_again);
    std::memcpy(&head, file_.data(), sizeof head);
    if (std::memcmp(head.magic, binary_magic, sizeof binary_magic) != 0) {
        throw support::user_error(name(), "is not a binary trace",
                                  "simtlm-trace convert makes one");
    }
    if (head.byte_order != binary_byte_order) {
        fail("it was written by a machine of another byte order", "convert the trace on this one");
    }
    if (head.version != binary_version) {
        fail("its version is " + std::to_string(head.version) + ", not " +
                 std::to_string(binary_version),
             "convert the trace with this version of simtlm-trace");
    }
    std::memcpy(&tail_, file_.data() + size - sizeof tail_, sizeof tail_);
    if (checksum_of(&tail_, tail_bytes_checked) != tail_.checksum) {
        fail("it is cut short, or its end is damaged", convert_again);
    }
    if (tail_.file_bytes != size) {
        fail("it has " + std::to_string(size) + " bytes, not " + std::to_string(tail_.file_bytes),
             convert_again);
    }
    const std::uint64_t end = size - sizeof tail_;
    const bool ordered = sizeof head <= tail_.header_at && tail_.header_at <= tail_.statics_at &&
                         tail_.statics_at <= tail_.index_at && tail_.index_at <= end;
    if (!ordered || (end - tail_.index_at) % sizeof(binary_block_entry) != 0 ||
        (end - tail_.index_at) / sizeof(binary_block_entry) != tail_.block_count) {
        fail("its parts do not follow each other", convert_again);
    }
}

std::string_view binary_file::header_text() const {
    const binary_cursor text =
        part(tail_.header_at, tail_.statics_at, tail_.header_checksum, "the header");
    return {reinterpret_cast<const char*>(text.position()), text.left()};
}

kernel_header binary_file::read_header(std::vector<std::string>& warnings) const {
    line_source lines(name(), std::make_unique<memory_bytes>(header_text()));
    kernel_header header;
    read_kernel_header(lines, header, warnings);
    return header;
}

std::vector<binary_file::instruction> binary_file::read_instructions() const {
    binary_cursor in =
        part(tail_.statics_at, tail_.index_at, tail_.statics_checksum, "the instruction table");
    if (tail_.static_count > in.left()) in.fail("it has more instructions than bytes for them");
    std::vector<instruction> instructions(tail_.static_count);
    for (instruction& i : instructions) {
        i.pc = in.number();
        i.width = in.number();
        i.source_line =
            static_cast<std::uint32_t>(in.number_up_to(UINT32_MAX, "a source line's number"));
        i.n_immediates = static_cast<std::uint32_t>(in.number_up_to(3, "the number of immediates"));
        for (std::uint32_t k = 0; k < i.n_immediates; ++k) {
            i.immediates[k] = static_cast<std::int64_t>(in.signed_number());
        }
        const std::size_t bytes = in.number_up_to(in.left(), "the length of an instruction");
        i.text = {reinterpret_cast<const char*>(in.bytes(bytes)), bytes};
        if (in.byte() != '\n' || i.text.find('\n') != std::string_view::npos) {
            in.fail("an instruction that is not one line");
        }
    }
    if (!in.at_end()) in.fail("bytes after the last instruction");
    return instructions;
}

void binary_file::check_index(const kernel_header& header) const {
    const std::uint64_t end = file_.size() - sizeof tail_;
    binary_cursor in =
        part(tail_.index_at, end, tail_.index_checksum, "the index of thread blocks");
    if (tail_.block_count != header.grid.volume()) {
        in.fail("it has " + std::to_string(tail_.block_count) + " of " +
                std::to_string(header.grid.volume()) + " thread blocks");
    }
    std::uint64_t last = sizeof(binary_head);
    for (std::uint64_t i = 0; i < tail_.block_count; ++i) {
        const std::uint64_t next = entry(i).end;
        if (next < last || next > tail_.header_at) in.fail("a thread block outside of its part");
        last = next;
    }
    if (last != tail_.header_at) in.fail("bytes after the last thread block");
}

binary_cursor binary_file::block(std::uint64_t number) const {
    file_.check_size();
    const std::uint64_t from = number == 0 ? sizeof(binary_head) : entry(number - 1).end;
    const binary_block_entry e = entry(number);
    return part(from, e.end, e.checksum, "a thread block");
}

binary_block_entry binary_file::entry(std::uint64_t number) const {
    binary_block_entry e;
    std::memcpy(&e, file_.data() + tail_.index_at + number * sizeof e, sizeof e);
    return e;
}

binary_cursor binary_file::part(std::uint64_t from, std::uint64_t to, std::uint64_t checksum,
                                const char* what) const {
    binary_cursor cursor(file_.name(), file_.data(), from, to);
    if (checksum_of(file_.data() + from, to - from) != checksum) {
        cursor.fail(std::string("the checksum of ") + what + " is wrong");
    }
    return cursor;
}

void binary_file::fail(const std::string& what, const std::string& remedy) const {
    throw support::user_error(name(), "damaged binary trace: " + what, remedy);
}

}  // namespace simtlm::trace
