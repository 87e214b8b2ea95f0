// Requests of steps as JSON.
#include "flow/steps/requests.hpp"
#include <belay/exceptions.hpp>

#include <gmock/gmock.h>

#include <csignal>
#include <cstdint>
#include <limits>
#include <string>

namespace belay::flow {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

template <class Request>
std::string problem_of(const std::string& json, PayloadCodec codec = PayloadCodec::json) {
    try {
        static_cast<void>(Codec<Request>::decode(Payload(codec, json)));
        return "none";
    } catch (const DecodeError& problem) {
        return problem.what();
    }
}

Secret secret_from(const std::string& name, const std::string& env, const std::string& file) {
    return Secret{.name = name, .place = {}, .env = env, .file = file};
}

TEST(RequestCodec, AProgramComesBackWithAllItsFields) {
    ProgramRequest request{.step = "dump"};
    request.item = std::numeric_limits<std::uint64_t>::max();
    request.program = {"pg_dump", "", "a \"b\"\n\x01"};
    request.env = {{"DB", "één"}, {"DB", "twice"}};
    request.directory = "out";
    request.input = std::string("a\0b", 3);
    request.output = OutputForm::lines;
    request.stop_signal = SIGUSR2;
    request.retry_only = {75, -1};
    request.secrets = {"n1", {secret_from("t", "TOKEN", ""), secret_from("k", "", "/run/k")}};
    const ProgramRequest back =
        Codec<ProgramRequest>::decode(Codec<ProgramRequest>::encode(request));
    EXPECT_EQ(back.step, "dump");
    EXPECT_EQ(back.item, std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(back.program, request.program);
    EXPECT_EQ(back.script, "");
    EXPECT_THAT(back.env, ElementsAre(Pair("DB", "één"), Pair("DB", "twice")));
    EXPECT_EQ(back.directory, "out");
    EXPECT_EQ(back.input, request.input);
    EXPECT_EQ(back.output, OutputForm::lines);
    EXPECT_EQ(back.stop_signal, SIGUSR2);
    EXPECT_THAT(back.retry_only, ElementsAre(75, -1));
    EXPECT_EQ(back.secrets.nonce, "n1");
    ASSERT_EQ(back.secrets.secrets.size(), 2U);
    EXPECT_EQ(back.secrets.secrets[0].env, "TOKEN");
    EXPECT_EQ(back.secrets.secrets[1].file, "/run/k");
}

TEST(RequestCodec, AnHttpRequestComesBackWithAllItsFields) {
    HttpRequest request{.step = "upload"};
    request.item = 7;
    request.method = "POST";
    request.url = "https://example.org/";
    request.headers = {{"A", "b"}, {"A", "c"}};
    request.body = "{}";
    request.expect = {200, 201};
    request.retry_only = {503};
    request.follow = false;
    request.secrets = {"n1", {secret_from("t", "TOKEN", "")}};
    const HttpRequest back = Codec<HttpRequest>::decode(Codec<HttpRequest>::encode(request));
    EXPECT_EQ(back.item, 7U);
    EXPECT_EQ(back.method, "POST");
    EXPECT_EQ(back.url, "https://example.org/");
    EXPECT_THAT(back.headers, ElementsAre(Pair("A", "b"), Pair("A", "c")));
    EXPECT_EQ(back.body, "{}");
    EXPECT_THAT(back.expect, ElementsAre(200, 201));
    EXPECT_THAT(back.retry_only, ElementsAre(503));
    EXPECT_FALSE(back.follow);
    EXPECT_EQ(back.secrets.secrets.size(), 1U);
}

TEST(RequestCodec, ARequestOfALaterReleaseIsReadWithoutItsUnknownFields) {
    const ProgramRequest program = Codec<ProgramRequest>::decode(Payload(
        PayloadCodec::json, R"({"step":"a","script":"true","nice":{"x":[1]},"item":null})"));
    EXPECT_EQ(program.script, "true");
    EXPECT_EQ(program.item, std::nullopt);
    EXPECT_EQ(program.output, OutputForm::text);
    EXPECT_EQ(program.stop_signal, SIGTERM);
    const HttpRequest http = Codec<HttpRequest>::decode(
        Payload(PayloadCodec::json, R"({"step":"a","url":"http://x/","version":3})"));
    EXPECT_EQ(http.method, "GET");
    EXPECT_TRUE(http.follow);
}

TEST(RequestCodec, AMistakeIsNamedWithItsFieldAndPlace) {
    EXPECT_EQ(problem_of<ProgramRequest>("x", PayloadCodec::text),
              "the request of a program is not JSON");
    EXPECT_THAT(problem_of<ProgramRequest>(R"({"step": })"), HasSubstr("line 1, column 10"));
    EXPECT_EQ(problem_of<ProgramRequest>("[]"), "the request of a program is not an object");
    EXPECT_EQ(problem_of<ProgramRequest>("{}"),
              "the request of a program needs a string in 'step'");
    EXPECT_EQ(problem_of<ProgramRequest>(R"({"step":"a"})"),
              "the request of a program needs one of 'program' and 'script'");
    EXPECT_EQ(problem_of<ProgramRequest>(R"({"step":"a","program":["x"],"script":"y"})"),
              "the request of a program needs one of 'program' and 'script'");
    EXPECT_EQ(problem_of<ProgramRequest>(R"({"step":"a","script":"y","stop_signal":"STOP"})"),
              "the request of a program has 'STOP' in 'stop_signal'; it must be TERM, INT, HUP, "
              "QUIT, USR1, USR2 or KILL");
    EXPECT_EQ(problem_of<ProgramRequest>(R"({"step":"a","program":[1]})"),
              "the request of a program needs a list of strings in 'program'");
    EXPECT_EQ(problem_of<ProgramRequest>(R"({"step":"a","script":"y","item":1.0})"),
              "the request of a program needs a whole number of 64 bits in 'item'");
    EXPECT_EQ(
        problem_of<ProgramRequest>(R"({"step":"a","script":"y","item":18446744073709551616})"),
        "the request of a program needs a whole number of 64 bits in 'item'");
    EXPECT_EQ(problem_of<ProgramRequest>(R"({"step":"a","script":"y","env":[["A"]]})"),
              "the request of a program needs a list of pairs of strings in 'env'");
    EXPECT_THAT(problem_of<ProgramRequest>(R"({"step":"a","script":"y","output":"xml"})"),
                HasSubstr("has 'xml' in 'output'"));
    EXPECT_EQ(problem_of<ProgramRequest>(
                  R"({"step":"a","script":"y","nonce":"n","secrets":[{"name":"t"}]})"),
              "an entry of 'secrets' in the request of a program needs one of 'env' and 'file'");
    EXPECT_EQ(problem_of<HttpRequest>(R"({"step":"a"})"),
              "the request of an HTTP step needs a string in 'url'");
    EXPECT_EQ(problem_of<HttpRequest>(R"({"step":"a","url":"http://x","follow":1})"),
              "the request of an HTTP step needs true or false in 'follow'");
    EXPECT_EQ(problem_of<HttpRequest>(R"({"step":"a","url":"http://x","expect":["2xx"]})"),
              "the request of an HTTP step needs a list of whole numbers in 'expect'");
}

}  // namespace
}  // namespace belay::flow
