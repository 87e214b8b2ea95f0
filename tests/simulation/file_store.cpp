#include "simulation/file_store.hpp"

#include <utility>

namespace belay::sim {

namespace {

/// More often than this the power is not lost while the file is being opened.
constexpr int kMostTrouble = 4;

}  // namespace

FileStore::FileStore(const FileSetup& setup, Clock& clock, const StoreOptions& options)
    : options_(SqliteOptions()
                   .store(options)
                   .synchronous(setup.synchronous)
                   .checkpoint_pages(setup.checkpoint_pages)
                   .preallocate(setup.preallocate)),
      answers_first_(setup.answers_first),
      clock_(clock),
      rng_(setup.seed),
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

/// Commits what it answered last time, and not this.
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

Result<std::vector<Answer>> FileStore::ask(const std::vector<Transition>& batch) {
    if (answers_first_) return answer_first(batch);
    std::optional<Result<std::vector<Answer>>> answer;
    store_->commit(batch, [&](Result<std::vector<Answer>> one) { answer.emplace(std::move(one)); });
    BELAY_ASSERT(answer.has_value());
    return std::move(*answer);
}

Result<ClaimInstances::Answer> FileStore::ask(const ClaimInstances& request) {
    std::optional<Result<ClaimInstances::Answer>> answer;
    store_->claim(request,
                  [&](Result<ClaimInstances::Answer> one) { answer.emplace(std::move(one)); });
    BELAY_ASSERT(answer.has_value());
    return std::move(*answer);
}

Result<ClaimActivities::Answer> FileStore::ask(const ClaimActivities& request) {
    std::optional<Result<ClaimActivities::Answer>> answer;
    store_->claim(request,
                  [&](Result<ClaimActivities::Answer> one) { answer.emplace(std::move(one)); });
    BELAY_ASSERT(answer.has_value());
    return std::move(*answer);
}

template <class Use>
auto FileStore::look(Use use) {
    const support::Disk::Quiet quiet(disk_);
    sqlite3* db = nullptr;
    sqlite3_open(path_.c_str(), &db);
    // Whoever looks leaves everything as it is.
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
