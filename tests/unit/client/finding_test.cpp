// Lists with cursors, counts, and what people decide about what is stuck.
#include "client/match.hpp"
#include "management_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace belay::management_tests {
namespace {

class Finding : public Management {
protected:
    static Ids ids_of(const InstancePage& page) {
        Ids ids;
        for (const ListedInstance& one : page.instances) ids.push_back(one.instance.name.id);
        return ids;
    }
    Ids ids_of(const ListOptions& options) {
        const Result<InstancePage> page = client.list(options);
        EXPECT_TRUE(page) << (page ? "" : page.error().describe());
        return page ? ids_of(*page) : Ids();
    }
    Errc refusal(const ListOptions& options) {
        const Result<InstancePage> page = client.list(options);
        EXPECT_FALSE(page);
        return page ? Errc::busy : page.error().code();
    }
    RunRef held(const std::string& id, FailureKind kind = FailureKind::nondeterminism) {
        const RunRef run = pending(id);
        ClaimInstances claim = op::claim_instance(LeaseToken{7, ++serial_}, "w", 30s);
        claim.run = run;
        inner->claim(claim, [](const Result<ClaimInstances::Answer>& claimed) {
            EXPECT_EQ(claimed->claimed.size(), 1U);
        });
        const LeaseToken token{7, serial_};
        EXPECT_TRUE(commit(Hold{run, token, "history and code disagree", kind}).done());
        return run;
    }
    std::uint64_t dead_letter(const NewMessage& message) {
        EXPECT_TRUE(commit(Deliver{RunRef{Shard{1}, RunKey{77}}, message}).done());
        return client.dead_letters()->back().id;
    }

