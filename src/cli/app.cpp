#include "cli/app.hpp"

#include "cli/commands/all.hpp"
#include "cli/text.hpp"

#include <algorithm>

namespace belay::cli {

namespace {

constexpr std::size_t kHelpWidth = 100;

std::string name_of(Exit code) {
    switch (code) {
        case Exit::ok: return "ok";
        case Exit::failed: return "failed";
        case Exit::usage: return "usage";
        case Exit::not_found: return "not_found";
        case Exit::refused: return "refused";
        case Exit::trouble: return "trouble";
        case Exit::timed_out: return "timed_out";
        case Exit::unknown: return "unknown";
        case Exit::canceled: return "canceled";
        case Exit::invalid: return "invalid";
        case Exit::left: return "left";
    }
    return "unknown";
}

Exit report(Terminal& terminal, const Problem& problem, bool json) {
    if (json) {
        JsonWriter document;
        document.open_object().key("error").open_object();
        document.field("kind", name_of(problem.exit())).field("message", problem.what());
        if (!problem.advice().empty()) document.field("advice", problem.advice());
        if (!problem.before().empty()) {
            document.key("before").open_object();
            for (const auto& [what, count] : problem.before()) document.field(what, count);
            document.close_object();
        }
        document.close_object().close_object();
        terminal.err << document.str() << "\n";
    } else {
        terminal.err << "belay: " << safe_lines(problem.what()) << "\n";
        if (!problem.advice().empty()) terminal.err << "       " << problem.advice() << "\n";
    }
    return problem.exit();
}

/// Understands what people try first: `belay help show` and `belay --version`.
std::vector<std::string> as_commands(std::vector<std::string> words) {
    if (!words.empty() && words.front() == "help") {
        words.erase(words.begin());
        words.emplace_back("--help");
    } else if (words.size() == 1 && words.front() == "--version") {
        words.front() = "version";
    }
    return words;
}

}  // namespace

const Command& top_command() {
    static const Command kTop{
        .name = "belay",
        .summary = "Looks after durable runs: starts, finds, stops and removes them",
        .examples = {{"belay --store sqlite:orders.db list", "the runs of a file"},
                     {"belay COMMAND --help", "what a command does, with examples"}},
        .commands = all_commands(),
    };
    return kTop;
}

Exit run(const std::vector<std::string>& words,
         Terminal& terminal,
         const Environment& environment,
         const OpenStore& open) {
    // Also for mistakes before the words are understood.
    const bool json = std::ranges::find(words, "--json") != words.end();
    try {
        if (words.empty()) {
            terminal.err << help_of({{&top_command()}, {}}, std::min(terminal.width, kHelpWidth));
            return Exit::usage;
        }
        const Parsed parsed = parse(top_command(), as_commands(words));
        if (parsed.arguments.has("help")) {
            terminal.out << help_of(parsed, std::min(terminal.width, kHelpWidth));
            return Exit::ok;
        }
        Context context(terminal, environment, open, parsed.arguments);
        return parsed.command().run(context, parsed.arguments);
    } catch (const Problem& problem) {
        return report(terminal, problem, json);
    } catch (const std::exception& problem) {
        return report(terminal, Problem(Exit::trouble, problem.what()), json);
    }
}

}  // namespace belay::cli
