#include "cli/command.hpp"
#include "cli/text.hpp"

#include <algorithm>

namespace belay::cli {

namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kWidestName = 28;

/// Words of `text` on lines of at most `width`, each begun by `indent` spaces but the first.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
    std::string result;
    std::size_t column = indent;
    const std::size_t most = std::max(width, indent + 20);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (column > indent && column + 1 + columns_of(word) > most) {
            result += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (column > indent) {
            result += ' ';
            ++column;
        }
        result += word;
        column += columns_of(word);
    }
    return result;
}

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

std::vector<Entry> entries_of(const std::vector<Option>& options) {
    std::vector<Entry> entries;
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
         .help = "the store, as sqlite:PATH; else $BELAY_STORE, else the configuration file",
         .file = true},
        {.name = "space",
         .value = "NAME",
         .help = "the namespace; else $BELAY_SPACE, else default"},
        {.name = "json", .help = "print JSON, for scripts"},
        {.name = "help", .help = "print this"},
    };
    return kOptions;
}

std::string term_of(const Option& option) {
    return "--" + option.name + (option.value.empty() ? "" : " " + option.value);
}

std::string text_of(const Option& option) {
    return help_text(option.help, option.choices) + (option.repeats ? "; may be repeated" : "");
}

std::string text_of(const Operand& operand) { return help_text(operand.help, operand.choices); }

std::string usage_of(const std::string& title, const Command& command) {
    std::string text = title;
    if (!command.commands.empty()) return text + " COMMAND";
    for (const Operand& operand : command.operands) {
        const std::string name = operand.name + (operand.repeats ? "..." : "");
        text += operand.required ? " " + name : " [" + name + "]";
    }
    return text + " [options]";
}

std::string help_of(const Parsed& parsed, std::size_t width) {
    const Command& command = parsed.command();
    std::string text = command.summary + ".\n\nUsage: " + usage_of(parsed.title(), command) + "\n";
    if (!command.details.empty()) text += "\n" + wrapped(command.details, 0, width) + "\n";
    std::vector<Entry> entries;
    entries.reserve(command.commands.size());
    for (const Command& sub : command.commands) entries.push_back({sub.name, sub.summary});
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
