// Nothing that is put into a store through an encrypting chain is in the file.
#include "keys.hpp"
#include "support/temporary_directory.hpp"
#include <belay/store/operations.hpp>
#include <belay/store/sqlite.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>

namespace belay::coded_tests {
namespace {

const std::string kMarker = "no-one-may-see-this";

/// Every part that carries something of a user's has its place in `use_every_part`; a new one must
/// be given one.
static_assert(std::variant_size_v<Part> == 27);

class Secrecy : public ::testing::Test {
protected:
    void open(const CoderChain& chain) {
        auto made = make_sqlite_store(path_, SqliteOptions().synchronous(Synchronous::normal));
        ASSERT_TRUE(made.ok()) << made.error().describe();
        file_ = std::move(*made);
        store_ = make_coded_store(*file_, chain);
    }
    void close() {
        store_.reset();
        file_.reset();
    }
    /// Number of times that the marker is on the disk, deleted rows and the log included.
    std::size_t seen() const {
        std::size_t count = 0;
        for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
            std::ostringstream content;
            content << std::ifstream(entry.path(), std::ios::binary).rdbuf();
            const std::string bytes = std::move(content).str();
            for (auto at = bytes.find(kMarker); at != std::string::npos;
                 at = bytes.find(kMarker, at + 1)) {
                ++count;
            }
        }
        return count;
    }

    // ---- Verbs ---------------------------------------------------------------------------------

