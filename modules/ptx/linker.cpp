// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/linker.h"

#include "modules/support/error.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

namespace simtlm::ptx {

namespace {

/// A word, a punctuation mark or a string; white space and comments separate tokens.
struct token {
    std::size_t begin, end;
};

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

std::vector<token> tokens_of(std::string_view t) {
    std::vector<token> all;
    for (std::size_t i = 0; i < t.size() && t[i] != '\0';) {
        if (t.substr(i, 2) == "//") {
            i = std::min(t.find('\n', i), t.size());
        } else if (t.substr(i, 2) == "/*") {
            const std::size_t end = t.find("*/", i + 2);
            i = end == std::string_view::npos ? t.size() : end + 2;
        } else if (std::isspace(static_cast<unsigned char>(t[i])) != 0) {
            ++i;
        } else {
            const std::size_t begin = i++;
            if (t[begin] == '"')
                i = std::min(t.find('"', i), t.size() - 1) + 1;
            else if (is_word(t[begin]) || t[begin] == '.')
                while (i < t.size() && is_word(t[i])) ++i;
            all.push_back({begin, i});
        }
    }
    return all;
}

enum class binding { internal, external, visible, weak };

/// A top-level item of a module: a function, variables, a directive.
struct item {
    std::size_t first = 0, last = 0;  ///< tokens [first, last)
    binding how = binding::internal;
    bool defines = false;
    bool whole_line = false;         ///< .version and similar directives
    std::vector<std::string> names;  ///< names that it declares or defines
};

/// Splits a text into items.
class splitter {
public:
    explicit splitter(const link_input& p) : text(p.text), tokens(tokens_of(p.text)) {
        for (std::size_t i = 0; i < tokens.size();) {
            items.push_back(next(i));
            i = items.back().last;
        }
    }

    std::string_view word(std::size_t i) const {
        return std::string_view(text).substr(tokens[i].begin, tokens[i].end - tokens[i].begin);
    }

    const std::string& text;
    std::vector<token> tokens;
    std::vector<item> items;

private:
    item next(std::size_t first) const {
        item it;
        it.first = first;
        it.last = first + 1;
        const std::string_view begin = word(first);
        if (begin == ".version" || begin == ".target" || begin == ".address_size" ||
            begin == ".file" || begin == ".loc") {
            it.whole_line = true;
            const std::size_t end = text.find('\n', tokens[first].begin);
            while (it.last < tokens.size() && tokens[it.last].begin < end) ++it.last;
            return it;
        }
        bool is_function = false, is_section = begin == ".section";
        std::size_t i = first;
        for (int depth = 0; i < tokens.size(); ++i) {
            const std::string_view w = word(i);
            if (depth == 0 && i < tokens.size()) note(it, w, is_function);
            if (w == "{" || w == "(" || w == "[") ++depth;
            if (w == "}" || w == ")" || w == "]") --depth;
            if (depth != 0) continue;
            if (w == ";" || (w == "}" && (is_function || is_section))) break;
            // Early compilers end declarations of functions without a semicolon.
            if (is_function && i + 1 < tokens.size() && ends_name(w) && begins_item(word(i + 1)))
                break;
        }
        it.last = std::min(i + 1, tokens.size());
        if (begin == ".pragma" || is_section) return it;
        it.defines = is_function ? word(it.last - 1) == "}" : it.how != binding::external;
        find_names(it, is_function);
        return it;
    }

    /// Whether a token can be the last one of a function's declaration.
    static bool ends_name(std::string_view w) {
        return w == ")" || w == ".noreturn" || is_word(w[0]);
    }
    static bool begins_item(std::string_view w) {
        for (const char* const first :
             {".extern", ".visible", ".weak", ".common", ".func", ".entry", ".global", ".const",
              ".shared", ".local", ".tex", ".file", ".section", ".alias"})
            if (w == first) return true;
        return false;
    }

    static void note(item& it, std::string_view w, bool& is_function) {
        if (w == ".extern") it.how = binding::external;
        if (w == ".visible") it.how = binding::visible;
        if (w == ".weak" || w == ".common") it.how = binding::weak;
        if (w == ".func" || w == ".entry" || w == ".alias") is_function = true;
        // Kernels are always visible to the host.
        if (w == ".entry" && it.how == binding::internal) it.how = binding::visible;
    }

