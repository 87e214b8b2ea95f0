// HTTP requests of steps, to a real server.
#include "flow/steps/step_activities.hpp"
#include "support/http_server.hpp"
#include "unit/runtime/executors/stage.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

namespace belay::flow {
namespace {

using executor_tests::Event;
using executor_tests::Stage;
using executor_tests::Started;
using support::HttpServer;
using support::ServedConnection;
using support::ServedRequest;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// The body of the result, as JSON.
std::string body_of(const std::string& result) {
    const std::size_t at = result.find("\"body");
    return at == std::string::npos ? result : result.substr(at, result.size() - at - 1);
}

class Requests : public ::testing::Test {
protected:
    Requests() {
        for (const char* const name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"}) {
            ::unsetenv(name);
        }
    }
    [[nodiscard]] Stage& stage() {
        if (!stage_) {
            stage_ = std::make_unique<Stage>();
            add_step_activities(stage_->registry, options);
        }
        return *stage_;
    }
    Started begin(const HttpRequest& request) { return stage().begin(kSendHttp, request); }
    std::string run(const HttpRequest& request) { return begin(request).text(); }
    Failure failure(const HttpRequest& request) { return begin(request).failure(); }
    std::string get(const std::string& path) { return run(request(path)); }
    [[nodiscard]] HttpRequest request(const std::string& path) const {
        HttpRequest made{.step = "fetch"};
        made.url = server.url(path);
        return made;
    }
    static std::string secret(HttpRequest& request, const char* value) {
        ::setenv("BELAY_TEST_SECRET", value, 1);
        request.secrets.nonce = "n0nce";
        request.secrets.secrets = {
            Secret{.name = "token", .place = {}, .env = "BELAY_TEST_SECRET"}};
        return secret_mark("n0nce", "token");
    }
    void serve(const ServedRequest& got, const ServedConnection& to) {
        if (got.path.starts_with("/status/")) {
            to.answer(std::stoi(got.path.substr(8)), "", "sorry, hunter2");
        } else if (got.path.starts_with("/to/")) {
            const std::string rest = got.path.substr(4);
            to.answer(std::stoi(rest), "Location: " + rest.substr(3) + "\r\n", "");
        } else if (got.path == "/slow") {
            to.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
            slow.set();
            to.wait_for_close();
            closed.set();
        } else if (got.path == "/hangup") {
            return;
        } else {
            answer(got.path, to);
        }
    }
    static void answer(const std::string& path, const ServedConnection& to) {
        if (path == "/json") {
            to.answer(200,
                      "Content-Type: application/vnd.x+json; charset=utf-8\r\nX-Two: a\r\n"
                      "X-Two: b\r\nSet-Cookie: a=1, 2\r\nSet-Cookie: b\r\n",
                      R"({"id": 9223372036854775807, "t": "hunter2"})");
        } else if (path == "/no-json") {
            to.answer(200, "Content-Type: application/json\r\n", "ok");
        } else if (path == "/empty-json") {
            to.answer(200, "Content-Type: application/json\r\n", "");
        } else if (path == "/bytes") {
            to.answer(200, "", "\xFF\xFE");
        } else if (path == "/long") {
            to.answer(200, "", std::string(1001, 'x'));
        } else if (path == "/headers") {
            to.answer(200,
                      "X-Long: " + std::string(90'000, 'h') +
                          "\r\nX-Long: " + std::string(90'000, 'h') +
                          "\r\nX-Long: " + std::string(90'000, 'h') + "\r\n",
                      "");
        } else {
            to.answer(200, "", "plain");
        }
    }

    StepOptions options;
    Event slow;
    Event closed;
    HttpServer server{[this](const auto& got, const auto& to) { serve(got, to); }};

private:
    std::unique_ptr<Stage> stage_;
};

TEST_F(Requests, TheResultHasStatusHeadersAndBody) {
    EXPECT_EQ(get("/plain"),
              R"({"status":200,"headers":{"connection":"close","content-length":"5"},)"
              R"("body":"plain"})");
    const std::string json = get("/json");
    EXPECT_EQ(body_of(json), R"("body":{"id":9223372036854775807,"t":"hunter2"})");
    EXPECT_THAT(json, HasSubstr(R"("x-two":"a, b")"));
    EXPECT_THAT(json, HasSubstr(R"("set-cookie":"a=1, 2\nb")"));
    EXPECT_EQ(body_of(get("/no-json")), R"("body":"ok")") << "though its type says so";
    EXPECT_EQ(body_of(get("/empty-json")), R"("body":null)");
    EXPECT_EQ(body_of(get("/bytes")), R"("body_base64":"//4=")");
}

TEST_F(Requests, TheRequestIsSentAsItIsAskedFor) {
    HttpRequest posted = request("/plain?a=b");
    posted.method = "POST";
    posted.body = R"({"a":1})";
    posted.headers = {{"X-One", "1"}, {"X-Empty", ""}, {"Idempotency-Key", "k1"}};
    EXPECT_THAT(run(posted), StartsWith(R"({"status":200)"));
    const ServedRequest got = server.requests().at(0);
    EXPECT_EQ(got.method, "POST");
    EXPECT_EQ(got.path, "/plain?a=b");
    EXPECT_EQ(got.body, R"({"a":1})");
    EXPECT_EQ(got.header("x-one"), "1");
    EXPECT_EQ(got.header("x-empty"), "");
    EXPECT_EQ(got.header("idempotency-key"), "k1");
    EXPECT_EQ(got.header("content-type"), "application/json");
    EXPECT_EQ(got.header("host"), server.host());
    EXPECT_THAT(got.header("user-agent"), StartsWith("belay/"));
}

TEST_F(Requests, EveryMethodIsSentWithTheRightBody) {
    for (const char* const method : {"GET", "HEAD", "DELETE", "PUT", "PATCH", "OPTIONS"}) {
        HttpRequest one = request("/plain");
        one.method = method;
        EXPECT_THAT(run(one), StartsWith(R"({"status":200)")) << method;
        const ServedRequest got = server.requests().back();
        EXPECT_EQ(got.method, method);
        const bool sends = got.method.starts_with('P');
        EXPECT_EQ(got.header("content-length"), sends ? "0" : "(none)") << method;
        EXPECT_EQ(got.header("content-type"), "(none)") << method;
        EXPECT_EQ(got.header("expect"), "(none)") << method;
    }
    HttpRequest text = request("/plain");
    text.method = "PUT";
    text.body = "hello";
    text.headers = {{"content-type", "text/csv"}};
    EXPECT_THAT(run(text), StartsWith(R"({"status":200)"));
    EXPECT_EQ(server.requests().back().header("content-type"), "text/csv");
    EXPECT_EQ(server.requests().back().body, "hello");
}

TEST_F(Requests, AStatusThatIsNotExpectedIsAFailure) {
    const Failure failed = failure(request("/status/503"));
    EXPECT_EQ(failed.kind, FailureKind::application);
    EXPECT_EQ(failed.type, "http");
    EXPECT_EQ(failed.message, "status 503 from " + server.host());
    EXPECT_EQ(failed.detail, "sorry, hunter2");
    HttpRequest expected = request("/status/404");
    expected.expect = {404};
    EXPECT_THAT(run(expected), StartsWith(R"({"status":404)"));
    expected.url = server.url("/plain");
    EXPECT_THAT(failure(expected).message, StartsWith("status 200"));
}

TEST_F(Requests, OnlyStatusesThatMayPassAreRetriedUnlessTheStepNamesThem) {
    for (const int status : {408, 425, 429, 500, 502, 503, 504}) {
        EXPECT_TRUE(failure(request("/status/" + std::to_string(status))).retryable) << status;
    }
    for (const int status : {304, 400, 401, 403, 404, 409, 410, 422}) {
        EXPECT_FALSE(failure(request("/status/" + std::to_string(status))).retryable) << status;
    }
    HttpRequest one = request("/status/404");
    one.retry_only = {404};
    EXPECT_TRUE(failure(one).retryable);
    one.url = server.url("/status/503");
    EXPECT_FALSE(failure(one).retryable);
}

TEST_F(Requests, RedirectsAreFollowedAsBrowsersDo) {
    EXPECT_EQ(body_of(get("/to/302/to/307/plain")), R"("body":"plain")");
    HttpRequest posted = request("/to/303/plain");
    posted.method = "POST";
    posted.body = "body";
    EXPECT_EQ(body_of(run(posted)), R"("body":"plain")");
    EXPECT_EQ(server.requests().back().method, "GET");
    EXPECT_EQ(server.requests().back().body, "");
    EXPECT_EQ(server.requests().back().header("content-type"), "(none)");
    posted.url = server.url("/to/308/plain");
    EXPECT_EQ(body_of(run(posted)), R"("body":"plain")");
    EXPECT_EQ(server.requests().back().method, "POST");
    EXPECT_EQ(server.requests().back().body, "body");
    posted.follow = false;
    EXPECT_THAT(failure(posted).message, StartsWith("status 308"));
    posted.expect = {308};
    EXPECT_THAT(run(posted), StartsWith(R"({"status":308)"));
}

TEST_F(Requests, ARedirectThatLeadsNowhereIsFinal) {
    const Failure failed =
        failure(request("/to/302/to/302/to/302/to/302/to/302/to/302/to/302/to/302"
                        "/to/302/to/302/to/302/plain"));
    EXPECT_THAT(failed.message, HasSubstr("more than 10 redirects"));
    EXPECT_FALSE(failed.retryable);
}

TEST_F(Requests, ARedirectToAnotherSchemeIsRefused) {
    HttpServer other([](const ServedRequest& /*got*/, const ServedConnection& to) {
        to.answer(302, "Location: file:///etc/passwd\r\n", "");
    });
    HttpRequest one = request("/");
    one.url = other.url("/");
    const Failure failed = failure(one);
    EXPECT_EQ(failed.type, "request");
    EXPECT_THAT(failed.message, HasSubstr("not http or https"));
    EXPECT_FALSE(failed.retryable);
}

TEST_F(Requests, AnotherHostGetsNoCredentials) {
    HttpServer other([this](const ServedRequest& /*got*/, const ServedConnection& to) {
        to.answer(307, "Location: " + server.url("/plain") + "\r\n", "");
    });
    HttpRequest one = request("/plain");
    one.url = other.url("/");
    one.headers = {{"authorization", "Basic x"},
                   {"Cookie", "a=b"},
                   {"X-Key", secret(one, "hunter2")},
                   {"X-Plain", "stays"}};
    EXPECT_EQ(body_of(run(one)), R"("body":"plain")");
    EXPECT_EQ(other.requests().at(0).header("authorization"), "Basic x");
    EXPECT_EQ(other.requests().at(0).header("x-key"), "hunter2");
    const ServedRequest got = server.requests().at(0);
    EXPECT_EQ(got.header("authorization"), "(none)");
    EXPECT_EQ(got.header("cookie"), "(none)");
    EXPECT_EQ(got.header("x-key"), "(none)");
    EXPECT_EQ(got.header("x-plain"), "stays");

    one.method = "POST";
    one.body = secret(one, "hunter2");
    EXPECT_THAT(failure(one).message, HasSubstr("a body with a secret in it to another host"));
    EXPECT_EQ(server.requests().size(), 1U);
    one.url = server.url("/to/307/plain");
    EXPECT_EQ(body_of(run(one)), R"("body":"plain")") << "the same host gets all of it";
    EXPECT_EQ(server.requests().back().header("authorization"), "Basic x");
    EXPECT_EQ(server.requests().back().body, "hunter2");
}

TEST_F(Requests, SecretsReachTheServerAndNothingElse) {
    HttpRequest one = request("/json");
    const std::string mark = secret(one, "hunter2");
    one.method = "POST";
    one.url += "?key=" + mark;
    one.headers = {{"Authorization", "Bearer " + mark}};
    one.body = R"({"t":")" + mark + "\"}";
    EXPECT_THAT(run(one), StartsWith(R"({"status":200)"));
    one.url = server.url("/json");
    EXPECT_EQ(body_of(run(one)), R"("body":{"id":9223372036854775807,"t":"***"})");
    const ServedRequest got = server.requests().at(0);
    EXPECT_EQ(got.path, "/json?key=hunter2");
    EXPECT_EQ(got.header("authorization"), "Bearer hunter2");
    EXPECT_EQ(got.body, R"({"t":"hunter2"})");
    one.url = server.url("/status/500");
    EXPECT_EQ(failure(one).detail, "sorry, ***");
    one.url = "http://" + mark + ":x/";
    EXPECT_THAT(failure(one).message, AllOf(HasSubstr("***"), Not(HasSubstr("hunter2"))));
}

TEST_F(Requests, ASecretInADocumentOfJsonIsEscaped) {
    HttpRequest one = request("/plain");
    one.method = "POST";
    one.body = R"({"t":")" + secret(one, "a\"b") + "\"}";
    EXPECT_THAT(run(one), StartsWith(R"({"status":200)"));
    EXPECT_EQ(server.requests().at(0).body, R"({"t":"a\"b"})");
}

TEST_F(Requests, ARequestThatCannotBeSentIsFinalAndSaysWhy) {
    HttpRequest one = request("/plain");
    one.headers = {{"X-One", "a\r\nX-Two: b"}};
    Failure failed = failure(one);
    EXPECT_EQ(failed.message, "the header 'X-One' has a line break or another control character");
    EXPECT_EQ(failed.type, "request");
    EXPECT_FALSE(failed.retryable);
    one.headers = {{"X One", "a"}};
    EXPECT_EQ(failure(one).message, "'X One' is no name of a header");
    one.headers = {{"content-length", "5"}};
    EXPECT_THAT(failure(one).message, HasSubstr("set by the step itself"));
    one.headers.clear();
    one.method = "GE T";
    EXPECT_EQ(failure(one).message, "'GE T' is no method of HTTP");
    one.method = "GET";
    for (const char* const url :
         {"ftp://127.0.0.1/", "file:///etc/passwd", "127.0.0.1", "", "http://"}) {
        one.url = url;
        failed = failure(one);
        EXPECT_THAT(failed.message, StartsWith("the URL '" + one.url + "' cannot be used")) << url;
        EXPECT_FALSE(failed.retryable);
    }
    EXPECT_TRUE(server.requests().empty());
}

TEST_F(Requests, AConnectionThatFailsIsRetriedAndTlsThatFailsIsNot) {
    HttpRequest one = request("/hangup");
    Failure failed = failure(one);
    EXPECT_EQ(failed.type, "connection");
    EXPECT_THAT(failed.message, StartsWith(server.host() + ": "));
    EXPECT_TRUE(failed.retryable);

    int closed_port = 0;
    {
        const HttpServer gone([](const ServedRequest&, const ServedConnection&) {});
        closed_port = gone.port();
    }
    one.url = "http://127.0.0.1:" + std::to_string(closed_port) + "/";
    failed = failure(one);
    EXPECT_EQ(failed.type, "connection");
    EXPECT_THAT(failed.message, HasSubstr("Connection refused"));
    EXPECT_TRUE(failed.retryable);

    const HttpServer no_tls([](const ServedRequest&, const ServedConnection&) {});
    one.url = "https://127.0.0.1:" + std::to_string(no_tls.port()) + "/";
    const Started started = begin(one);
    failed = started.failure();
    EXPECT_EQ(failed.type, "tls");
    EXPECT_FALSE(failed.retryable);
}

TEST_F(Requests, AResponseIsBounded) {
    options.response_limit(1000);
    Failure failed = failure(request("/long"));
    EXPECT_EQ(failed.kind, FailureKind::limit);
    EXPECT_THAT(failed.message, HasSubstr("more than the 1000 bytes"));
    failed = failure(request("/headers"));
    EXPECT_EQ(failed.kind, FailureKind::limit);
    EXPECT_EQ(body_of(get("/plain")), R"("body":"plain")");
}

TEST_F(Requests, AStopEndsASlowResponseAtOnce) {
    const Started started = begin(request("/slow"));
    ASSERT_TRUE(slow.wait());
    EXPECT_EQ(started.times(), 0);
    stage().stop(started);
    EXPECT_EQ(started.failure().message, "stopped: canceled");
    EXPECT_TRUE(closed.wait()) << "the connection is closed";
    EXPECT_TRUE(stage().executor->abandoned().empty());
}

TEST_F(Requests, OneSlowResponseDoesNotHoldUpOthers) {
    const Started started = begin(request("/slow"));
    ASSERT_TRUE(slow.wait());
    EXPECT_EQ(body_of(get("/plain")), R"("body":"plain")");
    EXPECT_EQ(started.times(), 0);
    stage().stop(started, StopReason::timeout);
    EXPECT_EQ(started.failure().message, "stopped: timeout");
}

}  // namespace
}  // namespace belay::flow
