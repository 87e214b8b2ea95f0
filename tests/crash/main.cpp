// belay-crash: workers on one SQLite file are killed, stopped and run out of disk under load, and
// everything that was promised is kept.
//
//     belay-crash [--kills N] [--seed N]
#include "crash/load.hpp"
#include "crash/worker_process.hpp"
#include "support/temporary_directory.hpp"
#include <belay/store/sqlite.hpp>

#include <sqlite3.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace belay::crash;

constexpr std::size_t kWorkers = 3;
/// Runs that are open while processes are killed: enough to keep all of them busy.
constexpr std::size_t kOpenRuns = 48;

class Crash {
public:
    Crash(int kills, unsigned seed) : kills_(kills), random_(seed) {
        for (std::size_t i = 0; i < kWorkers; ++i) workers_.push_back(fresh_worker(i));
    }

    int run() {
        std::setvbuf(stdout, nullptr, _IOLBF, 0);
        kill_workers();
        take_over_from_the_dead();
        fill_the_disk();
        stop_one_for_longer_than_its_lease();
        let_everything_end();
        check_the_file();
        std::printf("crash: %d passed, %d failed, 0 skipped\n", passed_, failed_);
        return failed_ == 0 ? 0 : 1;
    }

private:
    [[nodiscard]] std::unique_ptr<WorkerProcess> fresh_worker(std::size_t place) const {
        WorkerSetup setup;
        setup.file = file_;
        setup.effects = effects_;
        setup.full_disk = full_disk_;
        setup.version = place == 0 ? 2 : 1;  // A deployment that is under way all the time.
        setup.long_leases = long_leases_;
        return std::make_unique<WorkerProcess>(setup);
    }

    void kill_workers() {
        int in_the_midst = 0;
        for (int i = 1; i <= kills_; ++i) {
            keep_busy();
            const std::size_t place = random_() % kWorkers;
            WorkerProcess& victim = *workers_[place];
            wait_for_the_worst(victim, i % 8 == 0);
            victim.end(SIGKILL);
            if (victim.glimpse().in_the_midst()) ++in_the_midst;
            workers_[place] = fresh_worker(place);
            if (i % 25 == 0) {
                std::printf(
                    "  %d of %d kills, %d with a lease held and a commit under way; "
                    "%zu runs started, %zu canceled, %zu open\n",
                    i,
                    kills_,
                    in_the_midst,
                    load_.started(),
                    load_.canceled(),
                    open_);
                std::fflush(stdout);
            }
        }
        std::printf("  split: %d in the midst of a commit with a lease held, %d at another time\n",
                    in_the_midst,
                    kills_ - in_the_midst);
        check(2 * in_the_midst >= kills_, "at least half of the kills were in the midst of it");
    }

    void keep_busy() {
        open_ = load_.open();
        while (open_ < kOpenRuns) {
            load_.add();
            load_.add_newer();
            open_ += 6;
        }
    }

    /// Until it holds a lease and commits. Now and then at any time instead, and not for ever: it
    /// may have only just begun.
    void wait_for_the_worst(const WorkerProcess& victim, bool any_time) {
        const auto give_up = std::chrono::steady_clock::now() + 3s;
        if (any_time) {
            std::this_thread::sleep_for(std::chrono::milliseconds(random_() % 50));
            return;
        }
        while (!victim.glimpse().in_the_midst() && std::chrono::steady_clock::now() < give_up) {
        }
    }

    /// With leases that last for an hour, all that a killed worker held goes on all the same: where
    /// others work, and where all are killed and others come.
    void take_over_from_the_dead() {
        std::printf("  workers with leases of an hour are killed\n");
        long_leases_ = true;
        for (std::size_t i = 0; i < kWorkers; ++i) replace(i, SIGTERM);
        for (int round = 0; round < 6; ++round) {
            keep_busy();
            const std::size_t place = random_() % kWorkers;
            wait_for_the_worst(*workers_[place], false);
            const std::string dead = workers_[place]->name();
            if (round % 2 == 0) {
                workers_[place]->end(SIGKILL);
            } else {
                for (const auto& worker : workers_) worker->end(SIGKILL);
                for (std::size_t i = 0; i < kWorkers; ++i) workers_[i] = fresh_worker(i);
            }
            const bool free = becomes_true(60s, [&] { return !holds_leases(dead); });
            check(free, "what " + dead + " held was taken over before its leases ended");
            if (round % 2 == 0) workers_[place] = fresh_worker(place);
        }
        check(becomes_true(120s, [this] { return load_.open() == 0; }),
              "everything ends though leases last for an hour");
        long_leases_ = false;
        for (std::size_t i = 0; i < kWorkers; ++i) replace(i, SIGTERM);
    }

    void replace(std::size_t place, int signal) {
        workers_[place]->end(signal);
        workers_[place] = fresh_worker(place);
    }

    void fill_the_disk() {
        std::printf("  the workers' disk is full until each has failed several times\n");
        keep_busy();
        std::ofstream(full_disk_).put('!');
        // Our own disk is not full. With this commit we have had the lock of the file since: what
        // a worker had begun to write before is committed, and all that it writes later fails.
        load_.add();
        // Cancels what is to be canceled, so that the second count has nothing to write.
        (void)load_.open();
        const std::size_t before = load_.open();
        const bool all_failed = every_worker_fails_again();
        check(before > 0 && load_.open() == before, "nothing ends while the disk is full");
        check(all_failed, "each worker has found the disk full several times");
        std::filesystem::remove(full_disk_);
    }

