// The manual page: everything that --help says is on it, and nothing of it is taken for a request.
#include "cli/man_page.hpp"

#include "cli/app.hpp"
#include "cli/exit_code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace belay::cli::man_page_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Exit nothing(Context&, const Arguments&) { return Exit::ok; }

std::string page_of(Command command) {
    return man_page({.name = "tool", .summary = "Does things", .commands = {std::move(command)}},
                    "1.2.3");
}

std::string with_dashes_marked(const std::string& text) {
    std::string result;
    for (const char character : text) {
        if (character == '-') result += '\\';
        result += character;
    }
    return result;
}

void expect_all_of(const std::string& title, const Command& command, const std::string& page) {
    if (command.run != nullptr) {
        EXPECT_THAT(page, HasSubstr(".SS \"" + with_dashes_marked(title) + "\"\n"));
        for (const Option& option : command.options) {
            EXPECT_THAT(page, HasSubstr(with_dashes_marked("--" + option.name)));
        }
    }
    for (const Command& sub : command.commands) expect_all_of(title + " " + sub.name, sub, page);
}

TEST(ManPage, HasEveryCommandAndOption) {
    const std::string page = man_page(top_command(), "0.0.0");
    EXPECT_THAT(page, StartsWith(".TH BELAY 1 \"\" \"belay 0.0.0\""));
    ASSERT_FALSE(top_command().commands.empty());
    for (const Command& command : top_command().commands) {
        expect_all_of("belay " + command.name, command, page);
    }
}

TEST(ManPage, TakesNoTextForARequest) {
    const std::string page =
        page_of({.name = "x",
                 .summary = "'Quoted' first",
                 .details = ".hidden files, a\\b and \"quotes\"",
                 .options = {{.name = "say", .value = "\"A\"", .help = "-1 or\n.more"}},
                 .run = nothing});
    EXPECT_THAT(page, HasSubstr("\n\\&'Quoted' first.\n"));
    EXPECT_THAT(page, HasSubstr("\n\\&.hidden files, a\\eb and \"quotes\"\n"));
    EXPECT_THAT(page, HasSubstr(".B \"\\-\\-say \\(dqA\\(dq\"\n\\-1 or\n\\&.more\n"));
}

TEST(ManPage, HasOnlyRequestsOnLinesThatBeginLikeOne) {
    std::istringstream page(man_page(top_command(), "0.0.0"));
    for (std::string line; std::getline(page, line);) {
        EXPECT_THAT(line, Not(StartsWith("'")));
        if (line.starts_with('.')) {
            const std::string request = line.substr(1, line.find(' ') - 1);
            EXPECT_THAT(
                request,
                ::testing::AnyOf("TH", "SH", "SS", "TP", "B", "PP", "nf", "fi", "RS", "RE"));
        }
    }
}

TEST(ManPage, ShowsUsageAndExamplesAsTheyAre) {
    const std::string page = page_of({.name = "send",
                                      .summary = "Send",
                                      .operands = {{.name = "ID", .help = "which"}},
                                      .examples = {{"tool send  7", "the seventh"}},
                                      .run = nothing});
    EXPECT_THAT(page, HasSubstr(".nf\n.RS 4\ntool send ID [options]\n.RE\n.fi\n"));
    EXPECT_THAT(page, HasSubstr("Example: the seventh:\n.PP\n.nf\n.RS 4\ntool send  7\n"));
}

}  // namespace
}  // namespace belay::cli::man_page_test
