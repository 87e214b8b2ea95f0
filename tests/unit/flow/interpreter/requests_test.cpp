// The requests of exec, script and http steps, and the secrets in them.
#include "flow/interpreter/requests_of.hpp"
#include "flows.hpp"

namespace belay::flow::test {
namespace {

/// Keeps the requests of programs and of HTTP, and answers each.
class Requests {
public:
    explicit Requests(const Flow& made) : flow_(made) {
        flow_.world().replace(kRunProgram, [this](const ProgramRequest& request) {
            programs.push_back(request);
            return Payload(PayloadCodec::json, "\"done\"");
        });
        flow_.world().replace(kSendHttp, [this](const HttpRequest& request) {
            requests.push_back(request);
            return Payload(PayloadCodec::json, R"({"status":200,"headers":{},"body":{"id":7}})");
        });
    }
    FlowWorld& flow() { return flow_; }

    std::vector<ProgramRequest> programs{};
    std::vector<HttpRequest> requests{};

private:
    FlowWorld flow_;
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(FlowRequest, AProgramGetsItsEvaluatedArgumentsAndVariables) {
    Flow made("f");
    made.step("a", Exec{{form("echo"), form("${{ 1 + 1 }}"), form("${{ [1] }}")}});
    made.raw().env = {{"A", form("all")}, {"B", form("all")}};
    made.last().env = {{"B", form("${{ params.size() }}")}};
    made.last().dir = form("/tmp");
    made.last().input = form("in");
    made.last().output = OutputForm::lines;
    made.last().retry.only_exit = {75};
    Requests got(made);
    EXPECT_EQ(got.flow().result(), R"({"a":"done"})");
    ASSERT_EQ(got.programs.size(), 1U);
    const ProgramRequest& request = got.programs[0];
    EXPECT_EQ(request.step, "a");
    EXPECT_EQ(request.program, (std::vector<std::string>{"echo", "2", "[1]"}));
    EXPECT_EQ(request.env, (Pairs{{"A", "all"}, {"B", "0"}}));
    EXPECT_EQ(request.directory, "/tmp");
    EXPECT_EQ(request.input, "in");
    EXPECT_EQ(request.output, OutputForm::lines);
    EXPECT_EQ(request.retry_only, std::vector<int>{75});
    EXPECT_TRUE(request.secrets.nonce.empty());
}

TEST(FlowRequest, AScriptIsPassedAsItIs) {
    Flow made("f");
    made.step("a", Script{"echo ${X}"}).map("[5]");
    made.last().env = {{"X", form("${{ item }}")}};
    Requests got(made);
    ASSERT_EQ(got.flow().run().status, Status::completed);
    EXPECT_EQ(got.programs[0].script, "echo ${X}");
    EXPECT_EQ(got.programs[0].item, 0U);
    EXPECT_EQ(got.programs[0].env, (Pairs{{"X", "5"}}));
}

TEST(FlowRequest, AnHttpStepSendsJsonAndGivesTheResponse) {
    Http http{.method = "POST", .url = form("https://x/${{ step.id }}")};
    http.headers = {{"Idempotency-Key", form("${{ step.key }}")}};
    http.json = Form(Form::Fields{{"n", form("${{ 1 }}")}});
    http.expect = {200, 201};
    Flow made("f");
    made.step("a", http).output("${{ steps.a.output.body.id }}");
    Requests got(made);
    EXPECT_EQ(got.flow().result(), "7");
    const HttpRequest& request = got.requests[0];
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.url, "https://x/a");
    EXPECT_EQ(request.body, R"({"n":1})");
    EXPECT_EQ(request.headers,
              (Pairs{{"Idempotency-Key", "run/a"}, {"Content-Type", "application/json"}}));
    EXPECT_EQ(request.expect, (std::vector<int>{200, 201}));
}

TEST(FlowRequest, AContentTypeOfTheStepStays) {
    Http http{.method = "POST", .url = form("https://x")};
    http.headers = {{"content-type", form("text/x")}};
    http.json = form("${{ [] }}");
    Requests got(Flow("f").step("a", http));
    ASSERT_EQ(got.flow().run().status, Status::completed);
    EXPECT_EQ(got.requests[0].headers, (Pairs{{"content-type", "text/x"}}));
}

// ---- Secrets -----------------------------------------------------------------------------------

Flow with_secrets() {
    Flow made("f");
    made.raw().secrets = {Secret{.name = "token", .place = {}, .env = "TOKEN"},
                          Secret{.name = "other", .place = {}, .env = "OTHER"}};
    return made;
}

TEST(FlowSecret, ARequestCarriesAMarkAndTheSourceOfThatSecretOnly) {
    Http http{.url = form("https://x")};
    http.headers = {{"Authorization", form("Bearer ${{ secrets.token }}")}};
    Flow made = with_secrets();
    made.step("a", http).step("b", Exec{{form("true")}});
    Requests got(made);
    const InstanceName run = got.flow().start();
    ASSERT_EQ(got.flow().wait(run).status, Status::completed);
    const HttpRequest& request = got.requests[0];
    EXPECT_FALSE(request.secrets.nonce.empty());
    EXPECT_EQ(request.headers[0].second, "Bearer " + secret_mark(request.secrets.nonce, "token"));
    ASSERT_EQ(request.secrets.secrets.size(), 1U);
    EXPECT_EQ(request.secrets.secrets[0].env, "TOKEN");
    EXPECT_TRUE(got.programs[0].secrets.nonce.empty());
    EXPECT_TRUE(got.programs[0].secrets.secrets.empty());
}

TEST(FlowSecret, TheSecretItselfIsNeverInHistory) {
    ASSERT_EQ(::setenv("BELAY_TEST_TOKEN", "s3cret-value", 1), 0);
    Flow made = with_secrets();
    made.raw().secrets[0].env = "BELAY_TEST_TOKEN";
    made.step("a", Exec{{form("echo"), form("${{ secrets.token }}")}});
    Requests got(made);
    const InstanceName run = got.flow().start();
    ASSERT_EQ(got.flow().wait(run).status, Status::completed);
    const std::string document = got.flow().world().exported(run);
    EXPECT_EQ(document.find("s3cret-value"), std::string::npos);
    EXPECT_NE(document.find("<secret "), std::string::npos);
}

TEST(FlowSecret, EachRunHasItsOwnMarks) {
    Flow made = with_secrets();
    made.step("a", Exec{{form("${{ secrets.token }}")}});
    Requests got(made);
    (void)got.flow().wait(got.flow().start("{}", "one"));
    (void)got.flow().wait(got.flow().start("{}", "two"));
    ASSERT_EQ(got.programs.size(), 2U);
    EXPECT_NE(got.programs[0].secrets.nonce, got.programs[1].secrets.nonce);
}

TEST(FlowSecret, ConditionsValuesAndOutputsDoNotKnowThem) {
    Flow condition = with_secrets();
    condition.set("a", "1").only_if("secrets.token == ''");
    EXPECT_NE(FlowWorld(condition).result().find("secrets"), std::string::npos);
    Flow value = with_secrets();
    EXPECT_EQ(FlowWorld(value.set("a", "${{ secrets.token }}")).run().status, Status::failed);
    Flow output = with_secrets();
    output.set("a", "1").output("${{ secrets.token }}");
    EXPECT_EQ(FlowWorld(output).run().failure.where, "output");
}

}  // namespace
}  // namespace belay::flow::test
