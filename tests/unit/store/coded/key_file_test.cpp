#include "keys.hpp"
#include "support/temporary_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace belay::coded_tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kDigits = "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF";

class KeyFile : public ::testing::Test {
protected:
    Result<KeyRing> read(const std::string& text, std::filesystem::perms mode = kOwner) {
        std::ofstream(path_) << text;
        std::filesystem::permissions(path_, mode);
        return read_key_file(path_);
    }
    /// Why it is refused; says so without a key.
    std::string refusal(const std::string& text, std::filesystem::perms mode = kOwner) {
        const Result<KeyRing> keys = read(text, mode);
        if (keys.ok()) return "it is not";
        EXPECT_EQ(keys.error().code(), Errc::invalid_argument);
        EXPECT_THAT(keys.error().message(), Not(HasSubstr("2233")));
        EXPECT_THAT(keys.error().message(), HasSubstr(path_));
        return keys.error().message();
    }

    static constexpr auto kOwner =
        std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
    support::TemporaryDirectory directory_;
    std::string path_ = directory_.file("keys");
};

TEST_F(KeyFile, TheFirstKeyWrites) {
    std::string other = kDigits;
    other[0] = 'f';
    const Result<KeyRing> keys = read("# since May\n\n 8\t" + kDigits + "  # new\r\n7 " + other);
    ASSERT_TRUE(keys.ok()) << keys.error().message();
    EXPECT_EQ(keys->ids(), (std::vector<KeyId>{7, 8}));
    EXPECT_EQ(keys->writing(), 8U);
}

TEST_F(KeyFile, IsForItsOwnerAndItsGroupOnly) {
    using std::filesystem::perms;
    const std::string text = "7 " + kDigits;
    EXPECT_TRUE(read(text, kOwner | perms::group_read).ok());
    for (const perms mode : {perms::others_read, perms::others_write, perms::group_write}) {
        EXPECT_THAT(refusal(text, kOwner | mode), HasSubstr("chmod 600"));
    }
}

TEST_F(KeyFile, NonsenseIsReportedWithItsLine) {
    EXPECT_THAT(refusal("\n7 0011223344"), HasSubstr("line 2: a line is"));
    EXPECT_THAT(refusal("7 " + kDigits + "00"), HasSubstr("line 1: a line is"));
    EXPECT_THAT(refusal("7 " + kDigits + " x"), HasSubstr("line 1: a line is"));
    EXPECT_THAT(refusal("7" + kDigits), HasSubstr("line 1: a line is"));
    EXPECT_THAT(refusal("4294967296 " + kDigits), HasSubstr("line 1: a line is"));
    EXPECT_THAT(refusal("-1 " + kDigits), HasSubstr("line 1: a line is"));
    EXPECT_THAT(refusal(kDigits), HasSubstr("line 1: a line is"));
    EXPECT_THAT(refusal("7"), HasSubstr("line 1: a line is"));
    std::string other = kDigits;
    other[0] = 'f';
    EXPECT_THAT(refusal("7 " + kDigits + "\n7 " + other), HasSubstr("line 2: key 7 is another"));
    EXPECT_THAT(refusal("# nothing"), HasSubstr("has no key"));
    EXPECT_THAT(refusal(std::string(70'000, '#')), HasSubstr("too long"));
}

TEST_F(KeyFile, OneThatIsNotThere) {
    const Result<KeyRing> keys = read_key_file(directory_.file("none"));
    ASSERT_FALSE(keys.ok());
    EXPECT_EQ(keys.error().code(), Errc::unavailable);
    EXPECT_THAT(keys.error().message(), HasSubstr("No such file"));
}

}  // namespace
}  // namespace belay::coded_tests
