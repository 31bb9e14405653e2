// SPDX-License-Identifier: Apache-2.0
#include "platform/options/argument_text.h"

namespace simtlm::platform {

// One word per line; a backslash escapes line feeds (as \n) and itself.

std::string packed_arguments(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        for (const char c : word) {
            if (c == '\\' || c == '\n') text += '\\';
            text += c == '\n' ? 'n' : c;
        }
        text += '\n';
    }
    return text;
}

std::vector<std::string> unpacked_arguments(const std::string& text) {
    std::vector<std::string> words;
    std::string word;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n') {
            words.push_back(word);
            word.clear();
        } else if (text[i] == '\\' && i + 1 < text.size()) {
            ++i;
            word += text[i] == 'n' ? '\n' : text[i];
        } else {
            word += text[i];
        }
    }
    return words;
}

}  // namespace simtlm::platform
