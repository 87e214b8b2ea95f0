// A command: its words, its options, and its action. Help, errors and completion are made from the
// same description as the parser works by.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay::cli {

class Context;
class Arguments;
enum class Exit : int;

struct Option {
    std::string name;     ///< Without its dashes.
    std::string value{};  ///< The name of its value in the help; empty: it has none.
    std::string help;
    std::vector<std::string> choices{};  ///< The only values, if there are any.
    bool repeats = false;
    bool file = false;  ///< The value is a path.
    bool may_be_empty = false;
};

struct Operand {
    std::string name;
    std::string help;
    bool required = true;
    bool repeats = false;  ///< Only the last one.
    bool file = false;
    std::vector<std::string> choices{};
};

struct Example {
    std::string line;
    std::string says;
};

struct Command {
    std::string name;
    std::string summary;  ///< One line, without a full stop.
    std::string details{};
    std::vector<Operand> operands{};
    std::vector<Option> options{};
    std::vector<Example> examples{};
    Exit (*run)(Context&, const Arguments&) = nullptr;
    std::vector<Command> commands{};  ///< With these it does nothing by itself.
};

/// Understood by every command, before or behind its name.
[[nodiscard]] const std::vector<Option>& common_options();

/// The options and operands of a command line.
class Arguments {
public:
    [[nodiscard]] bool has(std::string_view option) const;
    /// Returns the last value if the option is repeated.
    [[nodiscard]] std::optional<std::string> value(std::string_view option) const;
    [[nodiscard]] std::string value_or(std::string_view option, std::string otherwise) const;
    [[nodiscard]] std::vector<std::string> values(std::string_view option) const;
    [[nodiscard]] const std::vector<std::string>& operands() const noexcept { return operands_; }
    /// Returns the operand at `index`, which must be a required one.
    [[nodiscard]] const std::string& operand(std::size_t index) const {
        return operands_.at(index);
    }

private:
    friend class Parser;
    struct Given {
        std::string option;
        std::string value;
    };
    std::vector<Given> given_;
    std::vector<std::string> operands_;
};

/// A command line after parsing. `path` leads from the top to the command.
struct Parsed {
    std::vector<const Command*> path;
    Arguments arguments;

    [[nodiscard]] const Command& command() const { return *path.back(); }
    [[nodiscard]] std::string title() const;  ///< "belay held release"
};

/// Throws a Problem that names a wrong word, and the nearest right one. With --help nothing is
/// missing.
[[nodiscard]] Parsed parse(const Command& top, const std::vector<std::string>& words);

/// The text of `--help`.
[[nodiscard]] std::string help_of(const Parsed& parsed, std::size_t width);

/// Parts of that text, which the manual page has too: the words of an option, the meaning of an
/// option or operand with its choices, and the line that shows how to call the command `title`.
[[nodiscard]] std::string term_of(const Option& option);
[[nodiscard]] std::string text_of(const Option& option);
[[nodiscard]] std::string text_of(const Operand& operand);
[[nodiscard]] std::string usage_of(const std::string& title, const Command& command);

/// The name among `names` that `word` was probably meant to be; empty: none is like it.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& names);

}  // namespace belay::cli
