// A store in front of another one: what it does when something cannot be coded.
#include "keys.hpp"
#include "store/forwarding_store.hpp"
#include "support/manual_clock.hpp"
#include <belay/store/memory.hpp>
#include <belay/store/operations.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <future>

namespace belay::coded_tests {
namespace {

using ::testing::HasSubstr;

/// Encodes nothing that says "no", and answers for it as it is told.
class Picky final : public PayloadCoder {
public:
    explicit Picky(Errc code) : code_(code) {}
    [[nodiscard]] std::uint16_t flag() const noexcept override { return 0x0200; }
    [[nodiscard]] Result<std::optional<std::string>> encode(std::string_view bytes,
                                                            const CodedAs& /*as*/) const override {
        if (bytes == "no") return Error(code_, "not this one");
        return std::optional<std::string>();
    }
    [[nodiscard]] Result<std::string> decode(std::string_view bytes,
                                             const CodedAs& /*as*/) const override {
        return std::string(bytes);
    }

private:
    Errc code_;
};

class CodedStoreTest : public ::testing::Test {
protected:
    NewInstance instance(const std::string& id, const std::string& input) {
        NewInstance made;
        made.run = RunRef{shard_of(id), RunKey{++last_}};
        made.name = {"default", id};
        made.definition = "Order";
        made.input = Payload::text(input);
        return made;
    }
    std::vector<Answer> commit(Store& store, std::vector<Part> parts) {
        std::vector<Transition> batch;
        for (Part& part : parts) {
            batch.push_back(op::transition(CommitId{1, ++last_}, std::move(part)));
        }
        std::promise<std::vector<Answer>> answers;
        store.commit(std::move(batch),
                     [&](Result<std::vector<Answer>> result) { answers.set_value(*result); });
        return answers.get_future().get();
    }
    Result<ReadInstance::Answer> read(Store& store, const std::string& id) {
        std::promise<Result<ReadInstance::Answer>> answer;
        store.read(ReadInstance{{"default", id}, std::nullopt},
                   [&](Result<ReadInstance::Answer> result) { answer.set_value(result); });
        return answer.get_future().get();
    }
    ClaimInstances::Answer claim(Store& store) {
        ClaimInstances request;
        request.first_token = LeaseToken{1, last_ += 100};
        request.worker = "w";
        request.lease = Millis(1'000);
        request.max = 10;
        std::promise<ClaimInstances::Answer> answer;
        store.claim(request,
                    [&](Result<ClaimInstances::Answer> result) { answer.set_value(*result); });
        return answer.get_future().get();
    }

    support::ManualClock clock;
    std::unique_ptr<Store> inner = make_memory_store(clock);
    std::uint64_t last_ = 0;
};

TEST_F(CodedStoreTest, AnUnencodablePartIsRefusedAndTheOthersAreNot) {
    const auto store =
        make_coded_store(*inner, CoderChain().then(std::make_shared<Picky>(Errc::limit_exceeded)));
    std::vector<Part> parts;
    parts.emplace_back(op::start(instance("a", "yes")));
    parts.emplace_back(op::start(instance("b", "no")));
    parts.emplace_back(op::start(instance("c", "yes")));
    parts.emplace_back(op::start(instance("c", "yes")));
    const std::vector<Answer> answers = commit(*store, parts);
    ASSERT_EQ(answers.size(), 4U);
    EXPECT_EQ(answers[0].verdict, Verdict::applied);
    EXPECT_TRUE(answers[1].refused_with(Errc::limit_exceeded));
    EXPECT_THAT(answers[1].error->message(), HasSubstr("its input cannot be encoded: not this"));
    EXPECT_EQ(answers[2].verdict, Verdict::applied);
    EXPECT_TRUE(answers[3].refused_with(Errc::id_in_use));
    EXPECT_FALSE(read(*inner, "b")->has_value());
    EXPECT_TRUE(
        commit(*store, {op::start(instance("b", "no"))})[0].refused_with(Errc::limit_exceeded));
}

TEST_F(CodedStoreTest, AFailedEncodingCanBeTriedAgain) {
    const auto store =
        make_coded_store(*inner, CoderChain().then(std::make_shared<Picky>(Errc::unavailable)));
    const std::vector<Answer> answers = commit(*store, {op::start(instance("b", "no"))});
    EXPECT_EQ(answers[0].verdict, Verdict::failed);
    EXPECT_TRUE(answers[0].error->retryable());
}

TEST_F(CodedStoreTest, AReadWithoutTheKeySaysWhichOne) {
    const auto writer = make_coded_store(*inner, packing(ring_of("a")));
    const auto reader = make_coded_store(*inner, packing([] {
        KeyRing keys;
        (void)keys.add(2, key_of('b'));
        return keys;
    }()));
    commit(*writer, {op::start(instance("a", "secret"))});
    const auto found = read(*reader, "a");
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.error().code(), Errc::unreadable);
    EXPECT_THAT(found.error().message(), HasSubstr("its input cannot be read"));
    EXPECT_THAT(found.error().message(), HasSubstr("key 1"));

