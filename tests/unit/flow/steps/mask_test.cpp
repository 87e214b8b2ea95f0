// Secrets in texts.
#include "flow/steps/mask.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace belay::flow {
namespace {

std::string mask(const std::vector<std::string>& secrets, std::string_view text) {
    return Masker(secrets).mask(text);
}

TEST(Mask, ASecretIsReplacedWhereverItStands) {
    EXPECT_EQ(mask({"hunter2"}, "hunter2 and hunter2!"), "*** and ***!");
    EXPECT_EQ(mask({"hunter2"}, "hunter 2, hunter"), "hunter 2, hunter");
    EXPECT_EQ(mask({}, "as it is"), "as it is");
}

TEST(Mask, SecretsThatOverlapHaveOneMark) {
    EXPECT_EQ(mask({"abcd", "cdef"}, "-abcdef-"), "-***-");
    EXPECT_EQ(mask({"abcd", "abcdef"}, "-abcdef-"), "-***-");
    EXPECT_EQ(mask({"aaaa"}, "-aaaaaa-"), "-***-");
    EXPECT_EQ(mask({"abcd", "efgh"}, "abcdefgh"), "***");
}

TEST(Mask, AShortSecretIsLeftAlone) {
    EXPECT_EQ(mask({"abc", ""}, "abcabc"), "abcabc");
    EXPECT_EQ(mask({"abcd"}, "abcd"), "***");
}

TEST(Mask, ItsFormInsideAJsonStringIsMaskedToo) {
    EXPECT_EQ(mask({"a\"b\\c\nd"}, R"({"x":"a\"b\\c\nd"})"), R"({"x":"***"})");
}

TEST(Mask, EachLongLineOfASecretIsMaskedByItself) {
    const std::string key = "-----BEGIN KEY-----\nMIIEvQIBADAN\n  }\n";
    EXPECT_EQ(mask({key}, "> MIIEvQIBADAN <\n  }\n"), "> *** <\n  }\n");
    EXPECT_EQ(mask({key}, "[" + key + "]"), "[***]");
}

TEST(Mask, TheBeginningOfATextEndsBeforeAPartOfASecret) {
    const Masker masker({"hunter2"});
    EXPECT_EQ(masker.mask_beginning("it is hunt"), "it is ");
    EXPECT_EQ(masker.mask("it is hunt"), "it is hunt");
}

TEST(Mask, ASecretIsMaskedHoweverItsTextIsCut) {
    const Masker masker({"abcabd", "bd-x", "zzz\nyyy\n"});
    const std::string_view text = "ab abcabcabd-x abcab\nzzz\nyyy\nzzz\ny abcabd";
    const std::string whole = masker.mask(text);
    EXPECT_EQ(whole, "ab abc*** abcab\n***zzz\ny ***");
    for (std::size_t size = 1; size <= text.size(); ++size) {
        StreamMasker stream(masker);
        std::string pieces;
        for (std::size_t at = 0; at < text.size(); at += size) {
            pieces += stream.push(text.substr(at, size));
        }
        pieces += stream.finish();
        EXPECT_EQ(pieces, whole) << "in pieces of " << size;
    }
}

TEST(Mask, OnlyAPossibleBeginningOfASecretIsHeldBack) {
    const Masker masker({"hunter2"});
    StreamMasker stream(masker);
    EXPECT_EQ(stream.push("line one\nh"), "line one\n");
    EXPECT_EQ(stream.push("u"), "");
    EXPECT_EQ(stream.push("t"), "hut");
    EXPECT_EQ(stream.push("hunter"), "");
    EXPECT_EQ(stream.finish(), "hunter");
}

}  // namespace
}  // namespace belay::flow
