#include "base/sha256.hpp"

#include <gtest/gtest.h>

namespace belay::base {
namespace {

TEST(Sha256Test, GivesTheDigestsOfTheStandard) {
    EXPECT_EQ(short_hex(Sha256().finish()), "e3b0c44298fc1c149afbf4c8996fb924");
    EXPECT_EQ(short_hex(Sha256().add("abc").finish()), "ba7816bf8f01cfea414140de5dae2223");
}

TEST(Sha256Test, HashesWhatIsAddedInOrder) {
    EXPECT_EQ(Sha256().add("a").add("bc").finish(), Sha256().add("abc").finish());
    EXPECT_NE(Sha256().add("bc").add("a").finish(), Sha256().add("abc").finish());
}

}  // namespace
}  // namespace belay::base
