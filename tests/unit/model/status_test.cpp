#include <belay/status.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace belay {
namespace {

template <class Enum>
std::size_t distinct_names(int first, int last) {
    std::set<std::string_view> names;
    for (int value = first; value <= last; ++value)
        names.insert(to_string(static_cast<Enum>(value)));
    EXPECT_FALSE(names.contains("unknown"));
    EXPECT_EQ(to_string(static_cast<Enum>(last + 1)), "unknown");
    return names.size();
}

TEST(Status, EveryValueHasANameOfItsOwn) {
    EXPECT_EQ(distinct_names<Status>(1, 8), 8U);
    EXPECT_EQ(distinct_names<FailureKind>(1, 8), 8U);
    EXPECT_EQ(distinct_names<CancelSource>(1, 4), 4U);
    EXPECT_EQ(distinct_names<Cleanup>(1, 6), 6U);
}

TEST(Status, FourAreTerminal) {
    for (const Status status :
         {Status::completed, Status::failed, Status::canceled, Status::skipped}) {
        EXPECT_TRUE(is_terminal(status)) << to_string(status);
    }
    for (const Status status :
         {Status::pending, Status::running, Status::canceling, Status::continued_as_new}) {
        EXPECT_FALSE(is_terminal(status)) << to_string(status);
    }
}

}  // namespace
}  // namespace belay
