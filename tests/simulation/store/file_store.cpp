#include "simulation/store/file_store.hpp"

#include <belay/store/operations.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace belay::sim {

namespace {

/// More often than this the power is not lost while the file is being opened.
constexpr int kMostTrouble = 4;

bool is_renewal(const Transition& transition) {
    return std::all_of(transition.parts.begin(), transition.parts.end(), [](const Part& part) {
        return std::holds_alternative<AppendOutput>(part) ||
               std::holds_alternative<RenewActivity>(part) ||
               std::holds_alternative<RenewTurn>(part) ||
               std::holds_alternative<ReleaseHolder>(part);
    });
}

}  // namespace

FileStore::FileStore(const FileSetup& setup, Clock& clock, const StoreOptions& options)
    : options_(SqliteOptions()
                   .store(options)
                   .synchronous(setup.synchronous)
                   .checkpoint_pages(setup.checkpoint_pages)
                   .preallocate(setup.preallocate)
                   .lead_on([this](std::function<void()> lead) {
                       if (gathering_) {
                           lead_ = std::move(lead);
                       } else {
                           lead();
                       }
                   })),
      answers_first_(setup.answers_first),
      clock_(clock),
      rng_(setup.seed),
      groups_(setup.seed + 1),
      // The lock and the news beside the file are real files.
      directory_(support::TemporaryDirectory::in_memory()),
      disk_(directory_.path(), [this] { return rng_.next(); }),
      path_(directory_.file("sim.db")) {
    disk_.set_lying(setup.lying_disk);
    const std::optional<Error> problem = open();
    BELAY_ASSERT(!problem);
}

FileStore::~FileStore() { store_.reset(); }

std::optional<Error> FileStore::open() {
    auto opened = make_sqlite_store(path_, options_, clock_);
    if (!opened) return opened.error();
    store_ = std::move(*opened);
    return std::nullopt;
}

auto FileStore::restart(bool trouble) -> Restarted {
    Restarted restarted;
    for (int tries = 0;; ++tries) {
        disk_.heal();
        disk_.kill_users();
        store_.reset();
        restarted.lost_power |= !disk_.powered();
        disk_.power_on();
        if (trouble && tries < kMostTrouble && rng_.percent(30)) {
            disk_.power_off_after(static_cast<int>(1 + rng_.below(30)));
        }
        restarted.problem = open();
        if (!disk_.powered()) continue;
        disk_.heal();
        return restarted;
    }
}

/// Commits the batch that it answered last time, and not this one.
Result<std::vector<Answer>> FileStore::answer_first(const std::vector<Transition>& batch) {
    store_->commit(std::exchange(answered_, batch), [](const Result<std::vector<Answer>>&) {});
    std::vector<Answer> answers(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const Start* const start = std::get_if<Start>(&batch[i].parts.front());
        if (start == nullptr) continue;
        answers[i].instance = InstanceBrief{start->instance.run, start->instance.name};
    }
    return answers;
}

/// Sends requests of others that find nothing and change nothing, so that the file is the same
/// without them. They do not wait for the disk, and the store puts them first.
void FileStore::ask_in_vain() {
    const LeaseToken token{~std::uint64_t{0}, 1};
    for (std::size_t left = groups_.below(3); left > 0; --left) {
        ++gathered_;
        if (groups_.percent(50)) {
            ClaimActivities request = op::claim_activity(token, "nobody", Millis(1'000));
            request.queues = {"nobody's"};
            store_->claim(std::move(request), [](const Result<ClaimActivities::Answer>&) {});
        } else {
            const RenewTurn renewal{RunRef(), token, Millis(1'000)};
            store_->commit({op::transition(CommitId{token.holder, 1}, renewal)},
                           [](const Result<std::vector<Answer>>&) {});
        }
    }
}

template <class Submit>
void FileStore::in_one_group(Submit submit) {
    gathering_ = true;
    gathered_ = 0;
    ask_in_vain();
    submit();
    ask_in_vain();
    gathering_ = false;
    if (gathered_ > 1) ++shared_groups_;
    std::exchange(lead_, nullptr)();
}

/// The order of a group is that of the jobs, but for renewals, which go first.
auto FileStore::split(const std::vector<Transition>& batch)
    -> std::vector<std::vector<Transition>> {
    const auto renewals = std::count_if(batch.begin(), batch.end(), is_renewal);
    const bool mixed = renewals > 0 && renewals < static_cast<std::ptrdiff_t>(batch.size());
    std::vector<std::vector<Transition>> jobs(1);
    for (const Transition& one : batch) {
        if (!mixed && !jobs.back().empty() && groups_.percent(50)) jobs.emplace_back();
        jobs.back().push_back(one);
    }
    return jobs;
}

Result<std::vector<Answer>> FileStore::ask(const std::vector<Transition>& batch) {
    if (answers_first_) return answer_first(batch);
    std::vector<Answer> answers;
    std::optional<Error> error;
    in_one_group([&] {
        for (std::vector<Transition>& job : split(batch)) {
            ++gathered_;
            store_->commit(std::move(job), [&](Result<std::vector<Answer>> some) {
                if (some) {
                    std::move(some->begin(), some->end(), std::back_inserter(answers));
                } else {
                    error = some.error();
                }
            });
        }
    });
    if (error) return *error;
    BELAY_ASSERT(answers.size() == batch.size());
    return answers;
}

template <class Request>
Result<typename Request::Answer> FileStore::claim(const Request& request) {
    std::optional<Result<typename Request::Answer>> answer;
    in_one_group([&] {
        ++gathered_;
        store_->claim(
            request, [&](Result<typename Request::Answer> one) { answer.emplace(std::move(one)); });
    });
    BELAY_ASSERT(answer.has_value());
    return std::move(*answer);
}

Result<ClaimInstances::Answer> FileStore::ask(const ClaimInstances& request) {
    return claim(request);
}
Result<ClaimActivities::Answer> FileStore::ask(const ClaimActivities& request) {
    return claim(request);
}

template <class Use>
auto FileStore::look(Use use) {
    const support::Disk::Quiet quiet(disk_);
    sqlite3* db = nullptr;
    sqlite3_open(path_.c_str(), &db);
    // A look leaves everything as it is.
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    sqlite3_exec(db, "pragma query_only = 1", nullptr, nullptr, nullptr);
    auto answer = use(db);
    sqlite3_close(db);
    return answer;
}

std::optional<Dump> FileStore::contents() {
    return look([](sqlite3* db) { return dump(db); });
}

std::string FileStore::check_integrity() {
    return look([](sqlite3* db) {
        sqlite3_stmt* statement = nullptr;
        std::string found = "it cannot be read";
        sqlite3_prepare_v2(db, "pragma integrity_check", -1, &statement, nullptr);
        if (sqlite3_step(statement) == SQLITE_ROW) {
            found = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
        }
        sqlite3_finalize(statement);
        return found == "ok" ? std::string() : found;
    });
}

}  // namespace belay::sim
