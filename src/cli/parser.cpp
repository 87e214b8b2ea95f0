#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/text.hpp"

#include <algorithm>
#include <numeric>

namespace belay::cli {

namespace {

std::string in_quotes(std::string_view word) { return "'" + safe(word) + "'"; }

/// The number of characters that must be changed, added or taken away.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

std::string meant(std::string_view word, const std::vector<std::string>& names) {
    const std::string name = nearest(word, names);
    return name.empty() ? "" : "; did you mean '" + name + "'?";
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

/// "-5" is a value, and "-" the standard input.
bool looks_like_option(const std::string& word) {
    return word.size() > 1 && word[0] == '-' && (word[1] < '0' || word[1] > '9');
}

void require_choice(const std::string& what,
                    const std::string& value,
                    const std::vector<std::string>& choices) {
    if (choices.empty() || std::ranges::find(choices, value) != choices.end()) return;
    throw usage_problem(what + " cannot be " + in_quotes(value) + "; it is one of " +
                        joined(choices));
}

}  // namespace

/// Goes through the words once.
class Parser {
public:
    Parser(const Command& top, const std::vector<std::string>& words) : words_(words) {
        parsed_.path.push_back(&top);
    }

    Parsed parse() {
        bool only_operands = false;
        while (at_ < words_.size()) {
            const std::string& word = words_[at_++];
            if (!only_operands && word == "--") {
                only_operands = true;
            } else if (!only_operands && word.starts_with("--")) {
                option(word.substr(2));
            } else if (!only_operands && looks_like_option(word)) {
                short_option(word);
            } else if (!command().commands.empty()) {
                subcommand(word);
            } else {
                parsed_.arguments.operands_.push_back(word);
            }
        }
        if (parsed_.arguments.has("help")) return std::move(parsed_);
        if (const Command* usual = command().usual()) parsed_.path.push_back(usual);
        check();
        return std::move(parsed_);
    }

private:
    [[nodiscard]] const Command& command() const { return parsed_.command(); }
    [[nodiscard]] std::string title() const { return parsed_.title(); }
    [[nodiscard]] std::string help_advice() const {
        return "'" + title() + " --help' shows what it takes";
    }

    void given(std::string name, std::string value) {
        parsed_.arguments.given_.push_back({std::move(name), std::move(value)});
    }

    void subcommand(const std::string& word) {
        std::vector<std::string> names;
        for (const Command& sub : command().commands) {
            if (sub.name == word) {
                parsed_.path.push_back(&sub);
                return;
            }
            names.push_back(sub.name);
        }
        throw usage_problem(
            in_quotes(title()) + " has no command " + in_quotes(word) + meant(word, names),
            help_advice());
    }

    template <class Called>
    [[nodiscard]] const Option* find(Called called) {
        const auto own = std::ranges::find_if(command().options, called);
        if (own != command().options.end()) return &*own;
        const auto common = std::ranges::find_if(common_options(), called);
        if (common != common_options().end()) return &*common;
        // "belay held --limit 3" is about the command that runs without a word.
        const Command* usual = command().usual();
        if (usual == nullptr || std::ranges::none_of(usual->options, called)) return nullptr;
        parsed_.path.push_back(usual);
        return find(called);
    }

    /// "-o id,status", "-oid,status", or "-y".
    void short_option(const std::string& word) {
        const Option* known = find([&](const Option& option) { return option.letter == word[1]; });
        if (known == nullptr || (known->value.empty() && word.size() > 2)) {
            throw usage_problem("unknown option " + in_quotes(word) + " of " + in_quotes(title()),
                                help_advice());
        }
        option(known->name + (word.size() > 2 ? "=" + word.substr(2) : ""));
    }