    std::uint64_t serial_ = 0;
};

BELAY_ON_EVERY_STORE(Finding);

TEST_P(Finding, KeysFollowEachOtherByCursor) {
    for (int i = 0; i < 5; ++i) {
        const std::string number = std::to_string(i);
        ASSERT_TRUE(
            client.start("Task", Payload(), StartOptions().id("i" + number).key("k" + number)));
    }
    KeyOptions options = KeyOptions().definition("Task").prefix("k").page_size(2);
    Ids met;
    int pages = 0;
    while (true) {
        const Result<KeyPage> page = client.keys(options);
        ASSERT_TRUE(page) << page.error().describe();
        ++pages;
        for (const KeyInfo& one : page->keys) met.push_back(one.key);
        if (page->next.empty()) break;
        options.after(page->next);
    }
    EXPECT_EQ(met, (Ids{"k0", "k1", "k2", "k3", "k4"}));
    EXPECT_EQ(pages, 3);
    const std::string next = client.keys(KeyOptions().page_size(1))->next;
    const auto refusal_of = [&](const KeyOptions& asked) {
        return client.keys(asked).error().code();
    };
    EXPECT_EQ(refusal_of(KeyOptions().owner("other").after(next)), Errc::invalid_argument);
    EXPECT_EQ(refusal_of(KeyOptions().after("nonsense")), Errc::invalid_argument);
    EXPECT_EQ(refusal_of(KeyOptions().page_size(0)), Errc::invalid_argument);
    EXPECT_EQ(refusal_of(KeyOptions().space("")), Errc::invalid_argument);
    EXPECT_EQ(refusal_of(KeyOptions().prefix(std::string(5000, 'x'))), Errc::limit_exceeded);
    EXPECT_FALSE(client.list(ListOptions().after(next))) << "that of another list";
}

TEST_P(Finding, CountsOfWhatMatches) {
    ended("a");
    ended("b", Status::failed);
    pending("c");
    EXPECT_EQ(*client.count(ListOptions().status(Status::failed)),
              (std::vector<InstanceCount>{{"Task", Status::failed, 1}}));
    EXPECT_EQ(client.count(ListOptions())->size(), 3U);
    EXPECT_TRUE(client.count(ListOptions().label("x", true).label("y", false))->empty());
    EXPECT_EQ(client.count(ListOptions().status(Status::continued_as_new)).error().code(),
              Errc::invalid_argument);
    ListOptions many;
    for (std::size_t i = 0; i <= Limits().labels; ++i) many.label("l" + std::to_string(i), true);
    EXPECT_EQ(client.count(many).error().code(), Errc::limit_exceeded);
}

TEST_P(Finding, PagesFollowEachOtherByCursor) {
    for (int i = 0; i < 7; ++i) {
        clock.advance(1s);
        ended("a" + std::to_string(i));
    }
    for (const auto order : {InstanceOrder::started,
                             InstanceOrder::created,
                             InstanceOrder::ended,
                             InstanceOrder::id}) {
        ListOptions options = ListOptions().order(order).descending().page_size(3);
        Ids met;
        int pages = 0;
        while (true) {
            const Result<InstancePage> page = client.list(options);
            ASSERT_TRUE(page);
            ++pages;
            for (const std::string& id : ids_of(*page)) met.push_back(id);
            if (page->next.empty()) break;
            EXPECT_EQ(page->next.find_first_not_of("abcdefghijklmnopqrstuvwxyz"
                                                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"),
                      std::string::npos)
                << "it can be printed and copied";
            options.after(page->next);
            options.page_size(2);
        }
        EXPECT_EQ(met, (Ids{"a6", "a5", "a4", "a3", "a2", "a1", "a0"}));
        EXPECT_EQ(pages, 4) << "3, 2, 2 and an empty one";
    }
}

TEST_P(Finding, ACursorIsForTheListItCameFrom) {
    for (const char* id : {"a", "b", "c"}) pending(id);
    const std::string cursor = client.list(ListOptions().page_size(1))->next;
    ASSERT_FALSE(cursor.empty());
    EXPECT_EQ(ids_of(ListOptions().after(cursor).page_size(7)), (Ids{"b", "c"}));
    EXPECT_EQ(refusal(ListOptions().after(cursor).owner("me")), Errc::invalid_argument);
    EXPECT_EQ(refusal(ListOptions().after(cursor).descending()), Errc::invalid_argument);
    EXPECT_EQ(refusal(ListOptions().after(cursor).space("other")), Errc::invalid_argument);
    EXPECT_EQ(refusal(ListOptions().after(cursor).order(InstanceOrder::id)),
              Errc::invalid_argument);
    for (const std::string& junk : {std::string("x"),
                                    cursor + "A",
                                    cursor.substr(1),
                                    cursor.substr(0, cursor.size() - 2),
                                    std::string("no cursor!"),
                                    std::string(100'000, 'A')}) {
        EXPECT_EQ(refusal(ListOptions().after(junk)), Errc::invalid_argument) << junk.substr(0, 40);
    }
}

TEST_P(Finding, NonsenseIsRefused) {
    EXPECT_EQ(refusal(ListOptions().page_size(0)), Errc::invalid_argument);
    EXPECT_EQ(refusal(ListOptions().page_size(1001)), Errc::invalid_argument);
    EXPECT_EQ(refusal(ListOptions().status(Status::continued_as_new)), Errc::invalid_argument);
    EXPECT_EQ(refusal(ListOptions().order(static_cast<InstanceOrder>(9))), Errc::invalid_argument);
    EXPECT_EQ(refusal(ListOptions().definition("")), Errc::invalid_argument);
    EXPECT_EQ(refusal(ListOptions().space("a\nb")), Errc::invalid_argument);
    EXPECT_EQ(refusal(ListOptions().owner(std::string(300, 'x'))), Errc::limit_exceeded);
    EXPECT_EQ(refusal(ListOptions().id_prefix(std::string(301, 'x'))), Errc::limit_exceeded);
    EXPECT_EQ(client.count("").error().code(), Errc::invalid_argument);
}

TEST_P(Finding, TheOrderFollowsFromWhatIsAskedFor) {
    const auto order = [](const ListOptions& options) {
        return options.request().order.value_or(client::natural_order(options.match()));
    };
    EXPECT_EQ(order(ListOptions()), InstanceOrder::created);
    EXPECT_EQ(order(ListOptions().created_from(Timestamp())), InstanceOrder::created);
    EXPECT_EQ(order(ListOptions().roots_only()), InstanceOrder::created);
    EXPECT_EQ(order(ListOptions().status(Status::failed)), InstanceOrder::ended);
    EXPECT_EQ(order(ListOptions().ended_before(Timestamp())), InstanceOrder::ended);
    EXPECT_EQ(order(ListOptions().status(Status::running)), InstanceOrder::started);
    EXPECT_EQ(order(ListOptions().status(Status::running).status(Status::failed)),
              InstanceOrder::created);
    EXPECT_EQ(order(ListOptions().definition("Task")), InstanceOrder::started);
    EXPECT_EQ(order(ListOptions().definition("Task").status(Status::failed)), InstanceOrder::ended);
    EXPECT_EQ(order(ListOptions().id_prefix("a").status(Status::failed)), InstanceOrder::id);
    EXPECT_EQ(order(ListOptions().parent("p").status(Status::failed)), InstanceOrder::started);
    EXPECT_EQ(order(ListOptions().order(InstanceOrder::id)), InstanceOrder::id);
}

TEST_P(Finding, FiltersReachTheStore) {
    ended("a", Status::failed);
    const RunRef parent = running("p");
    child(parent, 1, "p/c");
    held("h");
    EXPECT_EQ(ids_of(ListOptions().status(Status::failed)), Ids{"a"});
    EXPECT_EQ(ids_of(ListOptions().parent("p")), Ids{"p/c"});
    EXPECT_EQ(ids_of(ListOptions().held_only()), Ids{"h"});
    EXPECT_EQ(ids_of(ListOptions().id_prefix("p")), (Ids{"p", "p/c"}));
    EXPECT_EQ(ids_of(ListOptions().definition("Task").roots_only()).size(), 3U);
    EXPECT_EQ(*client.count(),
              (std::vector<InstanceCount>{{"Task", Status::pending, 2},
                                          {"Task", Status::running, 1},
                                          {"Task", Status::failed, 1}}));
}

TEST_P(Finding, QueuesAndLeases) {
    pending("a");
    const auto depths = client.queue_depths();
    ASSERT_TRUE(depths);
    EXPECT_EQ(depths->ready, 1U);
    const auto leases = client.leases();
    ASSERT_TRUE(leases);
    EXPECT_TRUE(leases->turns.empty());
}

TEST_P(Finding, ADeadLetterIsSentAgainOrThrownAway) {
    running("a");
    NewMessage message;
    message.name = "go";
    const std::uint64_t first = dead_letter(message);
    const std::uint64_t second = dead_letter(message);
    EXPECT_EQ(client.dead_letters(first)->size(), 1U) << "behind the first";
    EXPECT_EQ(client.redrive(first).error().code(), Errc::not_found) << "its run is not there";
    const auto sent = client.redrive(first, named("a"), "request-1");
    ASSERT_TRUE(sent);
    EXPECT_EQ(sent->name, named("a"));
    EXPECT_TRUE(client.redrive(first, named("a"), "request-1")) << "recognised";
    EXPECT_EQ(client.inspect(named("a"))->ready_messages, 1U);
    EXPECT_EQ(client.redrive(first, named("a")).error().code(), Errc::not_found);
    EXPECT_TRUE(client.discard(second));
    EXPECT_EQ(client.discard(second).error().code(), Errc::not_found);
    EXPECT_TRUE(client.dead_letters()->empty());
}

TEST_P(Finding, AnUnknownOutcomeOfARedriveSendsOnce) {
    running("a");
    NewMessage message;
    message.name = "go";
    const std::uint64_t letter = dead_letter(message);
    store.fail_commit_of<Redrive>(Fault::applied_but_unknown);
    EXPECT_TRUE(client.redrive(letter, named("a")));
    EXPECT_EQ(client.inspect(named("a"))->ready_messages, 1U);
}

TEST_P(Finding, AHeldInstanceIsFailedByAPerson) {
    held("h");
    running("r");
    EXPECT_EQ(client.fail_held(named("r"), "ann", "why").error().code(), Errc::not_held);
    EXPECT_EQ(client.fail_held(named("x"), "ann", "why").error().code(), Errc::not_found);
    ASSERT_TRUE(client.fail_held(named("h"), "ann", "cannot be repaired", "request-1"));
    EXPECT_TRUE(client.fail_held(named("h"), "ann", "cannot be repaired", "request-1"));
    EXPECT_EQ(client.fail_held(named("h"), "bob", "else", "request-1").error().code(),
              Errc::request_id_reused);
    const Result<Outcome> outcome = client.outcome(named("h"));
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->status, Status::failed);
    EXPECT_THAT(outcome->failure.message, ::testing::HasSubstr("ann: cannot be repaired"));
    EXPECT_EQ(outcome->failure.detail, "")
        << "why it was held may quote payloads, and a failure is not encrypted";
    EXPECT_EQ(outcome->failure.kind, FailureKind::nondeterminism);
}

TEST_P(Finding, AHeldInstanceFailsForTheReasonItIsHeldFor) {
    for (const FailureKind kind : {FailureKind::timeout, FailureKind::infrastructure}) {
        const std::string id(to_string(kind));
        held(id, kind);
        ASSERT_TRUE(client.fail_held(named(id), "ann", "enough", "request-" + id));
        EXPECT_TRUE(client.fail_held(named(id), "ann", "enough", "request-" + id)) << "a repeat";
        EXPECT_EQ(client.outcome(named(id))->failure.kind, kind);
    }
}

}  // namespace
}  // namespace belay::management_tests
