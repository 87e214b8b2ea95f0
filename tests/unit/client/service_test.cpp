// A client on a service that is not the local one, as it will be on the other side of a wire.
#include "management_fixture.hpp"

#include <set>

namespace belay::management_tests {
namespace {

/// Passes requests on, and knows their names: all that a service of another kind has to write.
class PassesOn final : public Service {
public:
    explicit PassesOn(Service& inner) : inner_(inner) {}

    void serve(AnyRequest request) override {
        std::visit(
            [this]<class Request>(const Asked<Request>&) { asked_.emplace_back(Request::kName); },
            request);
        inner_.serve(std::move(request));
    }
    void subscribe(StoreListener&) override {}
    void unsubscribe(StoreListener&) override {}

    [[nodiscard]] std::vector<std::string> take() { return std::exchange(asked_, {}); }

private:
    Service& inner_;
    std::vector<std::string> asked_;
};

class OnAService : public Management {
protected:
    std::unique_ptr<Service> local = make_local_service(store, clock);
    PassesOn service{*local};
    Client remote{service, clock};
};

BELAY_ON_EVERY_STORE(OnAService);

TEST_P(OnAService, EveryOperationIsARequest) {
    ASSERT_TRUE(remote.start("Task", Payload(), StartOptions().id("a")).ok());
    EXPECT_EQ(service.take(), Ids{"start"});
    ASSERT_TRUE(remote.raise(named("a"), "event", Payload()).ok());
    ASSERT_TRUE(remote.enqueue(named("a"), "queue", Payload()).ok());
    EXPECT_EQ(service.take(), (Ids{"send_message", "send_message"}));
    EXPECT_EQ(remote.list(ListOptions())->instances.size(), 1U);
    EXPECT_EQ(remote.count()->size(), 1U);
    EXPECT_EQ(service.take(), (Ids{"list", "count"}));
    EXPECT_EQ(remote.describe(named("a"))->info.name.id, "a");
    EXPECT_EQ(remote.inspect(named("a"))->name.id, "a");
    EXPECT_EQ(service.take(), (Ids{"describe", "inspect"}));
    EXPECT_EQ(remote.cancel_bulk(InstanceFilter())->canceled, 1U);
    EXPECT_EQ(remote.delete_instance_bulk(InstanceFilter())->instances, 1U);
    EXPECT_EQ(service.take(), (Ids{"cancel_many", "delete_many"}));
}

TEST_P(OnAService, AWaitAsksAgainWithoutBeingTold) {
    ended("a", Status::failed);
    const auto outcome = remote.wait(named("a"));
    ASSERT_TRUE(outcome.ok());
    EXPECT_EQ(outcome->status, Status::failed);
    EXPECT_EQ(service.take(), Ids{"inspect_many"});
    EXPECT_EQ(remote.wait(named("nobody")).error().code(), Errc::not_found);
}

TEST_P(OnAService, TheServiceChecksWhatItIsAsked) {
    requests::SendMessage message;
    message.name = named("a");
    message.kind = MessageKind::timer_fired;
    message.channel = "x";
    EXPECT_EQ(service.ask(message).error().code(), Errc::invalid_argument);
    requests::ReadHistory history;
    history.max_events = 0;
    EXPECT_EQ(service.ask(history).error().code(), Errc::invalid_argument);
    requests::List list;
    list.match.space = "default";
    list.match.ids.emplace(InstanceMatch::kMostIds + 1, "a");
    EXPECT_EQ(service.ask(list).error().code(), Errc::limit_exceeded);
    EXPECT_EQ(service.ask(requests::Now()).value(), clock.wall());
}

TEST_P(OnAService, NoNumberThatIsAskedForIsWithoutABound) {
    EXPECT_EQ(service.ask(requests::ListLeases{UINT32_MAX}).error().code(), Errc::invalid_argument);
    EXPECT_TRUE(service.ask(requests::ListLeases{0}).ok());
    for (const std::uint32_t max : {0U, UINT32_MAX}) {
        EXPECT_EQ(service.ask(requests::ListDeadLetters{0, max}).error().code(),
                  Errc::invalid_argument);
    }
    requests::ReadOutput output;
    EXPECT_TRUE(service.ask(output).ok());
    output.max_bytes = UINT64_MAX;
    EXPECT_EQ(service.ask(output).error().code(), Errc::limit_exceeded);
    requests::PreviewRetention preview;
    preview.policy.emplace();
    EXPECT_TRUE(service.ask(preview).ok());
    preview.examples = 0;
    EXPECT_TRUE(service.ask(preview).ok());
    preview.examples = UINT32_MAX;
    EXPECT_EQ(service.ask(preview).error().code(), Errc::invalid_argument);
    preview.examples = 1;
    preview.as_of = Timestamp::min();
    EXPECT_EQ(service.ask(preview).error().code(), Errc::invalid_argument);
    requests::ApplyRetention apply;
    apply.as_of = Timestamp::min();
    EXPECT_EQ(service.ask(apply).error().code(), Errc::invalid_argument);
}

TEST_P(OnAService, NoListAndNoTextIsWithoutABound) {
    const std::string long_text(1'000'000, 'a');
    requests::Count count;
    count.match.space = "default";
    count.match.statuses.emplace(8, Status::running);
    EXPECT_EQ(service.ask(count).error().code(), Errc::limit_exceeded);
    count.match.statuses.reset();
    count.match.labels = {{"city", long_text}};
    EXPECT_EQ(service.ask(count).error().code(), Errc::limit_exceeded);
    requests::FreeKey key{"default", "default", "Task", "k"};
    for (std::string* text : {&key.space, &key.owner, &key.definition, &key.key}) {
        const std::string before = std::exchange(*text, long_text);
        EXPECT_EQ(service.ask(key).error().code(), Errc::limit_exceeded);
        *text = before;
    }
    const requests::Inspect inspect{named(long_text), RunRef{shard_of("a"), RunKey{1}}};
    EXPECT_EQ(service.ask(inspect).error().code(), Errc::limit_exceeded);
    requests::List list;
    list.match.space = "default";
    list.after = long_text;
    EXPECT_EQ(service.ask(list).error().code(), Errc::invalid_argument);
}

TEST_P(OnAService, NoValueIsBelievedToBeOneOfAnEnum) {
    running("a");
    const auto source = static_cast<CancelSource>(9);
    requests::Cancel cancel{named("a")};
    cancel.source = source;
    EXPECT_EQ(service.ask(cancel).error().code(), Errc::invalid_argument);
    requests::Terminate terminate{named("a")};
    terminate.source = source;
    EXPECT_EQ(service.ask(terminate).error().code(), Errc::invalid_argument);
    requests::CancelMany many;
    many.match.space = "default";
    many.source = source;
    EXPECT_EQ(service.ask(many).error().code(), Errc::invalid_argument);
    requests::Start start{"Task"};
    start.on_conflict = static_cast<IdConflict>(0);
    EXPECT_EQ(service.ask(start).error().code(), Errc::invalid_argument);
    start.on_conflict = IdConflict::fail;
    start.key = IdempotencyKey{"k", static_cast<KeyScope>(9), Millis(0)};
    EXPECT_EQ(service.ask(start).error().code(), Errc::invalid_argument);
    EXPECT_EQ(client.inspect(named("a"))->status, Status::running);
}

template <class... Requests>
std::set<std::string_view> names_of(std::type_identity<std::variant<Asked<Requests>...>>) {
    static_assert((std::is_aggregate_v<Requests> && ...), "requests are plain data");
    static_assert((std::is_copy_constructible_v<Requests> && ...));
    return {Requests::kName...};
}

TEST(Requests, EachHasANameOfItsOwn) {
    EXPECT_EQ(names_of(std::type_identity<AnyRequest>()).size(), std::variant_size_v<AnyRequest>);
}

}  // namespace
}  // namespace belay::management_tests
