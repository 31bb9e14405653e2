// SPDX-License-Identifier: Apache-2.0
#include "platform/debugger/command_input.h"

#include "modules/support/error.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iterator>
#include <utility>

#ifdef SIMTLM_HAS_LIBEDIT
#include <histedit.h>
#endif

namespace simtlm::platform {

command_input::~command_input() = default;

namespace {

struct close_file {
    void operator()(std::FILE* f) const {
        if (f != stdin) std::fclose(f);
    }
};
using file_ptr = std::unique_ptr<std::FILE, close_file>;

/// Milliseconds between two checks whether to wait no longer.
constexpr int check_period = 100;

/// Reads lines from a file, a pipe, or a terminal without line editing.
class plain_input final : public command_input {
public:
    plain_input(file_ptr from, std::FILE* prompt_to) : from_(std::move(from)), to_(prompt_to) {}

    std::optional<std::string> read(const std::string& prompt,
                                    const std::function<bool()>& ended) override {
        if (to_ != nullptr) {
            std::fputs(prompt.c_str(), to_);
            std::fflush(to_);
        }
        while (true) {
            if (ended()) return std::nullopt;
            const std::size_t end = text_.find('\n', searched_);
            searched_ = text_.size();
            if (end != std::string::npos) return take(end, 1);
            if (ended_) {
                if (text_.empty()) return std::nullopt;
                return take(text_.size(), 0);
            }
            fill();
        }
    }
    bool interactive() const override { return to_ != nullptr; }

private:
    std::string take(std::size_t size, std::size_t terminator) {
        std::string line = text_.substr(0, size);
        text_.erase(0, size + terminator);
        searched_ = 0;
        if (!line.empty() && line.back() == '\r') line.pop_back();
        return line;
    }
    /// Appends what can be read within the check period.
    void fill() {
        struct pollfd one = {::fileno(from_.get()), POLLIN, 0};
        if (::poll(&one, 1, check_period) <= 0) return;
        char part[4096];
        const ssize_t n = ::read(one.fd, part, sizeof part);
        if (n > 0) text_.append(part, static_cast<std::size_t>(n));
        ended_ = n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
    }

