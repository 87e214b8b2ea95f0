#include "management_group.hpp"

#include "bare.hpp"
#include "finished_file.hpp"
#include "sqlite_run.hpp"
#include <belay/finding.hpp>

#include <atomic>
#include <functional>
#include <random>
#include <thread>

namespace belay::bench {

namespace {

constexpr std::int64_t kInstances = 1'000'000;
constexpr std::int64_t kPage = 50;
constexpr int kPages = 101;
constexpr std::int64_t kDeleted = 100'000;
constexpr std::int64_t kDeletedAtATime = 20'000;
constexpr std::int64_t kDeletedPerCommit = 100;

/// Instances at hand, by key.
class Keys {
public:
    explicit Keys(std::int64_t most) : keys_(1, most) {}
    std::int64_t operator()() { return keys_(random_); }

private:
    std::minstd_rand random_{1};
    std::uniform_int_distribution<std::int64_t> keys_;
};

double seconds_of(const std::function<void()>& what) {
    const Instant begin = SteadyClock::now();
    what();
    return seconds_between(begin, SteadyClock::now());
}

/// Fifty rows of runs, whole, by their keys.
class KeyReads {
public:
    explicit KeyReads(const std::string& path) : bare_(path, Synchronous::full) {}

    void read(Keys& keys) {
        for (std::int64_t i = 0; i < kPage; ++i) {
            bind(select_, 1, keys());
            require(sqlite3_step(select_) == SQLITE_ROW, "a run is missing");
            require(sqlite3_column_text(select_, 0) != nullptr, "a run has no name");
            sqlite3_reset(select_);
        }
    }

private:
    Bare bare_;
    sqlite3_stmt* select_ = bare_.prepare("select id, * from run where key = ?1");
};

struct Filter {
    const char* name;
    /// As the instance of this key would be looked for.
    std::function<ListOptions(std::int64_t)> options;
};

Timestamp at(std::int64_t key) { return Timestamp(Millis(key)); }

const std::vector<Filter>& filters() {
    static const std::vector<Filter> all{
        {"nothing", [](std::int64_t) { return ListOptions(); }},
        {"status", [](std::int64_t) { return ListOptions().status(Status::canceled); }},
        {"definition",
         [](std::int64_t key) {
             return ListOptions().definition(FinishedFile::definition_of(key));
         }},
        {"version",
         [](std::int64_t key) { return ListOptions().version(FinishedFile::version_of(key)); }},
        {"owner",
         [](std::int64_t key) { return ListOptions().owner(FinishedFile::owner_of(key)); }},
        {"label",
         [](std::int64_t key) {
             return ListOptions().label("region", FinishedFile::region_of(key));
         }},
        {"parent",
         [](std::int64_t key) {
             return ListOptions().parent(FinishedFile::id_of(key - key % 1'000 + 1));
         }},
        {"created", [](std::int64_t key) { return ListOptions().created_from(at(key)); }},
        {"ended", [](std::int64_t key) { return ListOptions().ended_before(at(key)); }},
        {"id_prefix",
         [](std::int64_t key) {
             const std::string id = FinishedFile::id_of(key);
             return ListOptions().id_prefix(id.substr(0, id.rfind('-')));
         }},
    };
    return all;
}

/// Pages of one filter, in turns with reads by key.
void measure_pages(Report& report, const Filter& filter, Client& client, KeyReads& reads) {
    const std::string name = std::string("management.page.") + filter.name;
    if (!report.wants(name)) return;
    Keys keys(kInstances - 1'000);
    std::vector<double> pages;
    std::vector<double> bare;
    std::size_t rows = 0;
    for (int i = 0; i < kPages; ++i) {
        const ListOptions options = filter.options(keys()).page_size(kPage);
        pages.push_back(seconds_of([&] {
            const auto page = client.list(options);
            require(page.ok(), name + (page ? "" : ": " + page.error().describe()));
            rows += page->instances.size();
        }));
        bare.push_back(seconds_of([&] { reads.read(keys); }));
    }
    require(rows >= kPages * kPage * 9 / 10, name + ": the pages are not full");
    report.add(Figure{name, median(pages) / median(bare), "times 50 reads by key", 20});
}

void measure_counts(Report& report, Client& client) {
    constexpr const char* kName = "management.count";
    if (!report.wants(kName)) return;
    std::vector<double> seconds;
    for (int i = 0; i < 2 * kRepetitions + 1; ++i) {
        seconds.push_back(seconds_of([&] {
            const auto counts = client.count();
            std::uint64_t sum = 0;
            if (counts.ok()) {
                for (const InstanceCount& count : *counts) sum += count.count;
            }
            require(sum == static_cast<std::uint64_t>(kInstances), "not all are counted");
        }));
    }
    report.add(Figure{kName, median(seconds) * 1000, "ms", 500});
}

/// The rows of instances, by bare statements, the newest first.
class BareDeletes {
public:
    BareDeletes(const std::string& path, std::int64_t newest) : bare_(path, Synchronous::full) {
        next_ = newest;
    }

    void remove(std::int64_t count) {
        for (std::int64_t done = 0; done < count; done += kDeletedPerCommit) {
            bare_.begin();
            for (std::int64_t i = 0; i < kDeletedPerCommit; ++i, --next_) {
                run(history_, next_);
                run(label_, next_);
                run(run_, next_);
            }
            bare_.commit();
        }
    }

private:
    Bare bare_;
    sqlite3_stmt* history_ = bare_.prepare("delete from history where run = ?1");
    sqlite3_stmt* label_ = bare_.prepare("delete from label where run = ?1");
    sqlite3_stmt* run_ = bare_.prepare("delete from run where key = ?1");
    std::int64_t next_ = 0;
};

void delete_ended(Client& client, std::int64_t count) {
    const auto deleted =
        client.delete_instance_bulk(InstanceFilter().limit(static_cast<std::uint32_t>(count)));
    require(deleted.ok(), "instances could not be deleted");
    require(deleted->instances >= static_cast<std::uint64_t>(count), "too few were deleted");
}

/// A hundred thousand by the client, as many by bare statements, in turns.
void measure_deletion(Report& report, const FinishedFile& finished) {
    constexpr const char* kName = "management.delete.100000";
    if (!report.wants(kName)) return;
    double by_client = 0;
    double by_hand = 0;
    std::uint64_t instances = 0;
    std::int64_t newest = finished.instances();
    for (std::int64_t done = 0; done < kDeleted; done += kDeletedAtATime) {
        {
            const std::unique_ptr<Store> store = finished.file().open(Synchronous::full);
            Client client(*store);
            by_client += seconds_of([&] {
                const auto deleted = client.delete_instance_bulk(
                    InstanceFilter().limit(static_cast<std::uint32_t>(kDeletedAtATime)));
                require(deleted.ok(), "instances could not be deleted");
                require(deleted->instances > static_cast<std::uint64_t>(kDeletedAtATime),
                        "trees did not go whole");
                instances += deleted->instances;
            });
        }
        BareDeletes bare(finished.file().path(), newest);
        by_hand += seconds_of([&] { bare.remove(kDeletedAtATime); });
        newest -= kDeletedAtATime;
    }
    // Trees go whole, and their children count.
    const double each_by_client = by_client / static_cast<double>(instances);
    const double each_by_hand = by_hand / static_cast<double>(kDeleted);
    report.add(Figure{kName, each_by_client / each_by_hand, "times bare deletes", 3});
}

/// Work, alone and while somebody deletes as fast as it goes.
void measure_beside(Report& report, const FinishedFile& finished) {
    constexpr const char* kName = "management.delete.beside_single";
    if (!report.wants(kName)) return;
    constexpr std::uint32_t kRuns = 20'000;
    SqliteWorker worker(code_without_effects(), finished.file().open(Synchronous::full));
    const auto rate = [&] { return kRuns / worker.run(Single, 1, kRuns, 500).seconds; };
    std::vector<double> alone;
    std::vector<double> beside;
    for (int i = 0; i < kRepetitions; ++i) {
        alone.push_back(rate());
        std::atomic<bool> enough = false;
        std::jthread remover([&] {
            const std::unique_ptr<Store> store = finished.file().open(Synchronous::full);
            Client client(*store);
            while (!enough) delete_ended(client, 500);
        });
        beside.push_back(rate());
        enough = true;
    }
    report.add(Figure{kName, median(alone) / median(beside), "times slower", 2});
}

}  // namespace

void run_management_group(Report& report) {
    const FinishedFile finished(kInstances);
    {
        const std::unique_ptr<Store> store = finished.file().open(Synchronous::full);
        Client client(*store);
        KeyReads reads(finished.file().path());
        for (const Filter& filter : filters()) measure_pages(report, filter, client, reads);
        measure_counts(report, client);
    }
    measure_deletion(report, finished);
    measure_beside(report, finished);
}

}  // namespace belay::bench
