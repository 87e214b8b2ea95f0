// The input and output of a command. Injected, so that a test can be the terminal.
#pragma once

#include <belay/time.hpp>

#include <cstddef>
#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>

namespace belay::cli {

enum class Colour : std::uint8_t { none, bold, dim, red, green, yellow, blue, cyan };

/// The streams of a command and what is known about them. Output for scripts goes to `out`.
/// Questions, progress and errors go to `err`.
struct Terminal {
    std::ostream& out;
    std::ostream& err;
    std::istream& in;
    bool out_is_terminal = false;
    bool err_is_terminal = false;
    bool in_is_terminal = false;
    std::size_t width = 80;
    std::size_t height = 24;
    bool colours = false;  ///< True if `out` takes colours: a terminal, unless NO_COLOR is set.
    Clock& clock;
    /// Sleeps. Returns false if the wait was ended early because the person wants to stop.
    bool (*pause)(Millis time) = nullptr;
    /// Measures the terminal again: a window can be resized. Null: it keeps its size.
    void (*measure)(std::size_t& width, std::size_t& height) = nullptr;

    /// `text` in a colour, if there are colours.
    [[nodiscard]] std::string paint(Colour colour, std::string_view text) const;
};

/// A line on a terminal that shows the progress of long work; nothing elsewhere. Gone when it ends.
class Progress {
public:
    explicit Progress(Terminal& terminal) : terminal_(terminal) {}
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void say(std::string_view text);

private:
    Terminal& terminal_;
    bool shown_ = false;
};

}  // namespace belay::cli