    file_ptr from_;
    std::FILE* to_;
    std::string text_;          ///< read, but not returned yet
    std::size_t searched_ = 0;  ///< characters of it that contain no end of line
    bool ended_ = false;
};

class known_lines final : public command_input {
public:
    explicit known_lines(std::vector<std::string> lines) : lines_(std::move(lines)) {}
    std::optional<std::string> read(const std::string&, const std::function<bool()>&) override {
        if (at_ == lines_.size()) return std::nullopt;
        return lines_[at_++];
    }

private:
    std::vector<std::string> lines_;
    std::size_t at_ = 0;
};

#ifdef SIMTLM_HAS_LIBEDIT
/// While it exists, signals that end or stop the run interrupt system calls, which are otherwise
/// restarted.
class interruptible_calls {
public:
    interruptible_calls() {
        for (std::size_t i = 0; i < std::size(signals); ++i) {
            ::sigaction(signals[i], nullptr, &before_[i]);
            struct sigaction interrupting = before_[i];
            interrupting.sa_flags &= ~SA_RESTART;
            ::sigaction(signals[i], &interrupting, nullptr);
        }
    }
    ~interruptible_calls() {
        for (std::size_t i = 0; i < std::size(signals); ++i)
            ::sigaction(signals[i], &before_[i], nullptr);
    }
    interruptible_calls(const interruptible_calls&) = delete;
    interruptible_calls& operator=(const interruptible_calls&) = delete;

private:
    static constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction before_[std::size(signals)] = {};
};

/// A terminal with history and completion of commands and of the words that follow them.
class edited_input final : public command_input {
public:
    edited_input(file_ptr from, std::FILE* to)
        : from_(std::move(from)),
          to_(to),
          editor_(::el_init("simtlm", from_.get(), to, stderr)),
          history_(::history_init()) {
        HistEvent e;
        ::history(history_, &e, H_SETSIZE, 1000);
        ::el_set(editor_, EL_CLIENTDATA, this);
        ::el_set(editor_, EL_PROMPT, &edited_input::prompt_of);
        ::el_set(editor_, EL_EDITOR, "emacs");
        ::el_set(editor_, EL_HIST, ::history, history_);
        ::el_set(editor_, EL_SIGNAL, 0);
        // el_set() would copy the two strings and never free the copies.
        ::el_wset(editor_, EL_ADDFN, L"simtlm-complete", L"completes a command",
                  &edited_input::complete_word);
        ::el_set(editor_, EL_BIND, "^I", "simtlm-complete", nullptr);
        ::el_set(editor_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    }
    ~edited_input() override {
        ::history_end(history_);
        ::el_end(editor_);
    }

    std::optional<std::string> read(const std::string& prompt,
                                    const std::function<bool()>& ended) override {
        prompt_ = prompt;
        int count = 0;
        const interruptible_calls interruptible;
        if (ended()) return std::nullopt;
        const char* const text = ::el_gets(editor_, &count);
        if (ended()) return std::nullopt;
        // Control-C during line editing discards the line.
        if (text == nullptr && errno == EINTR) return std::string();
        if (text == nullptr || count <= 0) return std::nullopt;
        std::string line(text, static_cast<std::size_t>(count));
        while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
        HistEvent e;
        if (!line.empty()) ::history(history_, &e, H_ENTER, line.c_str());
        return line;
    }
    bool interactive() const override { return true; }
    void complete(std::vector<std::string> beginnings) override {
        beginnings_ = std::move(beginnings);
    }

private:
    static char* prompt_of(EditLine* editor) {
        edited_input* self = nullptr;
        ::el_get(editor, EL_CLIENTDATA, &self);
        return self->prompt_.data();
    }
    /// Inserts the longest common prefix of all completions of the line. If that adds nothing, the
    /// completions are listed.
    static unsigned char complete_word(EditLine* editor, int) {
        edited_input* self = nullptr;
        ::el_get(editor, EL_CLIENTDATA, &self);
        const LineInfo* const line = ::el_line(editor);
        const std::string typed(line->buffer, line->cursor);
        const std::size_t words = std::count(typed.begin(), typed.end(), ' ');
        std::vector<std::string> fits;
        for (const std::string& b : self->beginnings_)
            if (b.compare(0, typed.size(), typed) == 0 &&
                static_cast<std::size_t>(std::count(b.begin(), b.end(), ' ')) == words)
                fits.push_back(b);
        if (fits.empty()) return CC_ERROR;
        std::string common = fits.front();
        for (const std::string& f : fits)
            common.erase(std::mismatch(common.begin(), common.end(), f.begin(), f.end()).first,
                         common.end());
        if (fits.size() == 1) common += ' ';
        if (common.size() > typed.size()) {
            ::el_insertstr(editor, common.c_str() + typed.size());
            return CC_REFRESH;
        }
        std::fputc('\n', self->to_);
        for (const std::string& f : fits)
            std::fprintf(self->to_, "%s  ", f.substr(f.rfind(' ') + 1).c_str());
        std::fputc('\n', self->to_);
        return CC_REDISPLAY;
    }

    file_ptr from_;
    std::FILE* to_;
    EditLine* editor_;
    History* history_;
    std::string prompt_;
    std::vector<std::string> beginnings_;
};
#endif

std::unique_ptr<command_input> on_terminal(file_ptr from, std::FILE* to) {
#ifdef SIMTLM_HAS_LIBEDIT
    return std::make_unique<edited_input>(std::move(from), to);
#else
    return std::make_unique<plain_input>(std::move(from), to);
#endif
}

}  // namespace

std::unique_ptr<command_input> command_input::standard() {
    if (::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0)
        return on_terminal(file_ptr(stdin), stdout);
    return std::make_unique<plain_input>(file_ptr(stdin), nullptr);
}

std::unique_ptr<command_input> command_input::file(const std::string& name) {
    // A pipe is opened even before a process writes to it, so that a signal can end the run.
    const int descriptor = ::open(name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    file_ptr f(descriptor < 0 ? nullptr : ::fdopen(descriptor, "r"));
    if (!f)
        throw support::user_error(name, std::strerror(errno),
                                  "--debug-commands names a file of debugger commands");
    return std::make_unique<plain_input>(std::move(f), nullptr);
}

std::unique_ptr<command_input> command_input::terminal() {
    file_ptr f(std::fopen("/dev/tty", "r+e"));
    if (!f)
        throw support::user_error("--debug", "there is no terminal for the debugger",
                                  "name a file of commands: --debug-commands FILE");
    std::FILE* const to = f.get();
    return on_terminal(std::move(f), to);
}

std::unique_ptr<command_input> command_input::of(const std::string& name,
                                                 bool standard_input_is_free) {
    if (!name.empty()) return file(name);
    return standard_input_is_free ? standard() : terminal();
}

std::unique_ptr<command_input> command_input::lines(std::vector<std::string> commands) {
    return std::make_unique<known_lines>(std::move(commands));
}

}  // namespace simtlm::platform
