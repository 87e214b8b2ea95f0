// Shared by the tests of the SQLite store: files that go away, stores on them, and short words for
// requests.
#pragma once

#include "support/manual_clock.hpp"
#include "support/temporary_directory.hpp"
#include <belay/store/operations.hpp>
#include <belay/store/sqlite.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <initializer_list>
#include <set>
#include <string>

namespace belay::sqlite {

/// Asks one store and waits for the answer. Identities begin with `holder`, so that those of
/// several drivers differ.
class Driver {
public:
    Driver(Store& store, std::uint64_t holder) : store_(store), holder_(holder) {}

    template <class... Parts>
    Result<Answer> try_commit(CommitId id, Parts&&... parts) {
        auto result = try_commit_together({op::transition(id, std::forward<Parts>(parts)...)});
        if (!result) return result.error();
        return std::move(result->at(0));
    }
    template <class... Parts>
    Answer commit(Parts&&... parts) {
        return try_commit(next_commit(), std::forward<Parts>(parts)...).value();
    }
    template <class... Parts>
    Transition change(Parts&&... parts) {
        return op::transition(next_commit(), std::forward<Parts>(parts)...);
    }
    /// In one transaction of the file.
    std::vector<Answer> commit_together(std::vector<Transition> changes) {
        return try_commit_together(std::move(changes)).value();
    }
    template <class Request>
    typename Request::Answer read(Request request) {
        std::promise<Result<typename Request::Answer>> answered;
        store_.read(std::move(request), [&](Result<typename Request::Answer> result) {
            answered.set_value(std::move(result));
        });
        return answered.get_future().get().value();
    }
    template <class Request>
    typename Request::Answer claim(Request request) {
        std::promise<Result<typename Request::Answer>> answered;
        store_.claim(std::move(request), [&](Result<typename Request::Answer> result) {
            answered.set_value(std::move(result));
        });
        return answered.get_future().get().value();
    }
    std::vector<ClaimedInstance> claim_instances(std::uint32_t max = 1) {
        ClaimInstances request = op::claim_instance(next_token(), "w", Millis(30'000));
        request.max = max;
        return claim(std::move(request)).claimed;
    }
    std::vector<ClaimedActivity> claim_activities(std::uint32_t max = 1) {
        ClaimActivities request = op::claim_activity(next_token(), "w", Millis(30'000));
        request.max = max;
        return claim(std::move(request)).claimed;
    }
    std::optional<InstanceInfo> find(const std::string& id) {
        return read(ReadInstance{name(id), {}});
    }

    CommitId next_commit() { return CommitId{holder_, ++commits_}; }
    LeaseToken next_token() { return LeaseToken{holder_, serials_ += 100'000}; }
    NewInstance instance(const std::string& id) {
        NewInstance made;
        made.run = RunRef{shard_of(id), RunKey{holder_ * 1'000'000'000 + ++keys_}};
        made.name = name(id);
        made.definition = "Test";
        made.version = "1";
        return made;
    }
    /// A run that has taken its first turn, with an activity for each of `commands`.
    RunRef start_running(const std::string& id, CommandNo commands = 0) {
        const NewInstance made = instance(id);
        commit(op::start(made), first_turn(made.run, commands));
        return made.run;
    }
    static Turn first_turn(RunRef run, CommandNo commands) {
        Turn turn;
        turn.run = run;
        turn.history = events(1);
        for (CommandNo command = 1; command <= commands; ++command) {
            turn.activities.push_back(activity(command));
        }
        return turn;
    }
    static InstanceName name(const std::string& id) { return InstanceName{"space", id}; }
    static NewActivity activity(CommandNo command) {
        NewActivity made;
        made.command = command;
        made.name = "Act";
        return made;
    }
    static HistoryRow events(std::uint32_t count) {
        return HistoryRow{1, count, std::string(count, 'e')};
    }

private:
    Result<std::vector<Answer>> try_commit_together(std::vector<Transition> changes) {
        std::promise<Result<std::vector<Answer>>> answered;
        store_.commit(std::move(changes), [&](Result<std::vector<Answer>> result) {
            answered.set_value(std::move(result));
        });
        return answered.get_future().get();
    }

    Store& store_;
    const std::uint64_t holder_;
    std::atomic<std::uint64_t> commits_{0};
    std::atomic<std::uint64_t> serials_{0};
    std::atomic<std::uint64_t> keys_{0};
};

[[nodiscard]] inline SqliteOptions quick() {
    return SqliteOptions().synchronous(Synchronous::normal).preallocate(false);
}

class SqliteStoreTest : public ::testing::Test {
protected:
    [[nodiscard]] std::unique_ptr<Store> open(SqliteOptions options = quick()) {
        auto store = make_sqlite_store(path_, options, clock_);
        if (!store) throw std::runtime_error(store.error().describe());
        return std::move(*store);
    }
    /// Opening fails, and this is why.
    [[nodiscard]] Error refusal() {
        auto store = make_sqlite_store(path_, quick(), clock_);
        if (store) throw std::runtime_error("the file was opened");
        return store.error();
    }
    /// A run that has completed.
    static RunRef ended(Driver& driver, const std::string& id) {
        const RunRef run = driver.start_running(id);
        Turn turn;
        turn.run = run;
        turn.position = 1;
        turn.history = Driver::events(1);
        turn.after = Ends{Outcome(), std::nullopt};
        EXPECT_TRUE(driver.commit(turn).done());
        return run;
    }
    /// The names of the files that are there.
    [[nodiscard]] std::set<std::string> files() const {
        std::set<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
            names.insert(entry.path().filename());
        }
        return names;
    }
    /// As any other program would.
    void execute(const std::string& sql) { execute(path_, sql); }
    static void execute(const std::string& path, const std::string& sql) {
        sqlite3* db = nullptr;
        ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
        char* message = nullptr;
        const int code = sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message);
        EXPECT_EQ(code, SQLITE_OK) << sql << ": " << (message == nullptr ? "" : message);
        sqlite3_free(message);
        sqlite3_close(db);
    }
    void drop_columns(std::initializer_list<const char*> columns) {
        for (const char* const column : columns) {
            execute(std::string("alter table run drop column ") + column);
        }
    }
    /// Makes of a file of ours what the release left that wrote this version of the schema.
    void go_back_to(int version) {
        if (version < 24) execute("drop table rate_place");
        if (version < 23) {
            execute("drop table output; drop table output_attempt; drop table output_chunk");
        }
        if (version < 22) {
            execute(
                "drop table concurrent; drop table pause; drop index run_late; "
                "drop index run_ready; create index run_ready "
                "on run (ready_at, key, shard, definition, version, document) "
                "where ready_at is not null; update compatibility set oldest_program = 20");
            drop_columns({"nothing_to_clean_up",
                          "priority",
                          "begin_by",
                          "end_by",
                          "late_at",
                          "concurrency_key",
                          "place_in_line"});
        }
        if (version < 21) {
            execute(
                "drop table document; drop index run_document; drop index run_ready; "
                "create index run_ready on run (ready_at, key, shard, definition, version) "
                "where ready_at is not null");
            drop_columns(
                {"document", "on_fail", "on_fail_shard", "on_fail_of", "on_fail_of_shard"});
        }
        if (version < 20) {
            execute(
                "alter table run rename column ended_as to outcome; drop table run_block; "
                "drop index run_outcome; alter table run drop column child; "
                "create index run_definition on run (space, definition); "
                "create index run_owner on run (space, owner); "
                "create index run_version on run (space, version) where version <> ''; "
                "create index run_created on run (space, created_at); "
                "create index run_ended on run (space, status, ended_at) "
                "where former = 0 and ended_at is not null; "
                "create index run_outcome on run (space, former, definition, status, ended_at) "
                "where ended_at is not null; "
                "create index run_root_ended on run (space, definition, status, ended_at) "
                "where parent_key is null and former = 0 and ended_at is not null; "
                "update compatibility set oldest_program = 1");
        }
        if (version < 19) execute("drop table holder");
        if (version < 18) execute("alter table run drop column held_kind");
        if (version < 17) execute("alter table run drop column overruns");
        if (version < 16) {
            execute(
                "drop index run_ready; "
                "create index run_ready on run (ready_at) where ready_at is not null");
        }
        if (version < 15) {
            execute("drop index activity_lane; alter table activity drop column lane");
        }
        if (version < 14) execute("drop table put_off");
        if (version < 13) execute("drop table session_use");
        if (version < 12) execute("drop index queue_use_running; drop index queue_use_key");
        if (version < 11) {
            execute(
                "alter table stopping drop column queue; "
                "alter table stopping drop column fairness_key");
        }
        if (version < 10) {
            execute(
                "create index queue_use_queue on queue_use (queue); drop index queue_use_begun");
        }
        if (version < 9) {
            for (const char* column :
                 {"delete_high", "delete_low", "instances", "executions", "events", "messages"}) {
                execute(std::string("alter table gone drop column ") + column);
            }
        }
        if (version < 8) {
            execute(
                "alter table activity drop column session; drop table session; "
                "drop table queue_limit; drop table queue_use");
        }
        if (version < 7) {
            execute(
                "alter table activity drop column heartbeat_timeout; "
                "alter table activity drop column progress_at; drop table progress");
        }
        if (version < 6) execute("alter table run drop column parent_close");
        if (version < 5) {
            execute(
                "alter table run drop column lock_since; alter table run drop column held_since; "
                "alter table activity drop column claimed_at; "
                "alter table stopping drop column since");
        }
        if (version < 4) {
            execute(
                "drop table retention; drop table retention_rule; drop index run_root_ended; "
                "drop index run_chain; drop index run_former");
        }
        if (version < 3) {
            for (const char* index : {"run_definition",
                                      "run_owner",
                                      "run_version",
                                      "run_created",
                                      "run_open",
                                      "run_parent",
                                      "run_ended",
                                      "run_outcome",
                                      "label_value"}) {
                execute(std::string("drop index ") + index);
            }
        }
        if (version == 2) {
            execute(
                "create index run_ended on run (space, ended_at) "
                "where parent_key is null and former = 0 and ended_at is not null");
        }
        if (version < 2) execute("drop index dead_letter_run");
        execute("pragma user_version = " + std::to_string(version));
    }
    [[nodiscard]] std::string ask(const std::string& sql) { return ask(sql, path_); }
    [[nodiscard]] static std::string ask(const std::string& sql, const std::string& path) {
        sqlite3* db = nullptr;
        sqlite3_stmt* statement = nullptr;
        sqlite3_open(path.c_str(), &db);
        sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr);
        std::string answer = "nothing";
        if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0) != nullptr) {
            answer = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
        }
        sqlite3_finalize(statement);
        sqlite3_close(db);
        return answer;
    }

    support::TemporaryDirectory directory_{support::TemporaryDirectory::in_memory()};
    std::string path_ = directory_.file("store.db");
    support::ManualClock clock_;
};

}  // namespace belay::sqlite
