#include "cli/man_page.hpp"

#include "cli/exit_code.hpp"

#include <array>
#include <utility>

namespace belay::cli {

namespace {

/// `text` as roff prints it: nothing in it is a request, and a dash stays one that can be copied.
std::string roff_text(std::string_view text) {
    std::string result;
    bool begins_line = true;
    for (const char character : text) {
        if (begins_line && (character == '.' || character == '\'')) result += "\\&";
        if (character == '\\') {
            result += "\\e";
        } else if (character == '-') {
            result += "\\-";
        } else {
            result += character;
        }
        begins_line = character == '\n';
    }
    return result;
}

/// `text` as the argument of a request.
std::string roff_argument(std::string_view text) {
    std::string result = "\"";
    for (const char character : roff_text(text)) {
        if (character == '"') {
            result += "\\(dq";
        } else {
            result += character;
        }
    }
    return result + "\"";
}

std::string section(std::string_view title) { return ".SH " + roff_argument(title) + "\n"; }

std::string entry(std::string_view term, std::string_view text) {
    return ".TP\n.B " + roff_argument(term) + "\n" + roff_text(text) + "\n";
}

std::string lines_as_they_are(std::string_view lines) {
    return ".PP\n.nf\n.RS 4\n" + roff_text(lines) + "\n.RE\n.fi\n";
}

std::string option_entries(const std::vector<Option>& options) {
    std::string text;
    for (const Option& option : options) text += entry(term_of(option), text_of(option));
    return text;
}

std::string examples_of(const Command& command) {
    std::string text;
    for (const Example& example : command.examples) {
        if (!example.says.empty()) text += ".PP\n" + roff_text("Example: " + example.says) + ":\n";
        text += lines_as_they_are(example.line);
    }
    return text;
}

/// One command and those below it.
std::string command_part(const std::string& title, const Command& command) {
    std::string text;
    if (command.run != nullptr) {
        text += ".SS " + roff_argument(title) + "\n" + roff_text(command.summary) + ".\n";
        text += lines_as_they_are(usage_of(title, command));
        if (!command.details.empty()) text += ".PP\n" + roff_text(command.details) + "\n";
        for (const Operand& operand : command.operands) {
            text += entry(operand.name, text_of(operand));
        }
        text += option_entries(command.options) + examples_of(command);
    }
    for (const Command& sub : command.commands) text += command_part(title + " " + sub.name, sub);
    return text;
}

std::string exit_status() {
    constexpr std::array<std::pair<Exit, std::string_view>, 8> kMeanings{{
        {Exit::ok, "Done."},
        {Exit::failed, "The subject is not well: a run failed, or a check found a fault."},
        {Exit::usage, "The command line is wrong."},
        {Exit::not_found, "The instance, key or letter does not exist."},
        {Exit::refused, "The state of things forbids it, or the person at the terminal did."},
        {Exit::trouble, "The store cannot be opened, is busy or is damaged."},
        {Exit::timed_out, "It did not happen within the given time."},
        {Exit::unknown, "It may have been done or not."},
    }};
    std::string text = section("EXIT STATUS");
    for (const auto& [code, meaning] : kMeanings) {
        text += entry(std::to_string(static_cast<int>(code)), meaning);
    }
    return text;
}

std::string surroundings() {
    return section("ENVIRONMENT") + entry("BELAY_STORE", "the store, if --store is not given") +
           entry("BELAY_SPACE", "the namespace, if --space is not given") +
           entry("BELAY_KEYS", "the file with the keys of encrypted payloads") +
           entry("NO_COLOR", "if it is not empty, nothing is coloured") + section("FILES") +
           entry("belay.toml", "the configuration file, in the current directory") +
           entry("~/.config/belay/config", "the configuration file if belay.toml does not exist");
}

}  // namespace

std::string man_page(const Command& top, std::string_view version) {
    std::string text = ".TH BELAY 1 \"\" " + roff_argument(top.name + " " + std::string(version)) +
                       " \"User Commands\"\n";
    text += section("NAME") + roff_text(top.name) + " \\- " + roff_text(top.summary) + "\n";
    text += section("SYNOPSIS") + ".B " + roff_argument(usage_of(top.name, top)) + "\n";
    text += section("DESCRIPTION") + roff_text(top.summary) + ".\n" + examples_of(top);
    text += section("COMMON OPTIONS") + option_entries(common_options());
    text += section("COMMANDS");
    for (const Command& command : top.commands) {
        text += command_part(top.name + " " + command.name, command);
    }
    return text + exit_status() + surroundings();
}

}  // namespace belay::cli
