// The part of a terminal that is drawn again and again, below everything printed before.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace belay::cli {

/// Returns the bytes that bring a terminal from one picture to the next: only lines that changed
/// are written. The cursor stands below the picture, and is hidden while there is one.
///
/// A line may have colours and fits the width. A picture is lower than the terminal.
class Screen {
public:
    /// Draws the first picture, or changes it.
    [[nodiscard]] std::string draw(std::vector<std::string> lines);
    /// Draws it anew where it is: the terminal has another width.
    [[nodiscard]] std::string redraw(std::vector<std::string> lines, std::size_t width);
    /// Writes lines above the picture, which stays.
    [[nodiscard]] std::string print_above(const std::vector<std::string>& printed);
    /// Leaves the last picture on the terminal, and shows the cursor again.
    [[nodiscard]] std::string leave();

private:
    [[nodiscard]] std::string begin();
    [[nodiscard]] std::string erase(std::size_t rows) const;

    bool drawn_ = false;
    std::vector<std::string> lines_;
};

/// Returns the columns of a line that may have colours.
[[nodiscard]] std::size_t shown_columns(const std::string& line);

}  // namespace belay::cli
