#include "cli/command.hpp"
#include "cli/text.hpp"

#include <algorithm>

namespace belay::cli {

namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kWidestName = 28;

struct Entry {
    std::string name;
    std::string text;
};

std::string listed(const std::string& title, const std::vector<Entry>& entries, std::size_t width) {
    if (entries.empty()) return "";
    std::size_t widest = 0;
    for (const Entry& entry : entries) {
        if (entry.name.size() <= kWidestName) widest = std::max(widest, entry.name.size());
    }
    std::string text = "\n" + title + "\n";
    for (const Entry& entry : entries) {
        text += std::string(kIndent, ' ') + entry.name;
        const std::size_t column = kIndent + widest + 2;
        if (entry.name.size() > widest) {
            text += "\n" + std::string(column, ' ');
        } else {
            text += std::string(widest + 2 - entry.name.size(), ' ');
        }
        text += wrapped(entry.text, column, width) + "\n";
    }
    return text;
}

std::string help_text(const std::string& help, const std::vector<std::string>& choices) {
    std::string text = help;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        text += (i == 0 ? " (" : ", ") + choices[i];
    }
    return choices.empty() ? text : text + ")";
}

/// The forms of a command below each other.
std::string usage_lines(std::string_view forms) {
    std::string text = "Usage: ";
    for (const char character : forms) {
        text += character;
        if (character == '\n') text += "       ";
    }
    return text + "\n";
}

std::vector<Entry> entries_of(const std::vector<Option>& options) {
    std::vector<Entry> entries;
    entries.reserve(options.size());
    for (const Option& option : options) {
        entries.push_back({term_of(option), text_of(option)});
    }
    return entries;
}

}  // namespace

const std::vector<Option>& common_options() {
    static const std::vector<Option> kOptions{
        {.name = "store",
         .value = "URL",
         .help = "the store, as sqlite:PATH. Default: $BELAY_STORE, then the configuration file",
         .file = true},
        {.name = "space",
         .value = "NAME",
         .help = "the namespace. Default: $BELAY_SPACE, then the configuration file, then default"},
        {.name = "json", .help = "print JSON, for scripts"},
        {.name = "help", .help = "print this help", .letter = 'h'},
    };
    return kOptions;
}

std::string term_of(const Option& option) {
    const std::string letter = option.letter == 0 ? "" : std::string{'-', option.letter, ',', ' '};
    return letter + "--" + option.name + (option.value.empty() ? "" : " " + option.value);
}

std::string text_of(const Option& option) {
    return help_text(option.help, option.choices) + (option.repeats ? "; may be repeated" : "");
}

std::string text_of(const Operand& operand) { return help_text(operand.help, operand.choices); }

std::string usage_of(const std::string& title, const Command& command) {
    std::string text = title;
    if (command.usual() != nullptr) return text + " [COMMAND]";
    if (!command.commands.empty()) return text + " COMMAND";
    if (!command.forms.empty()) {
        std::string lines;
        for (const std::string& form : command.forms) {
            lines.append(lines.empty() ? "" : "\n").append(text);
            lines.append(" ").append(form).append(" [options]");
        }
        return lines;
    }
    for (const Operand& operand : command.operands) {
        const std::string name = operand.name + (operand.repeats ? "..." : "");
        text += operand.required ? " " + name : " [" + name + "]";
    }
    return text + " [options]";
}

std::string help_of(const Parsed& parsed, std::size_t width) {
    const Command& command = parsed.command();
    std::string text = command.summary + ".\n\n" + usage_lines(usage_of(parsed.title(), command));
    if (!command.details.empty()) text += "\n" + wrapped(command.details, 0, width) + "\n";
    std::vector<Entry> entries;
    entries.reserve(command.commands.size());
    for (const Command& sub : command.commands) {
        const bool usual = &sub == command.usual();
        entries.push_back({sub.name, sub.summary + (usual ? "; also without a word" : "")});
    }
    text += listed("Commands:", entries, width);
    entries.clear();
    for (const Operand& operand : command.operands) {
        entries.push_back({operand.name, text_of(operand)});
    }
    text += listed("Arguments:", entries, width);
    text += listed("Options:", entries_of(command.options), width);
    text += listed("Common options:", entries_of(common_options()), width);
    if (!command.examples.empty()) text += "\nExamples:\n";
    for (const Example& example : command.examples) {
        text += "  " + example.line + "\n";
        if (!example.says.empty()) text += "      " + wrapped(example.says, 6, width) + "\n";
    }
    return text;
}

}  // namespace belay::cli