    /// Waits until the store has taken nothing from each worker for so many times. False: not in
    /// half a minute.
    [[nodiscard]] bool every_worker_fails_again() const {
        constexpr std::int32_t kTimes = 5;
        std::vector<std::int32_t> before;
        for (const auto& worker : workers_) before.push_back(worker->glimpse().failures.load());
        return becomes_true(30s, [&] {
            for (std::size_t i = 0; i < workers_.size(); ++i) {
                if (workers_[i]->glimpse().failures.load() < before[i] + kTimes) return false;
            }
            return true;
        });
    }

    /// Looks until it is true, or the time is over.
    template <class Condition>
    [[nodiscard]] static bool becomes_true(std::chrono::seconds most, Condition condition) {
        const auto give_up = std::chrono::steady_clock::now() + most;
        while (!condition()) {
            if (std::chrono::steady_clock::now() >= give_up) return false;
            std::this_thread::sleep_for(5ms);
        }
        return true;
    }

    void stop_one_for_longer_than_its_lease() {
        std::printf("  a worker stands still (SIGSTOP) until its leases are lost\n");
        keep_busy();
        wait_for_the_worst(*workers_[1], false);
        workers_[1]->send(SIGSTOP);
        // Reads need no lock. The worker may hold the one of the file: then everybody who writes
        // waits for it, we too, and its leases expire without being taken over.
        const bool lost = becomes_true(30s, [this] { return !holds_leases(workers_[1]->name()); });
        check(lost, "a worker that stands still has lost its leases");
        workers_[1]->send(SIGCONT);
        keep_busy();
    }

    [[nodiscard]] bool holds_leases(const std::string& worker) {
        const auto leases = belay::Client(*store_).leases();
        if (!leases) return true;  // Not known: ask again.
        const auto is_its_own = [&](const auto& one) { return one.worker == worker; };
        return std::any_of(leases->activities.begin(), leases->activities.end(), is_its_own) ||
               std::any_of(leases->turns.begin(), leases->turns.end(), is_its_own);
    }

    void let_everything_end() {
        std::printf("  everything is left to end\n");
        (void)becomes_true(120s, [this] { return load_.open() == 0; });
        for (std::size_t i = 0; i < kWorkers; ++i) {
            check(workers_[i]->end(SIGTERM) == 0,
                  "worker " + std::to_string(i) + " stops when it is asked to, and leaves nothing");
        }
        const std::vector<std::string> problems = load_.problems(effects_);
        for (const std::string& problem : problems) std::printf("  %s\n", problem.c_str());
        check(problems.empty(),
              std::to_string(load_.started()) + " runs ended rightly, each effect counted once, " +
                  std::to_string(load_.canceled()) + " cancels held");
        check(load_.cleaned_up() > 0,
              std::to_string(load_.cleaned_up()) + " of those canceled had something to clean up");
    }

    void check_the_file() {
        sqlite3* db = nullptr;
        std::string answer;
        const auto keep = [](void* to, int, char** values, char**) {
            *static_cast<std::string*>(to) += values[0];
            return 0;
        };
        if (sqlite3_open(file_.c_str(), &db) == SQLITE_OK) {
            sqlite3_exec(db, "pragma integrity_check", keep, &answer, nullptr);
            check(answer == "ok", "the file is whole: " + answer);
            answer.clear();
            sqlite3_exec(db,
                         "select (select count(*) from activity) + (select count(*) from message) "
                         "+ (select count(*) from timer) + (select count(*) from stopping)",
                         keep,
                         &answer,
                         nullptr);
            check(answer == "0", "nothing is left in its queues: " + answer);
        } else {
            check(false, "the file can be opened");
        }
        sqlite3_close(db);
    }

    void check(bool fine, const std::string& what) {
        std::printf("  %s: %s\n", fine ? "ok" : "FAILED", what.c_str());
        std::fflush(stdout);
        ++(fine ? passed_ : failed_);
    }

    const int kills_;
    std::minstd_rand random_;
    belay::support::TemporaryDirectory directory_;
    const std::string file_ = directory_.file("belay.db");
    const std::string effects_ = directory_.file("effects");
    const std::string full_disk_ = directory_.file("full");
    std::unique_ptr<belay::Store> store_ = belay::make_sqlite_store(file_).value();
    Load load_{*store_};
    std::vector<std::unique_ptr<WorkerProcess>> workers_;
    std::size_t open_ = 0;
    bool long_leases_ = false;  ///< For those that are started from now on.
    int passed_ = 0;
    int failed_ = 0;
};

int work(char** arguments) {
    WorkerSetup setup;
    setup.file = arguments[0];
    setup.effects = arguments[1];
    setup.version = std::atoi(arguments[2]);
    setup.long_leases = std::string_view(arguments[4]) == "long";
    void* const page = ::mmap(
        nullptr, sizeof(Glimpse), PROT_READ | PROT_WRITE, MAP_SHARED, std::atoi(arguments[3]), 0);
    if (page == MAP_FAILED) return 1;
    return work(setup, *static_cast<Glimpse*>(page));
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc == 7 && std::string_view(argv[1]) == "work") return work(argv + 2);
        int kills = 200;
        unsigned seed = 1;
        for (int i = 1; i + 1 < argc; i += 2) {
            if (std::string_view(argv[i]) == "--kills") kills = std::atoi(argv[i + 1]);
            if (std::string_view(argv[i]) == "--seed") {
                seed = static_cast<unsigned>(std::atoi(argv[i + 1]));
            }
        }
        return Crash(kills, seed).run();
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "belay-crash: %s\n", problem.what());
        std::printf("crash: 0 passed, 1 failed, 0 skipped\n");
        return 1;
    }
}