    Payload secret() { return Payload::text(kMarker + std::to_string(++last_)); }
    NewMessage message() {
        NewMessage made;
        made.name = "event";
        made.payload = secret();
        return made;
    }
    NewInstance instance(const std::string& id) {
        NewInstance made;
        made.run = RunRef{shard_of(id), RunKey{++last_}};
        made.name = {"default", id};
        made.definition = "Order";
        made.input = secret();
        return made;
    }
    void apply(Part part) {
        std::vector<Transition> batch;
        batch.push_back(op::transition(CommitId{1, ++last_}, std::move(part)));
        std::promise<Answer> promise;
        store_->commit(std::move(batch), [&](Result<std::vector<Answer>> result) {
            promise.set_value(result->front());
        });
        const Answer answer = promise.get_future().get();
        ASSERT_EQ(answer.verdict, Verdict::applied)
            << (answer.error ? answer.error->describe() : "");
    }
    template <class Request>
    typename Request::Answer ask(Request request) {
        std::promise<typename Request::Answer> promise;
        const auto tell = [&](Result<typename Request::Answer> result) {
            EXPECT_TRUE(result.ok()) << result.error().describe();
            promise.set_value(result.ok() ? *result : typename Request::Answer());
        };
        if constexpr (requires { request.first_token; }) {
            request.first_token = LeaseToken{1, last_ += 100};
            request.worker = "w";
            request.lease = Millis(60'000);
            store_->claim(request, tell);
        } else {
            store_->read(request, tell);
        }
        return promise.get_future().get();
    }
    ClaimedInstance claim(RunRef run) {
        ClaimInstances request;
        request.run = run;
        const auto got = ask(request).claimed;
        EXPECT_EQ(got.size(), 1U);
        return got.empty() ? ClaimedInstance() : got.front();
    }
    static bool is_ours(const Payload& payload) {
        return payload.flags == 0 && payload.bytes.starts_with(kMarker);
    }

    void use_every_part();
    void finish_runs();

    support::TemporaryDirectory directory_{support::TemporaryDirectory::in_memory()};
    std::string path_ = directory_.file("belay.db");
    std::unique_ptr<Store> file_;
    std::unique_ptr<Store> store_;
    std::uint64_t last_ = 1000;
};

void Secrecy::use_every_part() {
    const NewInstance a = instance("a");
    apply(op::start(a));
    ClaimedInstance claimed = claim(a.run);
    EXPECT_TRUE(is_ours(claimed.input));

    Turn turn = op::turn(claimed, {.count = 1, .bytes = kMarker + " history"});
    NewActivity activity;
    activity.command = 1;
    activity.name = "Charge";
    activity.input = secret();
    turn.activities.push_back(activity);
    NewTimer timer;
    timer.command = 2;
    timer.due_at = store_->now();
    timer.message = op::timer_fired(1, 2);
    timer.message.payload = secret();
    turn.timers.push_back(timer);
    NewChild child;
    child.instance = instance("a/child");
    child.instance.parent = ParentLink{a.run, 1, 3};
    child.on_conflict = message();
    turn.children.push_back(child);
    NewChild refused = child;
    refused.instance.run.key.value = ++last_;
    refused.instance.parent->command = 4;
    turn.children.push_back(refused);
    turn.custom_status = secret();
    turn.key_values.push_back({"key", secret()});
    apply(turn);

    auto activities = ask(ClaimActivities{}).claimed;
    ASSERT_EQ(activities.size(), 1U);
    EXPECT_TRUE(is_ours(activities[0].input));
    apply(RenewActivity{activities[0].activity, activities[0].token, Millis(60'000), secret()});
    EXPECT_TRUE(is_ours(*ask(ListActivities{}).at(0).progress));
    AppendOutput output;
    output.activity = activities[0].activity;
    output.token = activities[0].token;
    output.chunks.push_back(output_chunk(OutputStream::out, store_->now(), secret().bytes));
    apply(output);
    EXPECT_TRUE(is_ours(ask(ReadOutput{a.run}).chunks.at(0).text));
    AbandonActivity back = op::abandon_activity(activities[0]);
    back.progress = secret();
    apply(back);
    activities = ask(ClaimActivities{}).claimed;
    ASSERT_EQ(activities.size(), 1U);
    EXPECT_EQ(activities[0].progress, back.progress);
    apply(
        op::ack_activity(activities[0], op::activity_completed(activities[0].activity, secret())));
    Send sent = op::raise(a.name, "event", secret());
    apply(sent);
    sent.delay = Millis(1'000'000);
    sent.message.payload = secret();
    apply(sent);
    apply(Deliver{a.run, message()});
    apply(Deliver{RunRef{shard_of("nobody"), RunKey{4711}}, message()});

    claimed = claim(a.run);
    EXPECT_EQ(claimed.messages.size(), 5U) << "timer, conflict, completion and two that were sent";
    for (const Message& one : claimed.messages) EXPECT_TRUE(is_ours(one.content.payload));
    apply(Hold{a.run, claimed.token, kMarker + " differs"});

    const auto info = ask(ReadInstance{a.name, std::nullopt});
    ASSERT_TRUE(info);
    EXPECT_TRUE(is_ours(info->input));
    EXPECT_TRUE(is_ours(*info->custom_status));
    EXPECT_EQ(info->held_detail, kMarker + " differs");
    EXPECT_TRUE(is_ours(ask(ReadOpenWork{a.name})->info.input));
    ListInstances list;
    list.space = "default";
    list.held_only = true;
    EXPECT_EQ(ask(list).at(0).held_detail, kMarker + " differs");
    const auto history = ask(ReadHistory{a.run});
    ASSERT_EQ(history.size(), 1U);
    EXPECT_EQ(history[0].row.bytes, kMarker + " history");
    EXPECT_EQ(history[0].row.format, 1);
    EXPECT_TRUE(is_ours(ask(KeyValues{a.run}).at("key")));
    EXPECT_TRUE(is_ours(ask(ListDeadLetters{}).at(0).message.payload));
    apply(Release{a.name, {}, {}});
    finish_runs();
}

/// In every way in which a run can end.
void Secrecy::finish_runs() {
    const InstanceName name{"default", "a"};
    const RunRef run = ask(ReadInstance{name, std::nullopt})->run;
    Turn again = op::turn(claim(run), {.count = 1, .bytes = kMarker});
    again.after = ContinuesAsNew{secret(), ""};
    apply(again);
    const ClaimedInstance next = claim(run);
    EXPECT_TRUE(is_ours(next.input));
    Turn last = op::turn(next, {.count = 1, .bytes = kMarker});
    Outcome done;
    done.output = secret();
    last.after = Ends{done, std::nullopt};
    apply(last);
    EXPECT_TRUE(is_ours(ask(ReadInstance{name, std::nullopt})->outcome->output));

    const NewInstance parent = instance("p");
    apply(op::start(parent));
    Turn starts = op::turn(claim(parent.run), {});
    NewChild child;
    child.instance = instance("p/c");
    child.instance.parent = ParentLink{parent.run, 1, 1};
    starts.children.push_back(child);
    apply(starts);
    Turn ends = op::turn(claim(child.instance.run), {});
    ends.after = Ends{done, op::child_ended(*child.instance.parent, done)};
    apply(ends);
    EXPECT_TRUE(is_ours(claim(parent.run).messages.at(0).content.payload));

    const NewInstance terminated = instance("t");
    apply(op::start(terminated));
    Finish by_name = op::terminate(terminated.name, "me", "because");
    by_name.outcome.cleanup_detail = kMarker + " of the cleanup";
    apply(by_name);
    EXPECT_EQ(ask(ReadInstance{terminated.name, std::nullopt})->outcome->cleanup_detail,
              kMarker + " of the cleanup");
    const NewInstance locked = instance("l");
    apply(op::start(locked));
    Finish by_lock;
    by_lock.target = std::make_pair(locked.run, claim(locked.run).token);
    by_lock.outcome = done;
    apply(by_lock);

    Import imported;
    imported.instance = instance("i");
    imported.outcome = done;
    imported.created_at = imported.ended_at = store_->now();
    imported.custom_status = secret();
    imported.custom_status_version = 1;
    imported.key_values.emplace("key", secret());
    imported.executions.push_back(
        {1, imported.created_at, imported.ended_at, {{.count = 1, .bytes = kMarker}}});
    apply(imported);
    EXPECT_EQ(ask(ReadHistory{imported.instance.run}).at(0).row.bytes, kMarker);
    EXPECT_TRUE(is_ours(ask(KeyValues{imported.instance.run}).at("key")));
}

TEST_F(Secrecy, NothingThatWasEncryptedIsInTheFile) {
    open(packing(ring_of("a")));
    use_every_part();
    EXPECT_EQ(seen(), 0U) << "in the log";
    close();
    EXPECT_EQ(seen(), 0U);
}

TEST_F(Secrecy, WithoutEncryptionItIsThere) {
    open(CoderChain().then(compression()));
    use_every_part();
    close();
    EXPECT_GT(seen(), 10U) << "or the test above would prove nothing";
}

}  // namespace
}  // namespace belay::coded_tests
