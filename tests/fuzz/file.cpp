// A file of the SQLite store with some bytes changed: every answer is an answer, never a crash.
//
// The input is a list of changes: where (two bytes, in sixteenths of the file), how many bytes, and
// these.
#include "fuzz/target.hpp"
#include "support/disk.hpp"
#include "support/manual_clock.hpp"
#include "support/temporary_directory.hpp"
#include <belay/store/operations.hpp>
#include <belay/store/sqlite.hpp>

#include <memory>

using namespace belay;

namespace {

SqliteOptions options() {
    return SqliteOptions().preallocate(false).synchronous(Synchronous::normal);
}

/// Where everything happens.
struct Place {
    support::TemporaryDirectory directory{support::TemporaryDirectory::in_memory()};
    support::Disk disk{directory.path(), [] { return std::uint64_t{1}; }};
    std::string path = directory.file("fuzz.db");
    support::ManualClock clock;
    std::string whole;

    Place() {
        make();
        support::DiskFile& file = *disk.file(path);
        whole.resize(file.size());
        file.read(0, whole.size(), whole.data());
    }

    /// One of everything there is: what is damaged should be something that is read.
    void make() {
        auto store = make_sqlite_store(path, options(), clock);
        auto commit = [&, id = std::uint64_t{0}](auto... parts) mutable {
            const auto done = [](const Result<std::vector<Answer>>& result) {
                fuzz::require(result.ok() && result->front().done(), "the file is made");
            };
            (*store)->commit({op::transition(CommitId{1, ++id}, std::move(parts)...)}, done);
        };
        Start start = op::start(instance("a", 7));
        start.instance.headers = {{"trace", "x"}};
        start.instance.labels = {{"color", std::string("red")}, {"size", 7.5}};
        start.instance.input = Payload(PayloadCodec::text, std::string(6'000, 'i'));
        start.key = IdempotencyKey{"once", KeyScope::forever, Millis(0)};
        start.request_id = "request";
        Turn turn = first_turn(start.instance.run);
        turn.activities = {leased(1, 1), leased(3, 3)};
        turn.timers.push_back(NewTimer{2, clock.wall(), NewMessage()});
        turn.key_values.push_back(KeyValueChange{"k", Payload(PayloadCodec::text, "v")});
        NewChild child;
        child.instance = instance("a/child", 8);
        child.instance.parent = ParentLink{start.instance.run, 1, 4};
        turn.children.push_back(child);
        commit(start, turn);
        commit(op::raise(start.instance.name, "go", Payload()));
        // A letter to nobody, and handlers that were told to stop.
        commit(Deliver{RunRef{shard_of("gone"), RunKey{99}}, NewMessage()});
        const NewInstance canceled = instance("b", 9);
        turn = first_turn(canceled.run);
        turn.activities = {leased(1, 5)};
        commit(op::start(canceled), turn);
        commit(op::cancel(canceled.name, "enough", Millis(1000)));
    }
    static NewActivity leased(CommandNo command, std::uint64_t serial) {
        NewActivity made;
        made.command = command;
        made.name = "Work";
        made.hand_over = NewActivity::HandOver{LeaseToken{1, serial}, Millis(1000), "w"};
        return made;
    }
    static NewInstance instance(const std::string& id, std::uint64_t key) {
        NewInstance made;
        made.run = RunRef{shard_of(id), RunKey{key}};
        made.name = InstanceName{"default", id};
        made.definition = "Test";
        return made;
    }
    static Turn first_turn(RunRef run) {
        Turn turn;
        turn.run = run;
        turn.history = HistoryRow{1, 1, "e"};
        return turn;
    }
};

/// Reads all there is, then changes it in every way.
void use(Store& store) {
    const auto ignore = [](const auto&) {};
    const InstanceName name{"default", "a"};
    const RunRef run{shard_of("a"), RunKey{7}};
    store.read(ReadInstance{name, {}}, ignore);
    store.read(ReadInstances{{{name, {}}, {name, run}}}, ignore);
    store.read(ReadHistory{run}, ignore);
    store.read(ListExecutions{run}, ignore);
    store.read(ListActivities{}, ignore);
    store.read(ListChildren{run}, ignore);
    store.read(ListTree{name}, ignore);
    store.read(SelectInstances{{.space = "default"}, SelectInstances::Ended{}, 1000}, ignore);
    store.read(SelectInstances{{.space = "default"}, SelectInstances::Chains{}, 1000}, ignore);
    store.read(KeyValues{run}, ignore);
    store.read(ReadOutput{run}, ignore);
    store.read(ListDeadLetters{}, ignore);
    store.read(ReadOpenWork{name}, ignore);
    store.read(CountQueues{}, ignore);
    store.read(CheckLeases{{{ActivityRef{run, 1, 1}, LeaseToken{1, 1}}}}, ignore);

    auto commit = [&, id = std::uint64_t{0}](auto part) mutable {
        store.commit({op::transition(CommitId{2, ++id}, std::move(part))}, ignore);
    };
    commit(RenewActivity{ActivityRef{run, 1, 1}, LeaseToken{1, 1}, Millis(1000)});
    commit(AckActivity{ActivityRef{run, 1, 1}, LeaseToken{1, 1}, NewMessage()});
    std::vector<ClaimedInstance> claimed;
    ClaimInstances claim = op::claim_instance(LeaseToken{2, 1}, "w", Millis(1000));
    claim.max = 10;
    store.claim(std::move(claim), [&](Result<ClaimInstances::Answer> answer) {
        if (answer) claimed = std::move(answer->claimed);
    });
    store.claim(op::claim_activity(LeaseToken{2, 100}, "w", Millis(1000)), ignore);
    for (const ClaimedInstance& item : claimed) {
        commit(op::turn(item, HistoryRow{1, 1, "e"}));
    }
    commit(op::cancel(name, "enough", Millis(0)));
    commit(Sweep{});
    commit(op::force_delete(name));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static Place& place = *new Place();
    std::string_view rest = fuzz::text_of(data, size);
    place.disk.forget_files();
    place.disk.put_file(place.path, place.whole);
    support::DiskFile& file = *place.disk.file(place.path);
    while (rest.size() > 3) {
        const std::size_t high = fuzz::take_byte(rest);
        const std::size_t at = (high * 256 + fuzz::take_byte(rest)) * 16 % place.whole.size();
        const std::string bytes(rest.substr(1, static_cast<std::uint8_t>(rest.front()) % 32));
        rest.remove_prefix(1 + bytes.size());
        if (at + bytes.size() <= place.whole.size()) file.damage(at, bytes);
    }
    auto store = make_sqlite_store(place.path, options(), place.clock);
    if (store) use(**store);
    return 0;
}