    /// For a function the first word outside of brackets; for variables also one after each comma.
    void find_names(item& it, bool is_function) const {
        int depth = 0;
        bool wanted = true;
        for (std::size_t i = it.first; i < it.last; ++i) {
            const std::string_view w = word(i);
            if (w == "{" || w == "(" || w == "[") ++depth;
            if (w == "}" || w == ")" || w == "]") --depth;
            if (depth != 0) continue;
            if (w == "," && !is_function) wanted = true;
            const bool name = is_word(w[0]) && std::isdigit(static_cast<unsigned char>(w[0])) == 0;
            if (!wanted || !name) continue;
            it.names.emplace_back(w);
            wanted = false;
            if (is_function) return;
        }
    }
};

struct header {
    std::string version, target, address_size;
};

/// Compares as numbers: 7.10 is newer than 7.8, sm_100 is newer than sm_90.
std::vector<unsigned long> numbers_in(std::string_view s) {
    std::vector<unsigned long> all;
    for (std::size_t i = 0; i < s.size();) {
        if (std::isdigit(static_cast<unsigned char>(s[i])) == 0) {
            ++i;
            continue;
        }
        all.push_back(0);
        for (; i < s.size() && std::isdigit(static_cast<unsigned char>(s[i])) != 0; ++i)
            all.back() = all.back() * 10 + static_cast<unsigned long>(s[i] - '0');
    }
    return all;
}

void keep_newer(std::string& so_far, std::string_view line) {
    if (so_far.empty() || numbers_in(so_far) < numbers_in(line)) so_far = line;
}

class joiner {
public:
    explicit joiner(const std::vector<link_input>& inputs) : inputs_(inputs) {
        for (const link_input& p : inputs) parts_.emplace_back(p);
        collect();
    }

    std::string text() {
        std::string body;
        for (std::size_t i = 0; i < parts_.size(); ++i) append(i, body);
        return head_.version + "\n" + head_.target + "\n" + head_.address_size + "\n" + body;
    }

private:
    std::string_view lines_of(const splitter& s, const item& it) const {
        return std::string_view(s.text).substr(
            s.tokens[it.first].begin, s.tokens[it.last - 1].end - s.tokens[it.first].begin);
    }

    void collect() {
        for (std::size_t i = 0; i < parts_.size(); ++i)
            for (const item& it : parts_[i].items)
                for (const std::string& n : it.names) {
                    used_[n].insert(i);
                    if (!it.defines || it.how == binding::internal) continue;
                    if (it.how == binding::visible && !strong_.emplace(n, i).second &&
                        strong_[n] != i)
                        throw support::user_error(
                            inputs_[i].name,
                            n + " is defined in " + inputs_[strong_[n]].name + " too",
                            "what several files define needs .weak");
                }
    }

    /// Whether an item is redundant because another text defines the same.
    bool is_spare(std::size_t part, const item& it) {
        if (it.names.empty() || it.how == binding::internal) return false;
        const std::string& n = it.names.front();
        if (it.how == binding::weak && it.defines) {
            if (strong_.count(n) != 0) return true;
            return !weak_.emplace(n, part).second;
        }
        if (!it.defines) return defined_.count(n) != 0 || !declared_.emplace(n, part).second;
        return false;
    }

    void append(std::size_t part, std::string& to) {
        const splitter& s = parts_[part];
        std::map<std::string, std::string, std::less<>> renamed;
        for (const item& it : s.items)
            for (const std::string& n : it.names)
                if (it.how == binding::internal && part != 0 && used_[n].size() > 1)
                    renamed[n] = n + "$" + std::to_string(part);
        for (const item& it : s.items) {
            const std::string_view first = s.word(it.first);
            if (it.whole_line) {
                if (first == ".version") keep_newer(head_.version, lines_of(s, it));
                if (first == ".target") keep_newer(head_.target, lines_of(s, it));
                if (first == ".address_size") head_.address_size = lines_of(s, it);
                if (first == ".file" && part == 0) to += std::string(lines_of(s, it)) + "\n";
                continue;
            }
            if ((first == ".section" && part != 0) || is_spare(part, it)) continue;
            if (it.defines && it.how != binding::internal)
                defined_.insert(it.names.begin(), it.names.end());
            append(part, it, renamed, to);
        }
    }

    void append(std::size_t part, const item& it,
                const std::map<std::string, std::string, std::less<>>& renamed, std::string& to) {
        const splitter& s = parts_[part];
        std::size_t done = s.tokens[it.first].begin;
        for (std::size_t i = it.first; i < it.last; ++i) {
            const std::string_view w = s.word(i);
            if (part != 0 && w == ".loc") {
                to.append(s.text, done, s.tokens[i].begin - done);
                done = std::min(s.text.find('\n', s.tokens[i].begin), s.text.size());
                while (i + 1 < it.last && s.tokens[i + 1].begin < done) ++i;
                continue;
            }
            const auto other = renamed.find(w);
            if (other == renamed.end()) continue;
            to.append(s.text, done, s.tokens[i].begin - done);
            to += other->second;
            done = s.tokens[i].end;
        }
        to.append(s.text, done, s.tokens[it.last - 1].end - done);
        to += "\n";
    }

    const std::vector<link_input>& inputs_;
    std::vector<splitter> parts_;
    header head_;
    std::map<std::string, std::set<std::size_t>> used_;  ///< texts that have a name at top level
    std::map<std::string, std::size_t> strong_, weak_, declared_;
    std::set<std::string> defined_;
};

}  // namespace

std::string link(const std::vector<link_input>& inputs) {
    if (inputs.size() == 1) return inputs.front().text;
    return joiner(inputs).text();
}

}  // namespace simtlm::ptx
