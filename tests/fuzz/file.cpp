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

    /// A run with an activity, a timer, a message and a few more of what there is.
    void make() {
        auto store = make_sqlite_store(path, options(), clock);
        NewInstance made;
        made.run = RunRef{shard_of("a"), RunKey{7}};
        made.name = InstanceName{"default", "a"};
        made.definition = "Test";
        made.headers = {{"trace", "x"}};
        made.labels = {{"color", std::string("red")}, {"size", 7.5}};
        Turn turn;
        turn.run = made.run;
        turn.history = HistoryRow{1, 1, "e"};
        NewActivity activity;
        activity.command = 1;
        activity.name = "Work";
        turn.activities.push_back(activity);
        turn.timers.push_back(NewTimer{2, clock.wall(), NewMessage()});
        const auto ignore = [](const Result<std::vector<Answer>>&) {};
        (*store)->commit({op::transition(CommitId{1, 1}, op::start(made), turn)}, ignore);
        Send send;
        send.name = made.name;
        send.message.name = "go";
        (*store)->commit({op::transition(CommitId{1, 2}, send)}, ignore);
    }
};

void use(Store& store) {
    const auto ignore = [](const auto&) {};
    const InstanceName name{"default", "a"};
    const RunRef run{shard_of("a"), RunKey{7}};
    store.read(ReadInstance{name, {}}, ignore);
    store.read(ReadHistory{run}, ignore);
    store.read(ListActivities{}, ignore);
    store.read(ListChildren{run}, ignore);
    store.claim(op::fetch_orchestration_item(LeaseToken{1, 1}, "w", Millis(1000)), ignore);
    store.claim(op::fetch_work_item(LeaseToken{1, 100}, "w", Millis(1000)), ignore);
    Cancel cancel;
    cancel.name = name;
    store.commit({op::transition(CommitId{2, 1}, cancel)}, ignore);
    Delete remove;
    remove.name = name;
    remove.force = true;
    store.commit({op::transition(CommitId{2, 2}, remove)}, ignore);
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
