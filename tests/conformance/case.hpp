// The fixture of all conformance cases: a fresh store, and verbs to say what happens to it.
//
// A verb that names an action (start, claim, apply, ...) demands that it succeeds: otherwise it
// reports the caller's line and ends the case. A verb that begins with `try_`, and `commit`, hand
// the answer to the case.
#pragma once

#include "conformance/answer_to.hpp"
#include "conformance/conformance.hpp"
#include "conformance/registry.hpp"
#include <belay/store/operations.hpp>
#include <belay/store/store.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay {

inline void PrintTo(Status status, std::ostream* out) { *out << to_string(status); }
inline void PrintTo(Cleanup cleanup, std::ostream* out) { *out << to_string(cleanup); }
inline void PrintTo(CancelSource source, std::ostream* out) { *out << to_string(source); }
inline void PrintTo(const Payload& payload, std::ostream* out) {
    *out << "payload of codec " << static_cast<int>(payload.codec) << ": "
         << payload.bytes.substr(0, 80);
}
inline void PrintTo(const RunRef& run, std::ostream* out) { *out << to_string(run); }
inline void PrintTo(const LeaseToken& token, std::ostream* out) { *out << to_string(token); }

}  // namespace belay

namespace belay::conformance {

using namespace std::chrono_literals;

using Where = std::source_location;

inline constexpr Millis kLease{30'000};
inline constexpr Millis kDeadline{600'000};

/// The answer is `applied`; says what it is otherwise.
[[nodiscard]] ::testing::AssertionResult applied(const Answer& answer);
[[nodiscard]] ::testing::AssertionResult already_applied(const Answer& answer);
/// The answer is a refusal with exactly this code, and not one that a caller should retry as it is.
[[nodiscard]] ::testing::AssertionResult refused(const Answer& answer, Errc code);
[[nodiscard]] std::string describe(const Answer& answer);

// Values.

[[nodiscard]] InstanceName named(std::string id);
[[nodiscard]] HistoryRow events(std::uint32_t count, std::string bytes = "events");
[[nodiscard]] NewActivity activity(CommandNo command, std::string name = "Charge");
[[nodiscard]] NewMessage event(std::string name, std::string text = "");
[[nodiscard]] Outcome completed(std::string output = "output");
[[nodiscard]] Outcome failed(std::string message = "it broke");
/// The outcome of a run that was canceled, or cancels itself.
[[nodiscard]] Outcome canceled(Cleanup cleanup = Cleanup::done);
/// The failure of a run that killed its worker too often.
[[nodiscard]] Outcome poisoned();
/// The i-th of the tokens that a claim of several gives out.
[[nodiscard]] LeaseToken token_after(LeaseToken first, std::uint64_t i);
[[nodiscard]] std::vector<std::string> names_of(const std::vector<Message>& messages);
[[nodiscard]] std::vector<CommandNo> commands_of(const std::vector<ClaimedActivity>& activities);

/// The content of one transition: a part, or several that were fused. Committing a fused one
/// again is the identical commit; a part by itself is a new commit each time.
///
/// (Keeps the variant of all parts out of the case files, where it is half of what they cost to
/// compile.)
class Change {
public:
    // Any part is a change.
    Change(Start part);
    Change(Turn part);
    Change(AckActivity part);
    Change(AbandonActivity part);
    Change(RenewActivity part);
    Change(AbandonTurn part);
    Change(RenewTurn part);
    Change(Cancel part);
    Change(Finish part);
    Change(Send part);
    Change(Deliver part);
    Change(Hold part);
    Change(Release part);
    Change(Delete part);
    Change(FreeKey part);
    Change(Sweep part);
    Change(DeleteInstances part);
    Change(Prune part);
    Change(Redrive part);
    Change(Discard part);
    Change(SetRetention part);
    Change(Import part);
    Change(SetQueueLimits part);
    Change(ReleaseSessions part);
    Change(ReleaseHolder part);
    Change(SetPause part);
    Change(AppendOutput part);
    Change(CommitId commit, std::initializer_list<Change> parts);

    /// The same, stopped under other terms.
    [[nodiscard]] Change with(StopTerms stop) const;

    [[nodiscard]] const Transition& transition() const { return *transition_; }

private:
    std::shared_ptr<const Transition> transition_;
};

class Case : public ::testing::Test {
public:
    void use(FactoryMaker make) { make_ = std::move(make); }

protected:
    virtual void body() = 0;

    void SetUp() override;
    void TestBody() final;
    void TearDown() override;

    // The store and its clock.

    [[nodiscard]] Store& store() { return *store_; }
    [[nodiscard]] Timestamp now() { return store_->now(); }
    void advance(Millis by) { factory_->advance(by); }
    void set_back(Millis by) { factory_->set_back(by); }
    [[nodiscard]] std::uint64_t row_overhead() const { return factory_->row_overhead(); }
    /// Goes on with an empty store made with other options.
    void use_options(const StoreOptions& options);

    // Fresh identities. Safe from any thread.

    [[nodiscard]] RunRef fresh_run(std::string_view id);
    [[nodiscard]] CommitId fresh_commit();
    /// The next 100,000 tokens after it are not given out by another call.
    [[nodiscard]] LeaseToken fresh_token();

    // Writing.

    [[nodiscard]] std::vector<Answer> commit_batch(const std::vector<Change>& batch,
                                                   Where where = Where::current());
    [[nodiscard]] Answer commit(const Change& change, Where where = Where::current());
    Answer apply(const Change& change, Where where = Where::current());
    /// One or several parts as one transition, with a commit id of its own.
    template <class... Parts>
    [[nodiscard]] Change fuse(Parts&&... parts) {
        return Change(fresh_commit(), {Change(std::forward<Parts>(parts))...});
    }

    // Instances.

    /// A run to be created, with a fresh run key and every field filled.
    [[nodiscard]] NewInstance instance(std::string id);
    /// A pending run.
    RunRef start(std::string id, Where where = Where::current());
    /// A run whose first turn is committed and that waits for something.
    RunRef start_running(std::string id, Where where = Where::current());
    /// A run with an activity for each command, all in the default queue.
    RunRef start_with_activities(std::string id, CommandNo count, Where where = Where::current());
    /// A child of a running parent, started by an unclaimed turn; pending.
    RunRef start_child(RunRef parent,
                       CommandNo command,
                       std::string id,
                       Where where = Where::current());
    /// One that goes on when its parent ends.
    RunRef start_abandoned(RunRef parent,
                           CommandNo command,
                           std::string id,
                           Where where = Where::current());
    void raise(std::string id, std::string event_name, Where where = Where::current());
    Answer cancel(std::string id, std::string reason = "enough", Where where = Where::current());
    Answer sweep(std::uint32_t limit = 1000, Where where = Where::current());

    // Turns.

    [[nodiscard]] std::vector<ClaimedInstance> claim_instances(std::uint32_t max,
                                                               Where where = Where::current());
    [[nodiscard]] std::vector<ClaimedInstance> claim_instances(ClaimInstances request,
                                                               Where where = Where::current());
    /// With the hint that came with it.
    [[nodiscard]] ClaimInstances::Answer claim_with_hint(ClaimInstances request,
                                                         Where where = Where::current());
    [[nodiscard]] std::optional<ClaimedInstance> try_claim(std::optional<RunRef> run = std::nullopt,
                                                           Millis lease = kLease,
                                                           Where where = Where::current());
    ClaimedInstance claim(RunRef run, Where where = Where::current());
    /// Does as a worker with nothing else to do: claims, and sleeps for as long as the answer says.
    /// Returns the time it slept until there was something; none if it never had to wait.
    [[nodiscard]] std::optional<Millis> slept_until_claimed(ClaimInstances request,
                                                            Where where = Where::current());
    /// A turn of a claimed run that consumes all it was given and records one event.
    [[nodiscard]] static Turn turn_of(const ClaimedInstance& item);
    /// A turn of a run that nobody holds, read as it stands; consumes nothing, minds no message.
    [[nodiscard]] Turn next_turn(RunRef run, Where where = Where::current());
    /// The turn, ending the run; its parent is told.
    [[nodiscard]] Turn ending(Turn turn, Outcome outcome, Where where = Where::current());
    [[nodiscard]] static Turn continuing(Turn turn, std::string input = "next input");
    void schedule(RunRef run, std::vector<NewActivity> activities, Where where = Where::current());
    void end(RunRef run, Outcome outcome = completed(), Where where = Where::current());
    /// Claims the run and commits a turn that consumes everything that is ready.
    void take_turn(RunRef run, Where where = Where::current());
    /// The messages that the run would be given now. Leaves everything as it was.
    [[nodiscard]] std::vector<Message> inbox(RunRef run, Where where = Where::current());

    // Activities.

    [[nodiscard]] std::vector<ClaimedActivity> claim_activities(std::uint32_t max = 1000,
                                                                Where where = Where::current());
    [[nodiscard]] std::vector<ClaimedActivity> claim_activities(ClaimActivities request,
                                                                Where where = Where::current());
    /// With the hint that came with it.
    [[nodiscard]] ClaimActivities::Answer claim_with_hint(ClaimActivities request,
                                                          Where where = Where::current());
    [[nodiscard]] std::optional<ClaimedActivity> try_claim_activity(Millis lease = kLease,
                                                                    Where where = Where::current());
    ClaimedActivity claim_activity(Where where = Where::current());
    [[nodiscard]] std::optional<Millis> slept_until_claimed(ClaimActivities request,
                                                            Where where = Where::current());
    /// Ends an activity with a completion, and with none.
    [[nodiscard]] Answer try_complete(const ClaimedActivity& item, Where where = Where::current());
    [[nodiscard]] Answer try_drop(const ClaimedActivity& item, Where where = Where::current());
    void complete(const ClaimedActivity& item, Where where = Where::current());
    [[nodiscard]] Answer try_renew(const ClaimedActivity& item,
                                   Millis extend = kLease,
                                   Where where = Where::current());

    // Reading.

    template <ReadRequest Request>
    [[nodiscard]] typename Request::Answer read(Request request, Where where = Where::current()) {
        auto result = answer_to<typename Request::Answer>([&](Done<typename Request::Answer> done) {
            store_->read(std::move(request), std::move(done));
        });
        if (!result) stop("read: " + result.error().describe(), where);
        return std::move(*result);
    }
    [[nodiscard]] std::optional<InstanceInfo> find(std::string id, Where where = Where::current());
    [[nodiscard]] std::optional<InstanceInfo> find(RunRef run, Where where = Where::current());
    [[nodiscard]] InstanceInfo found(std::string id, Where where = Where::current());
    [[nodiscard]] InstanceInfo info(RunRef run, Where where = Where::current());
    [[nodiscard]] Outcome outcome_of(RunRef run, Where where = Where::current());
    [[nodiscard]] CancelRecord cancel_record(RunRef run, Where where = Where::current());
    [[nodiscard]] Status status(RunRef run, Where where = Where::current());
    [[nodiscard]] std::vector<ActivityInfo> activities(std::optional<RunRef> run = std::nullopt,
                                                       Where where = Where::current());
    [[nodiscard]] std::vector<StoppingInfo> stopping(RunRef run, Where where = Where::current());
    [[nodiscard]] std::uint64_t count_stopping(Where where = Where::current());
    [[nodiscard]] std::vector<ListedInstance> held(Where where = Where::current());
    [[nodiscard]] std::vector<DeadLetter> dead_letters(Where where = Where::current());
    [[nodiscard]] std::map<std::string, Payload> key_values(RunRef run,
                                                            Where where = Where::current());
    [[nodiscard]] std::vector<RecordedRow> history(RunRef run,
                                                   ExecutionNo execution = 1,
                                                   Where where = Where::current());

    /// Reports a failure at the caller's line and ends the case.
    [[noreturn]] static void stop(const std::string& message, Where where = Where::current());

private:
    RunRef start_child(
        RunRef parent, CommandNo command, std::string id, ParentClose close, Where where);

    struct Stop {};

    template <class Request>
    typename Request::Answer read_any(Request request, Where where);
    template <class Request>
    typename Request::Answer claim_any(Request request, Where where);
    template <class Request>
    std::optional<Millis> sleep_and_claim(Request request, Where where);

    FactoryMaker make_;
    std::unique_ptr<StoreFactory> factory_;
    std::unique_ptr<Store> store_;
    std::atomic<std::uint64_t> last_key_{1000};
    std::atomic<std::uint64_t> last_commit_{0};
    std::atomic<std::uint64_t> last_serial_{0};
};

}  // namespace belay::conformance
