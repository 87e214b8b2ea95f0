// The steps that a person chooses.
#include "flow/resume_choice.hpp"

#include <gtest/gtest.h>

namespace belay::flow {
namespace {

TEST(ResumeChoice, ReadsStepsItemsAndStepsOfSubFlows) {
    const ResumeChoice choice =
        read_choice({"list", "dump[3]", "dump[4]", "sub[1]/inner/deep"}).or_throw();
    EXPECT_TRUE(choice.whole.contains("list"));
    EXPECT_TRUE(choice.has_item("dump", 3));
    EXPECT_FALSE(choice.has_item("dump", 5));
    EXPECT_TRUE(choice.at("sub[1]").at("inner").whole.contains("deep"));
    EXPECT_TRUE(choice.at("sub[2]").empty());
    EXPECT_EQ(choice.mentioned(), (std::set<std::string>{"dump", "list", "sub"}));
}

TEST(ResumeChoice, RefusesWhatIsNoStep) {
    for (const char* const text : {"", "[3]", "dump[", "dump[x]", "dump[3", "dump[3]x", "sub/"}) {
        const auto choice = read_choice({text});
        ASSERT_FALSE(choice.ok()) << text;
        EXPECT_EQ(choice.error().code(), Errc::invalid_argument);
    }
}

}  // namespace
}  // namespace belay::flow
