// SPDX-License-Identifier: Apache-2.0
#include "modules/support/archive.h"

#include "modules/support/error.h"

#include <stdexcept>

namespace simtlm::support {

archive archive::for_another_configuration(std::string saved, difference differs) {
    archive a(std::move(saved), use::transfers, false);
    a.differs_ = std::move(differs);
    a.list_sections();
    return a;
}

/// Begins a part of the data whose size precedes it. @return what end_part() takes
std::size_t archive::begin_part() {
    std::uint64_t size = 0;
    const std::size_t place = data_.size();
    (*this)(size);
    if (!restores()) return place;
    if (size > data_.size() - position_) fail("ends in the state of " + block_);
    return position_ + static_cast<std::size_t>(size);
}

/// Ends a part: saves its size, or continues at its end.
void archive::end_part(std::size_t end) {
    if (!restores()) {
        const std::uint64_t size = data_.size() - end - sizeof size;
        std::memcpy(data_.data() + end, &size, sizeof size);
    } else {
        if (!transfers() && position_ != end) fail("has another state of " + block_);
        position_ = end;
    }
}

void archive::end_block() {
    if (!in_block_) return;
    in_block_ = false;
    end_part(block_end_);
}

bool archive::begin_block(std::string_view name, unsigned version, bool portable) {
    if (transfers()) return find_block(name, version, portable);
    end_block();
    block_ = name;
    std::string saved_name(name);
    unsigned saved_version = version;
    (*this)(saved_name, saved_version);
    if (saved_name != name)
        fail("has the state of " + saved_name + " where this GPU has " + block_);
    if (saved_version != version)
        fail("was written by another version of simtlm (" + block_ + " has changed)");
    block_end_ = begin_part();
    in_block_ = true;
    return true;
}

bool archive::block(std::string_view name, unsigned version) {
    return begin_block(name, version, false);
}

bool archive::portable_block(std::string_view name, unsigned version) {
    return begin_block(name, version, true);
}

/// Reads the names and places of all blocks.
void archive::list_sections() {
    while (position_ != data_.size()) {
        section s;
        std::string name;
        (*this)(name, s.version);
        block_ = name;
        s.end = begin_part();
        s.begin = position_;
        position_ = s.end;
        sections_[name] = s;
    }
    block_end_ = position_;
}

bool archive::find_block(std::string_view name, unsigned version, bool portable) {
    block_ = name;
    transfer& t = done_[block_];
    t = {};
    reason_ = differs_ ? differs_(name) : "";
    lists_ = false;
    const auto saved = sections_.find(name);
    if (saved == sections_.end()) {
        t.why = "it is not in the checkpoint";
        return false;
    }
    section& s = saved->second;
    s.visited = true;
    t.why = reason_;
    if (!portable && !reason_.empty()) return false;
    if (s.version != version)
        fail("was written by another version of simtlm (" + block_ + " has changed)");
    t.what = transfer::outcome::restored;
    position_ = s.begin;
    block_end_ = s.end;
    return lists_ = true;
}

void archive::note_reinserted(std::string_view name) {
    done_[std::string(name)].what = transfer::outcome::reinserted;
    lists_ = false;
}

std::map<std::string, archive::transfer> archive::transfers_done() const {
    std::map<std::string, transfer> all = done_;
    for (const auto& [name, s] : sections_)
        if (!s.visited) all[name] = {transfer::outcome::dropped, "this GPU has no such block"};
    return all;
}

std::size_t archive::size_of(std::size_t elements, std::size_t min_bytes) {
    std::uint64_t size = elements;
    (*this)(size);
    if (restores() && size > (data_.size() - position_) / min_bytes)
        fail("ends in the state of " + block_);
    return static_cast<std::size_t>(size);
}

void archive::read(void* to, std::size_t n) {
    if (!lists_) throw std::logic_error("members of a block that is not restored: " + block_);
    const std::size_t end = transfers() && block_end_ != 0 ? block_end_ : data_.size();
    if (n > end - position_) fail("ends in the state of " + block_);
    std::memcpy(to, data_.data() + position_, n);
    position_ += n;
}

std::string archive::take() {
    end_block();
    return std::move(data_);
}

void archive::finish() {
    if (transfers() || !restores()) return;
    end_block();
    if (position_ != data_.size()) fail("has more than this GPU's state");
}

void archive::fail(const std::string& why) const {
    throw user_error("checkpoint", why, "run up to there again, and write a new one");
}

}  // namespace simtlm::support
