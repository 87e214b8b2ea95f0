// The meaning of a command line, its error messages, and completion by shells.
#include "cli/app.hpp"
#include "cli/completion.hpp"
#include "cli/exit_code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Exit nothing(Context&, const Arguments&) { return Exit::ok; }

Command small() {
    return {
        .name = "tool",
        .summary = "Does things",
        .commands = {
            {.name = "send",
             .summary = "Send something",
             .operands = {{.name = "ID", .help = "which"},
                          {.name = "VALUE", .help = "what", .required = false, .repeats = true}},
             .options =
                 {{.name = "force", .help = "do it"},
                  {.name = "mode", .value = "MODE", .help = "how", .choices = {"fast", "slow"}},
                  {.name = "label", .value = "L", .help = "which", .repeats = true},
                  {.name = "note", .value = "TEXT", .help = "why", .may_be_empty = true}},
             .run = nothing},
            {.name = "held",
             .summary = "Nested",
             .commands = {{.name = "list", .summary = "List", .run = nothing}}}}};
}

std::string mistake(const std::vector<std::string>& words) {
    const Command top = small();
    try {
        (void)parse(top, words);
    } catch (const Problem& problem) {
        EXPECT_EQ(problem.exit(), Exit::usage);
        return problem.what();
    }
    return "none";
}

TEST(CliParser, OptionsStandAnywhere) {
    const Command top = small();
    const Parsed parsed = parse(
        top, {"--store", "sqlite:x", "send", "--force", "a", "--mode=fast", "b", "--json", "-5"});
    EXPECT_EQ(parsed.title(), "tool send");
    EXPECT_THAT(parsed.arguments.operands(), ElementsAre("a", "b", "-5"));
    EXPECT_TRUE(parsed.arguments.has("force"));
    EXPECT_TRUE(parsed.arguments.has("json"));
    EXPECT_EQ(parsed.arguments.value("mode"), "fast");
    EXPECT_EQ(parsed.arguments.value("store"), "sqlite:x");
}

TEST(CliParser, BehindTwoDashesThereAreNoOptions) {
    const Command top = small();
    const Parsed parsed = parse(top, {"send", "a", "--", "--force", "-x"});
    EXPECT_THAT(parsed.arguments.operands(), ElementsAre("a", "--force", "-x"));
    EXPECT_FALSE(parsed.arguments.has("force"));
}

TEST(CliParser, OptionsRepeatAndTheLastOneCounts) {
    const Command top = small();
    const Parsed parsed = parse(top, {"send", "a", "--label", "x", "--label", "-y"});
    EXPECT_THAT(parsed.arguments.values("label"), ElementsAre("x", "-y"));
    EXPECT_EQ(parsed.arguments.value("label"), "-y");
}

TEST(CliParser, AnEmptyValueIsNotTakenForNone) {
    EXPECT_EQ(mistake({"send", "a", "--label", ""}), "--label is empty");
    EXPECT_EQ(mistake({"send", "a", "--label="}), "--label is empty");
    const Command top = small();
    const Parsed parsed = parse(top, {"send", "a", "--note", ""});
    EXPECT_EQ(parsed.arguments.value("note"), "");
}

TEST(CliParser, MistakesNameTheWord) {
    EXPECT_EQ(mistake({"sned"}), "'tool' has no command 'sned'; did you mean 'send'?");
    EXPECT_EQ(mistake({"send", "a", "--forse"}),
              "unknown option '--forse' of 'tool send'; did you mean '--force'?");
    EXPECT_EQ(mistake({"send", "a", "-f"}), "unknown option '-f' of 'tool send'");
    EXPECT_EQ(mistake({"send"}), "'tool send' needs ID: which");
    EXPECT_EQ(mistake({"send", "a", "--mode"}), "--mode needs a value: MODE");
    EXPECT_EQ(mistake({"send", "a", "--mode", "odd"}),
              "--mode cannot be 'odd'; it is one of fast, slow");
    EXPECT_EQ(mistake({"send", "a", "--force=yes"}), "--force takes no value");
    EXPECT_EQ(mistake({"held"}), "'tool held' needs a command: list");
    EXPECT_EQ(mistake({"held", "list", "x"}), "too many words for 'tool held list': 'x'");
    EXPECT_EQ(mistake({"a\x1b[1m"}), "'tool' has no command 'a\\x1b[1m'");
}

TEST(CliParser, HelpNeedsNothingElse) {
    const Command top = small();
    const Parsed parsed = parse(top, {"send", "--help"});
    const std::string text = help_of(parsed, 80);
    EXPECT_THAT(text, HasSubstr("Usage: tool send ID [VALUE...] [options]"));
    EXPECT_THAT(text, HasSubstr("--mode MODE  how (fast, slow)"));
    EXPECT_THAT(text, HasSubstr("--store URL"));
}

void expect_described(const Command& command, const std::string& path) {
    EXPECT_FALSE(command.summary.empty()) << path;
    EXPECT_FALSE(command.summary.ends_with('.')) << path;
    EXPECT_NE(command.run != nullptr, !command.commands.empty()) << path;
    if (command.run != nullptr) {
        EXPECT_FALSE(command.examples.empty()) << path << " has no example";
    }
    for (const Option& option : command.options) {
        EXPECT_FALSE(option.help.empty()) << path << " --" << option.name;
        for (const Option& common : common_options()) {
            EXPECT_NE(option.name, common.name) << path << " hides a common option";
        }
    }
    for (const Operand& operand : command.operands) EXPECT_FALSE(operand.help.empty()) << path;
    for (const Command& sub : command.commands) expect_described(sub, path + " " + sub.name);
}

TEST(CliCommands, AllAreDescribedAndHaveExamples) { expect_described(top_command(), "belay"); }

void expect_examples_parse(const Command& command) {
    for (const Example& example : command.examples) {
        // The words before the first quote, pipe or redirection are enough to find the command.
        std::istringstream in(example.line);
        std::vector<std::string> words;
        std::string word;
        in >> word;
        EXPECT_EQ(word, "belay") << example.line;
        while (in >> word && word.find_first_of("|>'\"") == std::string::npos) {
            words.push_back(word);
        }
        words.emplace_back("--help");
        if (words.front() != "COMMAND") {
            EXPECT_NO_THROW((void)parse(top_command(), words)) << example.line;
        }
    }
    for (const Command& sub : command.commands) expect_examples_parse(sub);
}

TEST(CliCommands, TheOptionsOfExamplesExist) { expect_examples_parse(top_command()); }

TEST(CliCompletion, KnowsCommandsOptionsAndChoices) {
    for (const std::string& script : {bash_completion(top_command()),
                                      zsh_completion(top_command()),
                                      fish_completion(top_command())}) {
        EXPECT_THAT(script, HasSubstr("belay keys free"));
        EXPECT_THAT(script, HasSubstr("on-conflict"));
        EXPECT_THAT(script, HasSubstr("use-existing"));
    }
}

}  // namespace
}  // namespace belay::cli
