// The retention that was set.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(retention)

namespace belay::conformance {
namespace {

RetentionPolicy some_policy() {
    return RetentionPolicy()
        .add(RetentionRule().max_age(30 * 24h))
        .add(RetentionRule().definition("order").outcome(Status::failed).max_count(7))
        .add(RetentionRule().definition("audit"))
        .add(ExecutionRule().definition("meter").max_age(1h).max_count(3))
        .add(ExecutionRule().max_count(0));
}

SetRetention set(std::optional<RetentionPolicy> policy, std::string space = "space") {
    SetRetention part;
    part.space = std::move(space);
    part.policy = std::move(policy);
    part.by = "me";
    return part;
}

ReadRetention of(std::string space) {
    ReadRetention request;
    request.space = std::move(space);
    return request;
}

BELAY_CASE(Retention, ASetRuleIsReadBack) {
    EXPECT_TRUE(read(of("space")).empty()) << "nothing is set unless somebody does";
    apply(set(some_policy()));
    const auto found = read(of("space"));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].space, "space");
    EXPECT_EQ(found[0].policy, some_policy());
    EXPECT_EQ(found[0].set_at, now());
    EXPECT_EQ(found[0].set_by, "me");
    EXPECT_TRUE(read(of("elsewhere")).empty());
}

BELAY_CASE(Retention, TheLastOneCounts) {
    apply(set(some_policy()));
    advance(1s);
    const auto other = RetentionPolicy().add(RetentionRule().max_count(1));
    apply(set(other));
    ASSERT_EQ(read(of("space")).size(), 1U);
    EXPECT_EQ(read(of("space"))[0].policy, other);
    EXPECT_EQ(read(of("space"))[0].set_at, now());
}

BELAY_CASE(Retention, AnEmptyPolicyIsSetAndNoneIsNot) {
    apply(set(RetentionPolicy()));
    ASSERT_EQ(read(of("space")).size(), 1U) << "somebody said that all is kept";
    EXPECT_TRUE(read(of("space"))[0].policy.keeps_all());
    apply(set(std::nullopt));
    EXPECT_TRUE(read(of("space")).empty());
    apply(set(std::nullopt));
    EXPECT_TRUE(read(of("space")).empty());
}

BELAY_CASE(Retention, AllInTheirOrderInPages) {
    for (const char* space : {"b", "c", "a"}) apply(set(some_policy(), space));
    ReadRetention all;
    ASSERT_EQ(read(all).size(), 3U);
    EXPECT_EQ(read(all)[0].space, "a");
    EXPECT_EQ(read(all)[2].policy, some_policy());
    all.max = 2;
    EXPECT_EQ(read(all).size(), 2U);
    all.after = "b";
    ASSERT_EQ(read(all).size(), 1U);
    EXPECT_EQ(read(all)[0].space, "c");
}

BELAY_CASE(Retention, NonsenseIsRefusedAndLeavesTheSetRules) {
    apply(set(some_policy()));
    const auto rule = RetentionRule().definition("order");
    EXPECT_TRUE(
        refused(commit(set(RetentionPolicy().add(rule).add(rule))), Errc::invalid_argument));
    EXPECT_TRUE(refused(commit(set(RetentionPolicy().add(RetentionRule().max_age(-1ms)))),
                        Errc::invalid_argument));
    EXPECT_TRUE(
        refused(commit(set(RetentionPolicy().add(RetentionRule().outcome(Status::running)))),
                Errc::invalid_argument));
    EXPECT_TRUE(refused(commit(set(RetentionPolicy().add(ExecutionRule().definition("a\nb")))),
                        Errc::invalid_argument));
    EXPECT_TRUE(refused(commit(set(some_policy(), "")), Errc::invalid_argument));
    RetentionPolicy many;
    for (std::size_t i = 0; i <= Limits().retention_rules; ++i) {
        many.add(RetentionRule().definition("d" + std::to_string(i)));
    }
    EXPECT_TRUE(refused(commit(set(many)), Errc::limit_exceeded));
    EXPECT_EQ(read(of("space"))[0].policy, some_policy());
}

BELAY_CASE(Retention, ARepeatedRequestDoesNotUndoALaterOne) {
    SetRetention first = set(some_policy());
    first.request_id = "r1";
    apply(first);
    apply(set(std::nullopt));
    EXPECT_TRUE(already_applied(commit(first)));
    EXPECT_TRUE(read(of("space")).empty());
    SetRetention other = set(RetentionPolicy());
    other.request_id = "r1";
    other.request_digest[0] = 1;
    EXPECT_TRUE(refused(commit(other), Errc::request_id_reused));
}

BELAY_CASE(Retention, DeletionLeavesIt) {
    apply(set(some_policy(), named("").space));
    end(start_running("a"));
    apply(op::force_delete(named("a")));
    EXPECT_EQ(read(of(named("").space)).size(), 1U);
}

}  // namespace
}  // namespace belay::conformance