    const auto shower = make_coded_store(*inner, CoderChain().keep_unreadable());
    const auto shown = read(*shower, "a");
    ASSERT_TRUE(shown.ok());
    EXPECT_EQ(encrypted_with((*shown)->input), 1U);
}

TEST_F(CodedStoreTest, OneRunThatCannotBeReadDoesNotKeepOthersFromBeingClaimed) {
    const auto first = make_coded_store(*inner, encrypting(ring_of("a")));
    const auto second = make_coded_store(*inner, encrypting(ring_of("b")));
    commit(*first, {op::start(instance("a", "secret"))});
    commit(*second, {op::start(instance("b", "secret"))});
    const ClaimInstances::Answer got = claim(*second);
    ASSERT_EQ(got.claimed.size(), 2U);
    ASSERT_TRUE(got.claimed[0].unreadable);
    EXPECT_EQ(got.claimed[0].unreadable->code(), Errc::unreadable);
    EXPECT_NE(got.claimed[0].input.flags, 0);
    EXPECT_FALSE(got.claimed[1].unreadable);
    EXPECT_EQ(got.claimed[1].input, Payload::text("secret"));
}

TEST_F(CodedStoreTest, AReadThatFailsBehindIsNotDecodedInFront) {
    const auto writer = make_coded_store(*inner, encrypting(ring_of("a")));
    commit(*writer, {op::start(instance("a", "secret"))});
    const auto behind = make_coded_store(*inner, encrypting(ring_of("b")));
    // Its key is the one that was used, yet not for what this store has written.
    const auto front = make_coded_store(*behind, encrypting(ring_of("a")));
    const ClaimInstances::Answer got = claim(*front);
    ASSERT_EQ(got.claimed.size(), 1U);
    ASSERT_TRUE(got.claimed[0].unreadable);
    EXPECT_EQ(got.claimed[0].unreadable->code(), Errc::unreadable);
    EXPECT_NE(got.claimed[0].input.flags, 0);
}

TEST_F(CodedStoreTest, ADeadLetterThatCannotBeReadIsListedAsItIs) {
    const auto writer = make_coded_store(*inner, encrypting(ring_of("a")));
    const auto reader = make_coded_store(*inner, encrypting(ring_of("b")));
    Deliver lost;
    lost.run = RunRef{shard_of("nobody"), RunKey{4711}};
    lost.message.payload = Payload::text("secret");
    commit(*writer, {lost});
    std::promise<ListDeadLetters::Answer> letters;
    reader->read(ListDeadLetters{},
                 [&](Result<ListDeadLetters::Answer> result) { letters.set_value(*result); });
    const auto listed = letters.get_future().get();
    ASSERT_EQ(listed.size(), 1U);
    EXPECT_EQ(encrypted_with(listed[0].message.payload), 1U);
}

}  // namespace
}  // namespace belay::coded_tests
