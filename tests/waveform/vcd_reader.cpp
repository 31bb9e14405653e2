// SPDX-License-Identifier: Apache-2.0
#include "tests/waveform/vcd_reader.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace simtlm::test {

vcd_reader::vcd_reader(const std::string& file) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error(file + ": cannot be read");
    std::map<std::string, std::uint32_t> by_code;
    std::vector<std::string> scopes;
    std::string word;
    const auto skip = [&] {
        std::string all;
        while (in >> word && word != "$end") all += all.empty() ? word : " " + word;
        return all;
    };
    std::uint64_t time = 0;
    bool timed = false;
    while (in >> word) {
        const char c = word[0];
        if (word == "$scope") {
            in >> word >> word;
            scopes.push_back(word);
            skip();
        } else if (word == "$upscope") {
            if (scopes.empty()) throw std::runtime_error("$upscope without $scope");
            scopes.pop_back();
            skip();
        } else if (word == "$var") {
            std::string type, width, code, leaf;
            in >> type >> width >> code >> leaf;
            skip();
            std::string name;
            for (const std::string& s : scopes) name += s + ".";
            name += leaf;
            if (!by_code.emplace(code, variables_.size()).second)
                throw std::runtime_error("code twice: " + code);
            if (!index_.emplace(name, variables_.size()).second)
                throw std::runtime_error("name twice: " + name);
            variables_.push_back({name, static_cast<unsigned>(std::stoul(width))});
        } else if (word == "$timescale") {
            timescale_ = skip();
        } else if (word == "$dumpvars" || word == "$end") {
            continue;
        } else if (c == '$') {
            skip();
        } else if (c == '#') {
            const std::uint64_t next = std::stoull(word.substr(1));
            if (timed && next <= time) throw std::runtime_error("time goes back: " + word);
            time = next;
            timed = true;
        } else {
            std::uint64_t value = 0;
            std::string code = word.substr(1);
            std::string bits(1, c);
            if (c == 'b') {
                bits = code;
                in >> code;
            }
            for (const char b : bits) {
                if (b == 'z' || b == 'x')
                    value = undriven;
                else if (b == '0' || b == '1')
                    value = value << 1 | static_cast<unsigned>(b - '0');
                else
                    throw std::runtime_error("no value: " + word);
            }
            const auto at = by_code.find(code);
            if (at == by_code.end()) throw std::runtime_error("no variable: " + word);
            if (bits.size() > variables_[at->second].width)
                throw std::runtime_error("too wide: " + word + " of " +
                                         variables_[at->second].name);
            changes_.push_back({time, at->second, value});
        }
    }
    if (!scopes.empty()) throw std::runtime_error("a scope is not closed");
}

void vcd_reader::replay(const std::function<void(std::uint64_t)>& f) {
    values_.assign(variables_.size(), undriven);
    before_ = values_;
    for (std::size_t i = 0; i < changes_.size();) {
        const std::uint64_t time = changes_[i].time;
        const std::size_t first = i;
        for (; i < changes_.size() && changes_[i].time == time; ++i)
            values_[changes_[i].variable] = changes_[i].value;
        f(time);
        for (std::size_t k = first; k < i; ++k)
            before_[changes_[k].variable] = values_[changes_[k].variable];
    }
}

bool vcd_reader::rose(const std::string& name) const {
    const std::size_t i = index_.at(name);
    return values_[i] == 1 && before_[i] != 1;
}

std::vector<std::string> vcd_reader::matching(const std::string& begin,
                                              const std::string& end) const {
    std::vector<std::string> out;
    for (const variable& v : variables_)
        if (v.name.size() >= begin.size() + end.size() &&
            v.name.compare(0, begin.size(), begin) == 0 &&
            v.name.compare(v.name.size() - end.size(), end.size(), end) == 0)
            out.push_back(v.name);
    return out;
}

}  // namespace simtlm::test
