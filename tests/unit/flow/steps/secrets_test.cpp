// Secrets in the place of their marks.
#include "flow/steps/secrets.hpp"

#include "support/temporary_directory.hpp"
#include <belay/exceptions.hpp>

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace belay::flow {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class SecretsTest : public ::testing::Test {
protected:
    SecretsTest() { sources.nonce = "n0nce"; }
    void from_env(const std::string& name, const std::string& variable, const char* value) {
        if (value != nullptr) ::setenv(variable.c_str(), value, 1);
        if (value == nullptr) ::unsetenv(variable.c_str());
        sources.secrets.push_back(Secret{.name = name, .place = {}, .env = variable});
    }
    void from_file(const std::string& name, const std::string& content) {
        const std::string path = directory.file(name);
        std::ofstream(path) << content;
        sources.secrets.push_back(Secret{.name = name, .place = {}, .file = path});
    }
    [[nodiscard]] static std::string mark(const std::string& name) {
        return secret_mark("n0nce", name);
    }
    [[nodiscard]] Failure failure_of(const std::string& text) const {
        try {
            return {.message = "filled: " + Secrets(sources).fill(text)};
        } catch (const OperationFailed& failed) {
            return failed.failure();
        }
    }

    SecretSources sources;
    support::TemporaryDirectory directory;
};

TEST_F(SecretsTest, MarksAreReplacedFromTheEnvironmentAndFromFiles) {
    from_env("token", "BELAY_TEST_TOKEN", "t0ken");
    from_file("key", "k3y\n\n");
    const Secrets secrets(sources);
    EXPECT_EQ(secrets.fill("Bearer " + mark("token") + mark("key") + "."), "Bearer t0kenk3y\n.");
    EXPECT_EQ(secrets.fill("<secret other token>"), "<secret other token>");
    EXPECT_TRUE(secrets.has_mark(mark("token")));
    EXPECT_FALSE(secrets.has_mark("token"));
}

TEST_F(SecretsTest, ASecretThatLooksLikeAMarkIsNotFilledAgain) {
    from_env("a", "BELAY_TEST_A", mark("b").c_str());
    from_env("b", "BELAY_TEST_B", "bbbb");
    EXPECT_EQ(Secrets(sources).fill(mark("a")), mark("b"));
}

TEST_F(SecretsTest, InADocumentOfJsonSecretsAreEscaped) {
    from_env("token", "BELAY_TEST_TOKEN", "a\"b\nc");
    const Secrets secrets(sources);
    EXPECT_EQ(secrets.fill_document(R"({"t":")" + mark("token") + "\"}"), R"({"t":"a\"b\nc"})");
    EXPECT_EQ(secrets.fill_document("t=" + mark("token")), "t=a\"b\nc");
}

TEST_F(SecretsTest, AMissingSecretIsAFailureThatNamesItAndItsSource) {
    from_env("token", "BELAY_TEST_UNSET", nullptr);
    from_env("empty", "BELAY_TEST_EMPTY", "");
    sources.secrets.push_back(Secret{.name = "key", .place = {}, .file = "/no/such/file"});
    sources.secrets.push_back(Secret{.name = "folder", .place = {}, .file = directory.path()});
    from_file("big", std::string(kLongestSecret + 1, 'x'));
    const Failure failure = failure_of("x" + mark("token"));
    EXPECT_EQ(failure.message,
              "secret 'token' cannot be read from environment variable BELAY_TEST_UNSET: it is "
              "not set");
    EXPECT_EQ(failure.type, "secret");
    EXPECT_FALSE(failure.retryable);
    EXPECT_THAT(failure_of(mark("empty")).message, HasSubstr("it is empty"));
    EXPECT_EQ(failure_of(mark("key")).message,
              "secret 'key' cannot be read from file '/no/such/file': No such file or directory");
    EXPECT_THAT(failure_of(mark("folder")).message, HasSubstr("not a regular file"));
    EXPECT_THAT(failure_of(mark("big")).message, HasSubstr("more than 65536 bytes"));
    EXPECT_EQ(failure_of(mark("other")).message, "secret 'other' is not defined in this flow");
    EXPECT_THAT(failure_of("<secret n0nce tok").message, HasSubstr("cut in two"));
    EXPECT_EQ(failure_of("none").message, "filled: none") << "what is not used may be missing";
}

TEST_F(SecretsTest, AllThatCanBeReadAreMaskedAndShortOnesAreNamed) {
    from_env("token", "BELAY_TEST_TOKEN", "t0ken");
    from_env("pin", "BELAY_TEST_PIN", "123");
    from_env("missing", "BELAY_TEST_UNSET", nullptr);
    const Secrets secrets(sources);
    EXPECT_EQ(secrets.masker({"more"}).mask("t0ken 123 more"), "*** 123 ***");
    EXPECT_THAT(secrets.too_short(), ElementsAre("pin"));
}

}  // namespace
}  // namespace belay::flow