    void option(const std::string& text) {
        const std::size_t equals = text.find('=');
        const std::string name = text.substr(0, equals);
        const Option* known = find([&](const Option& one) { return one.name == name; });
        if (known == nullptr) {
            std::vector<std::string> names;
            for (const Option& one : command().options) names.push_back("--" + one.name);
            for (const Option& one : common_options()) names.push_back("--" + one.name);
            throw usage_problem("unknown option " + in_quotes("--" + name) + " of " +
                                    in_quotes(title()) + meant("--" + name, names),
                                help_advice());
        }
        if (!known->repeats && !known->value.empty() && parsed_.arguments.has(name)) {
            throw usage_problem("--" + name + " is said twice", help_advice());
        }
        if (known->value.empty()) {
            if (equals != std::string::npos) {
                throw usage_problem("--" + name + " takes no value");
            }
            given(name, "");
            return;
        }
        std::string value;
        if (equals != std::string::npos) {
            value = text.substr(equals + 1);
        } else if (at_ < words_.size()) {
            value = words_[at_++];
        } else {
            throw usage_problem("--" + name + " needs a value: " + known->value, help_advice());
        }
        require_choice("--" + name, value, known->choices);
        // Mostly a variable of a script that is not set. Taken for "not said", it would start
        // something a second time, or change more than was meant.
        if (value.empty() && !known->may_be_empty) {
            throw usage_problem("--" + name + " is empty", "leave it out, or give it a value");
        }
        given(name, std::move(value));
    }

    void check() {
        if (!command().commands.empty()) {
            std::vector<std::string> names;
            for (const Command& sub : command().commands) names.push_back(sub.name);
            throw usage_problem(in_quotes(title()) + " needs a command: " + joined(names),
                                help_advice());
        }
        const std::vector<std::string>& operands = parsed_.arguments.operands_;
        std::size_t used = 0;
        for (const Operand& operand : command().operands) {
            if (used >= operands.size()) {
                if (!operand.required) break;
                throw usage_problem(
                    in_quotes(title()) + " needs " + operand.name + ": " + operand.help,
                    help_advice());
            }
            const std::size_t end = operand.repeats ? operands.size() : used + 1;
            for (; used < end; ++used) {
                require_choice(operand.name, operands[used], operand.choices);
            }
        }
        if (used < operands.size()) {
            throw usage_problem(
                "too many words for " + in_quotes(title()) + ": " + in_quotes(operands[used]),
                help_advice());
        }
    }

    const std::vector<std::string>& words_;
    std::size_t at_ = 0;
    Parsed parsed_;
};

Parsed parse(const Command& top, const std::vector<std::string>& words) {
    return Parser(top, words).parse();
}

std::string Parsed::title() const {
    std::string text;
    for (const Command* command : path) text += (text.empty() ? "" : " ") + command->name;
    return text;
}

bool Arguments::has(std::string_view option) const {
    return std::ranges::any_of(given_, [&](const Given& one) { return one.option == option; });
}

std::optional<std::string> Arguments::value(std::string_view option) const {
    const std::vector<std::string> all = values(option);
    if (all.empty()) return std::nullopt;
    return all.back();
}

std::string Arguments::value_or(std::string_view option, std::string otherwise) const {
    return value(option).value_or(std::move(otherwise));
}

std::vector<std::string> Arguments::values(std::string_view option) const {
    std::vector<std::string> found;
    for (const Given& one : given_) {
        if (one.option == option) found.push_back(one.value);
    }
    return found;
}

std::string nearest(std::string_view word, const std::vector<std::string>& names) {
    constexpr std::size_t kLongest = 64;
    std::string best;
    // A third of it may be wrong, or two letters that changed places.
    const std::size_t wrong = word.size() < 4 ? 1 : std::max<std::size_t>(word.size() / 3, 2);
    std::size_t least = wrong + 1;
    if (word.size() > kLongest) return best;
    for (const std::string& name : names) {
        const std::size_t away = distance(word, name);
        const bool begins = word.size() >= 3 && name.starts_with(word);
        if (away < least || (begins && best.empty())) {
            best = name;
            least = std::min(away, least);
        }
    }
    return best;
}

}  // namespace belay::cli
