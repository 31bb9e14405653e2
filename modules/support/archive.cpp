// SPDX-License-Identifier: Apache-2.0
#include "modules/support/archive.h"

#include "modules/support/error.h"

namespace simtlm::support {

void archive::block(std::string_view name, unsigned version) {
    block_ = name;
    std::string saved_name(name);
    unsigned saved_version = version;
    (*this)(saved_name, saved_version);
    if (saved_name != name)
        fail("has the state of " + saved_name + " where this GPU has " + block_);
    if (saved_version != version)
        fail("was written by another version of simtlm (" + block_ + " has changed)");
}

std::size_t archive::size_of(std::size_t elements, std::size_t min_bytes) {
    std::uint64_t size = elements;
    (*this)(size);
    if (restores_ && size > (data_.size() - position_) / min_bytes)
        fail("ends in the state of " + block_);
    return static_cast<std::size_t>(size);
}

void archive::read(void* to, std::size_t n) {
    if (n > data_.size() - position_) fail("ends in the state of " + block_);
    std::memcpy(to, data_.data() + position_, n);
    position_ += n;
}

void archive::finish() const {
    if (restores_ && position_ != data_.size()) fail("has more than this GPU's state");
}

void archive::fail(const std::string& why) const {
    throw user_error("checkpoint", why, "run up to there again, and write a new one");
}

}  // namespace simtlm::support
