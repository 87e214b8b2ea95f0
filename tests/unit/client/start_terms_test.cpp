// What a start says beyond its input, cancels that name a definition, pauses, and the comparison of
// inputs.
#include "client/digest.hpp"
#include "support/manual_clock.hpp"
#include <belay/client.hpp>
#include <belay/codec.hpp>
#include <belay/pause.hpp>
#include <belay/store/listing.hpp>
#include <belay/store/memory.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace belay {
namespace {

inline constexpr Definition<void(std::string)> TermsTask{"Task"};

class StartTermsTest : public ::testing::Test {
protected:
    Result<StartResult> start(const StartOptions& options, const std::string& input = "x") {
        return client.start(TermsTask, options, input);
    }
    Errc code_of(const Result<StartResult>& result) {
        EXPECT_FALSE(result.ok());
        return result.ok() ? Errc::unsupported : result.error().code();
    }

    support::ManualClock clock;
    std::unique_ptr<Store> store = make_memory_store(clock);
    Client client{*store, clock};
    const InstanceName i1{"default", "i1"};
};

TEST_F(StartTermsTest, CancelMayNameTheDefinitionThatItExpects) {
    ASSERT_TRUE(start(StartOptions().id("i1")).ok());
    const auto other = client.cancel(i1, CancelOptions().definition("Flow"));
    ASSERT_FALSE(other.ok());
    EXPECT_EQ(other.error().code(), Errc::not_found);
    const auto canceled = client.cancel(i1, CancelOptions().definition("Task"));
    ASSERT_TRUE(canceled.ok());
    EXPECT_TRUE(canceled->changed);
}

TEST_F(StartTermsTest, RateLetsOnlySoManyBegin) {
    const auto rated = StartOptions().rate(1, Millis(10'000));
    ASSERT_TRUE(start(StartOptions(rated).id("i1")).ok());
    EXPECT_EQ(code_of(start(StartOptions(rated).id("i2"))), Errc::rate_exceeded);
    const auto dropped =
        start(StartOptions(rated).id("i2").rate(1, Millis(10'000), WhenOver::drop));
    ASSERT_TRUE(dropped.ok());
    EXPECT_EQ(dropped->instance.status, Status::canceled);
    clock.advance(Millis(10'000));
    EXPECT_TRUE(start(StartOptions(rated).id("i3")).ok());
}

TEST_F(StartTermsTest, RateIsPartOfTheRequest) {
    const auto request = StartOptions().id("i1").request_id("r");
    ASSERT_TRUE(start(StartOptions(request).rate(1, Millis(10))).ok());
    EXPECT_TRUE(start(StartOptions(request).rate(1, Millis(10))).ok());
    EXPECT_EQ(code_of(start(StartOptions(request).rate(2, Millis(10)))), Errc::request_id_reused);
}

TEST_F(StartTermsTest, RateOfNothingIsRefused) {
    EXPECT_EQ(code_of(start(StartOptions().rate(0, Millis(10)))), Errc::invalid_argument);
    EXPECT_EQ(code_of(start(StartOptions().rate(1, Millis(0)))), Errc::invalid_argument);
    EXPECT_EQ(code_of(start(StartOptions().rate(Limits().rate_starts + 1, Millis(10)))),
              Errc::limit_exceeded);
}

TEST_F(StartTermsTest, DefinitionOfACancelIsNeverIgnored) {
    ASSERT_TRUE(start(StartOptions().id("i1")).ok());
    const auto options = CancelOptions().definition("Flow");
    const auto ended = client.terminate(i1, options);
    ASSERT_FALSE(ended.ok());
    EXPECT_EQ(ended.error().code(), Errc::invalid_argument);
    const auto many = client.cancel_bulk(CancelTargets(InstanceFilter()), options);
    ASSERT_FALSE(many.ok());
    EXPECT_EQ(many.error().code(), Errc::invalid_argument);
    EXPECT_EQ(client.status(i1).or_throw(), Status::pending);
}

TEST_F(StartTermsTest, StartShowsItsTerms) {
    const auto options = StartOptions()
                             .id("i1")
                             .key("once")
                             .priority(-3)
                             .expires(Millis(1000))
                             .deadline(Millis(5000))
                             .concurrency("city", WhenBusy::queue);
    ASSERT_TRUE(start(options).ok());
    const InstanceInfo info = client.inspect(i1).or_throw();
    EXPECT_EQ(info.key, "once");
    EXPECT_EQ(info.priority, -3);
    EXPECT_EQ(info.expires_at, clock.wall() + Millis(1000));
    EXPECT_EQ(info.deadline, clock.wall() + Millis(5000));
    EXPECT_EQ(info.concurrency_key, "city");
}

TEST_F(StartTermsTest, StartWithImpossibleTermsIsRefused) {
    for (const StartOptions& options :
         {StartOptions().expires(Millis(0)),
          StartOptions().deadline(Millis(0)),
          StartOptions().deadline(Millis::max()),
          StartOptions().delay(Millis(10)).expires(Millis(10)),
          StartOptions().concurrency(""),
          StartOptions().concurrency("k", static_cast<WhenBusy>(9))}) {
        EXPECT_EQ(code_of(start(options)), Errc::invalid_argument);
    }
}

TEST_F(StartTermsTest, TermsArePartOfARequest) {
    const auto asked = [] { return StartOptions().id("i1").request_id("r"); };
    ASSERT_TRUE(start(asked().priority(1)).ok());
    EXPECT_TRUE(start(asked().priority(1)).ok());
    for (const StartOptions& other : {asked(),
                                      asked().priority(2),
                                      asked().priority(1).expires(Millis(5)),
                                      asked().priority(1).deadline(Millis(5)),
                                      asked().priority(1).concurrency("k")}) {
        EXPECT_EQ(code_of(start(other)), Errc::request_id_reused);
    }
}

TEST_F(StartTermsTest, InputsInJsonAreComparedAsValues) {
    const auto json = [](const char* text) { return Payload(PayloadCodec::json, text); };
    const auto options = StartOptions().id("i1").on_conflict(IdConflict::use_existing);
    ASSERT_TRUE(client.start("Import", json(R"({"a": 1.0, "b": [2]})"), options).ok());
    const auto same = client.start("Import", json(R"({"b":[2],"a":1})"), options);
    ASSERT_TRUE(same.ok());
    EXPECT_FALSE(same->input_differs);
    const auto other = client.start("Import", json(R"({"b":[2],"a":2})"), options);
    ASSERT_TRUE(other.ok());
    EXPECT_TRUE(other->input_differs);
}

TEST(InputDigest, OfJsonIsThatOfItsCanonicalForm) {
    const auto json = [](const char* text) { return Payload(PayloadCodec::json, text); };
    const Digest digest = client::digest_of(json(R"({"a":1,"b":2})"));
    EXPECT_EQ(digest, client::digest_of(json(R"({ "b": 2.0, "a": 1 })")));
    EXPECT_NE(digest, client::digest_of(Payload::text(R"({"a":1,"b":2})"))) << "another codec";
    EXPECT_NE(client::digest_of(json("9007199254740993")),
              client::digest_of(json("9007199254740992")));
    EXPECT_NE(client::digest_of(json("{")), client::digest_of(json("{ "))) << "no JSON: its bytes";
    const auto both = [&](const char* text) {
        return detail::join_payloads({Payload::text("x"), detail::join_payloads({json(text)})});
    };
    EXPECT_EQ(client::digest_of(both(R"({"a":1,"b":2})")),
              client::digest_of(both(R"({"b":2,"a":1})")));
    EXPECT_NE(client::digest_of(both("1")), client::digest_of(both("2")));
}

TEST_F(StartTermsTest, PausesAreShownUntilTheyEnd) {
    EXPECT_TRUE(client.pause(PauseKind::queue, "bank", "it is down", "ann").or_throw());
    EXPECT_FALSE(client.pause(PauseKind::queue, "bank").or_throw());
    const std::vector<Pause> pauses = client.queue_depths().or_throw().pauses;
    ASSERT_EQ(pauses.size(), 1U);
    EXPECT_EQ(pauses[0], (Pause{PauseKind::queue, "bank", clock.wall(), "ann", "it is down"}));
    EXPECT_TRUE(client.resume(PauseKind::queue, "bank").or_throw());
    EXPECT_FALSE(client.resume(PauseKind::queue, "bank").or_throw());
    EXPECT_TRUE(client.queue_depths().or_throw().pauses.empty());
    EXPECT_FALSE(client.pause(PauseKind::definition, "").ok());
}

}  // namespace
}  // namespace belay
