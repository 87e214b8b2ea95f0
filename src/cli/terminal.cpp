#include "cli/terminal.hpp"

#include "cli/text.hpp"

namespace belay::cli {

namespace {

std::string_view code_of(Colour colour) noexcept {
    switch (colour) {
        case Colour::bold: return "1";
        case Colour::dim: return "2";
        case Colour::red: return "31";
        case Colour::green: return "32";
        case Colour::yellow: return "33";
        case Colour::blue: return "34";
        case Colour::cyan: return "36";
        case Colour::none: break;
    }
    return "0";
}

/// Back to the beginning of the line, which is emptied.
constexpr std::string_view kEraseLine = "\r\x1b[K";

}  // namespace

std::string Terminal::paint(Colour colour, std::string_view text) const {
    if (!colours || colour == Colour::none || text.empty()) return std::string(text);
    return "\x1b[" + std::string(code_of(colour)) + "m" + std::string(text) + "\x1b[0m";
}

void Progress::say(std::string_view text) {
    if (!terminal_.err_is_terminal) return;
    terminal_.err << kEraseLine << fitted(text, terminal_.width - 1) << std::flush;
    shown_ = true;
}

Progress::~Progress() {
    if (shown_) terminal_.err << kEraseLine << std::flush;
}

}  // namespace belay::cli
