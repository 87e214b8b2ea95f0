#include "cli/completion.hpp"

#include <functional>

namespace belay::cli {

namespace {

using Visit = std::function<void(const std::string& path, const Command& command)>;

/// All commands with their full names, "belay held release" among them.
void for_each_command(const std::string& path, const Command& command, const Visit& visit) {
    visit(path, command);
    for (const Command& sub : command.commands) {
        for_each_command(path + " " + sub.name, sub, visit);
    }
}

std::vector<Option> options_of(const Command& command) {
    std::vector<Option> options = command.options;
    options.insert(options.end(), common_options().begin(), common_options().end());
    return options;
}

std::string spaced(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

/// `text` with `mark` before each quote: as shells want it between single quotes.
std::string with_quotes(std::string text, const std::string& replacement) {
    for (std::size_t at = text.find('\''); at != std::string::npos;
         at = text.find('\'', at + replacement.size())) {
        text.replace(at, 1, replacement);
    }
    return text;
}

/// The patterns by which a script finds out how far the words so far lead.
std::string all_paths(const Command& top, const std::string& separator) {
    std::string text;
    for_each_command(top.name, top, [&](const std::string& path, const Command& command) {
        if (&command != &top) text += (text.empty() ? "'" : separator + "'") + path + "'";
    });
    return text;
}

/// Words that can stand behind a command besides options: further commands, or the choices of its
/// operand.
std::vector<std::string> plain_words(const Command& command) {
    std::vector<std::string> words;
    words.reserve(command.commands.size());
    for (const Command& sub : command.commands) words.push_back(sub.name);
    if (!command.operands.empty()) {
        const std::vector<std::string>& choices = command.operands.front().choices;
        words.insert(words.end(), choices.begin(), choices.end());
    }
    return words;
}

bool takes_files(const Command& command) {
    for (const Operand& operand : command.operands) {
        if (operand.file) return true;
    }
    return false;
}

bool takes_ids(const Command& command) {
    return !command.operands.empty() && command.operands.front().instance;
}

/// Prints the ids of instances, the first line is a title. Never given to a shell as code: an id
/// may be `$(rm -r .)`.
constexpr const char* kListIds = "command belay list -o id --sort id --limit 200";

/// The functions of the script for bash that complete ids, with the store that the line names.
constexpr const char* kBashIds =
    "_belay_ids() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} word id i\n"
    "    local -a typed options\n"
    "    read -ra typed <<< \"$line\"\n"
    "    for ((i = 0; i < ${#typed[@]}; i++)); do\n"
    "        case ${typed[i]} in\n"
    "            --store | --space) options+=(\"${typed[i]}\" \"${typed[i + 1]}\") ;;\n"
    "            --store=* | --space=*) options+=(\"${typed[i]}\") ;;\n"
    "        esac\n"
    "    done\n"
    "    # Bash takes a word apart at colons, and wants back only the last part.\n"
    "    word=${line##*[[:space:]]}\n"
    "    [[ -n $word ]] && options+=(\"--prefix=$word\")\n"
    "    while IFS= read -r id; do\n"
    "        COMPREPLY+=(\"$(printf %q \"${id#\"${word%\"$1\"}\"}\")\")\n"
    "    done < <(@LIST@ \"${options[@]}\" 2>/dev/null | tail -n +2)\n"
    "}\n";

constexpr const char* kZshIds =
    "_belay_ids() {\n"
    "    local -a ids options\n"
    "    local i\n"
    "    for ((i = 2; i < CURRENT; i++)); do\n"
    "        case ${words[i]} in\n"
    "            --store | --space) options+=(${words[i]} ${(Q)words[i + 1]}) ;;\n"
    "            --store=* | --space=*) options+=(${(Q)words[i]}) ;;\n"
    "        esac\n"
    "    done\n"
    "    [[ -n $PREFIX ]] && options+=(--prefix=${(Q)PREFIX})\n"
    "    ids=(${(f)\"$(@LIST@ $options 2>/dev/null)\"})\n"
    "    compadd -- ${ids[2,-1]}\n"
    "}\n";

constexpr const char* kFishIds =
    "function __belay_ids\n"
    "    set -l typed (commandline -opc)\n"
    "    set -l options\n"
    "    for i in (seq (count $typed))\n"
    "        switch $typed[$i]\n"
    "            case --store --space\n"
    "                set -a options $typed[$i] $typed[(math $i + 1)]\n"
    "            case '--store=*' '--space=*'\n"
    "                set -a options $typed[$i]\n"
    "        end\n"
    "    end\n"
    "    set -l word (commandline -ct)\n"
    "    test -n \"$word\"; and set -a options --prefix=$word\n"
    "    @LIST@ $options 2>/dev/null | tail -n +2\n"
    "end\n";

std::string with_list(std::string script) {
    const std::string_view mark = "@LIST@";
    return script.replace(script.find(mark), mark.size(), kListIds);
}

}  // namespace

std::string bash_completion(const Command& top) {
    std::string values;
    std::string words;
    for_each_command(top.name, top, [&](const std::string& path, const Command& command) {
        std::vector<std::string> all = plain_words(command);
        for (const Option& option : options_of(command)) {
            all.push_back("--" + option.name);
            if (option.value.empty()) continue;
            values += "        '" + path + " --" + option.name + "') ";
            if (option.instance) {
                values += "_belay_ids \"$current\"";
            } else if (option.file) {
                values += "COMPREPLY=($(compgen -f -- \"$current\"))";
            } else {
                values +=
                    "COMPREPLY=($(compgen -W '" + spaced(option.choices) + "' -- \"$current\"))";
            }
            values += "; return ;;\n";
        }
        words += "        '" + path + "') words='" + spaced(all) + "'";
        if (takes_files(command)) words += "; files=1";
        words += takes_ids(command) ? "; ids=1 ;;\n" : " ;;\n";
    });
    return "# bash completion of belay; made by 'belay completion bash'\n" + with_list(kBashIds) +
           "_belay() {\n"
           "    COMPREPLY=()\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    local where=belay words= files= ids= i\n"
           "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
           "        case \"$where ${COMP_WORDS[i]}\" in\n"
           "            " +
           all_paths(top, " | ") +
           ") where=\"$where ${COMP_WORDS[i]}\" ;;\n"
           "        esac\n"
           "    done\n"
           "    case \"$where $previous\" in\n" +
           values +
           "    esac\n"
           "    case \"$where\" in\n" +
           words +
           "    esac\n"
           "    if [[ -n $ids && $current != -* ]]; then\n"
           "        _belay_ids \"$current\"\n"
           "        return\n"
           "    fi\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
           "    if [[ -n $files && $current != -* ]]; then\n"
           "        COMPREPLY+=($(compgen -f -- \"$current\"))\n"
           "    fi\n"
           "}\n"
           "complete -F _belay belay\n";
}

std::string zsh_completion(const Command& top) {
    const auto described = [](const std::string& name, const std::string& help) {
        return "'" + name + ":" + with_quotes(help, "'\\''") + "' ";
    };
    std::string values;
    std::string words;
    for_each_command(top.name, top, [&](const std::string& path, const Command& command) {
        words += "        '" + path + "') candidates=(";
        for (const Command& sub : command.commands) words += described(sub.name, sub.summary);
        if (command.commands.empty()) {
            for (const std::string& word : plain_words(command)) words += described(word, "");
        }
        for (const Option& option : options_of(command)) {
            words += described("--" + option.name, option.help);
            if (option.value.empty()) continue;
            values += "        '" + path + " --" + option.name + "') ";
            if (option.instance) {
                values += "_belay_ids";
            } else {
                values += option.file ? "_files" : "compadd -- " + spaced(option.choices);
            }
            values += "; return ;;\n";
        }
        words += ")";
        if (takes_files(command)) words += "; _files";
        words += takes_ids(command) ? "; _belay_ids ;;\n" : " ;;\n";
    });
    return "#compdef belay\n"
           "# made by 'belay completion zsh'\n" +
           with_list(kZshIds) +
           "_belay() {\n"
           "    local where=belay i\n"
           "    local -a candidates\n"
           "    for ((i = 2; i < CURRENT; i++)); do\n"
           "        case \"$where ${words[i]}\" in\n"
           "            " +
           all_paths(top, " | ") +
           ") where=\"$where ${words[i]}\" ;;\n"
           "        esac\n"
           "    done\n"
           "    case \"$where ${words[CURRENT-1]}\" in\n" +
           values +
           "    esac\n"
           "    case \"$where\" in\n" +
           words +
           "    esac\n"
           "    _describe -t words 'belay' candidates\n"
           "}\n"
           "if [[ $funcstack[1] == _belay ]]; then _belay \"$@\"; else compdef _belay belay; fi\n";
}

std::string fish_completion(const Command& top) {
    std::string lines;
    for_each_command(top.name, top, [&](const std::string& path, const Command& command) {
        const std::string at = "complete -c belay -n 'test (__belay_where) = \"" + path + "\"' ";
        const auto help = [](const std::string& text) {
            return "-d '" + with_quotes(text, "\\'") + "'\n";
        };
        for (const Command& sub : command.commands) {
            lines += at + "-a " + sub.name + " " + help(sub.summary);
        }
        if (command.commands.empty() && !plain_words(command).empty()) {
            lines += at + "-a '" + spaced(plain_words(command)) + "'\n";
        }
        if (takes_files(command)) lines += at + "-F\n";
        if (takes_ids(command)) lines += at + "-a '(__belay_ids)'\n";
        for (const Option& option : options_of(command)) {
            lines += at + "-l " + option.name + " ";
            if (!option.value.empty() && option.file) lines += "-r -F ";
            if (!option.value.empty() && !option.file) {
                lines += "-x ";
                if (option.instance) lines += "-a '(__belay_ids)' ";
                if (!option.choices.empty()) lines += "-a '" + spaced(option.choices) + "' ";
            }
            lines += help(option.help);
        }
    });
    return "# fish completion of belay; made by 'belay completion fish'\n"
           "function __belay_where\n"
           "    set -l where belay\n"
           "    for word in (commandline -opc)[2..-1]\n"
           "        switch \"$where $word\"\n"
           "            case " +
           all_paths(top, " ") +
           "\n"
           "                set where \"$where $word\"\n"
           "        end\n"
           "    end\n"
           "    echo $where\n"
           "end\n"
           "complete -c belay -f\n" +
           with_list(kFishIds) + lines;
}

}  // namespace belay::cli
