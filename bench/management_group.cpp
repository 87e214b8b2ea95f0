#include "management_group.hpp"

#include "bare.hpp"
#include "finished_file.hpp"
#include "sqlite_run.hpp"
#include "turns.hpp"
#include <belay/finding.hpp>
#include <belay/management.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <random>
#include <thread>

namespace belay::bench {

namespace {

constexpr std::int64_t kInstances = 1'000'000;
constexpr std::int64_t kPage = 50;
constexpr int kPages = 11;
constexpr std::int64_t kDeleted = 100'000;
constexpr std::int64_t kDeletedAtATime = 20'000;
constexpr std::int64_t kDeletedPerCommit = 100;

/// Instances at hand, by number.
class Numbers {
public:
    explicit Numbers(std::int64_t most) : numbers_(1, most) {}
    std::int64_t operator()() { return numbers_(random_); }

private:
    std::minstd_rand random_{1};
    std::uniform_int_distribution<std::int64_t> numbers_;
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

    void read(Numbers& numbers) {
        for (std::int64_t i = 0; i < kPage; ++i) {
            bind(select_, 1, FinishedFile::key_of(numbers()));
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
    /// As the instance of this number would be looked for.
    std::function<ListOptions(std::int64_t)> options;
};

Timestamp at(std::int64_t number) { return Timestamp(Millis(FinishedFile::time_of(number))); }

const std::vector<Filter>& filters() {
    static const std::vector<Filter> all{
        {"nothing", [](std::int64_t) { return ListOptions(); }},
        {"status", [](std::int64_t) { return ListOptions().status(Status::canceled); }},
        {"definition",
         [](std::int64_t number) {
             return ListOptions().definition(FinishedFile::definition_of(number));
         }},
        {"version",
         [](std::int64_t number) {
             return ListOptions().version(FinishedFile::version_of(number));
         }},
        {"owner",
         [](std::int64_t number) { return ListOptions().owner(FinishedFile::owner_of(number)); }},
        {"label",
         [](std::int64_t number) {
             return ListOptions().label("region", FinishedFile::region_of(number));
         }},
        {"parent",
         [](std::int64_t number) {
             return ListOptions().parent(FinishedFile::id_of(number - number % 1'000 + 1));
         }},
        {"created", [](std::int64_t number) { return ListOptions().created_from(at(number)); }},
        {"ended", [](std::int64_t number) { return ListOptions().ended_before(at(number)); }},
        {"id_prefix",
         [](std::int64_t number) {
             const std::string id = FinishedFile::id_of(number);
             return ListOptions().id_prefix(id.substr(0, id.rfind('-')));
         }},
    };
    return all;
}

/// The seconds of a few pages of one filter, by those of as many reads by key in turns with them.
double pages_by_key_reads(const std::string& name,
                          const Filter& filter,
                          Client& client,
                          KeyReads& reads,
                          Numbers& numbers) {
    std::vector<double> pages;
    std::vector<double> bare;
    std::size_t rows = 0;
    for (int i = 0; i < kPages; ++i) {
        const ListOptions options = filter.options(numbers()).page_size(kPage);
        pages.push_back(seconds_of([&] {
            const auto page = client.list(options);
            require(page.ok(), name + (page ? "" : ": " + page.error().describe()));
            rows += page->instances.size();
        }));
        bare.push_back(seconds_of([&] { reads.read(numbers); }));
    }
    require(rows >= kPages * kPage * 9 / 10, name + ": the pages are not full");
    return median(pages) / median(bare);
}

void measure_pages(Report& report, const Filter& filter, Client& client, KeyReads& reads) {
    const std::string name = std::string("management.page.") + filter.name;
    if (!report.wants(name)) return;
    Numbers numbers(kInstances - 1'000);
    std::vector<double> ratios;
    while (ratios.size() < report.plan().slices()) {
        ratios.push_back(pages_by_key_reads(name, filter, client, reads, numbers));
    }
    report.add(Figure{name, estimate(ratios), "times 50 reads by key", 20});
}

void measure_counts(Report& report, Client& client) {
    constexpr const char* kName = "management.count";
    if (!report.wants(kName)) return;
    std::vector<double> milliseconds;
    while (milliseconds.size() < report.plan().slices()) {
        const double seconds = seconds_of([&] {
            const auto counts = client.count();
            std::uint64_t sum = 0;
            if (counts.ok()) {
                for (const InstanceCount& count : *counts) sum += count.count;
            }
            require(sum == static_cast<std::uint64_t>(kInstances), "not all are counted");
        });
        milliseconds.push_back(seconds * 1000);
    }
    report.add(Figure{kName, estimate(milliseconds), "ms", 500});
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
                const std::int64_t key = FinishedFile::key_of(next_);
                run(history_, key);
                run(label_, key);
                run(run_, key);
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

/// The seconds that each of some instances takes. Trees go whole, and their children count.
double seconds_by_client(const FinishedFile& finished) {
    const std::unique_ptr<Store> store = finished.file().open(Synchronous::full);
    Client client(*store);
    std::uint64_t instances = 0;
    const double seconds = seconds_of([&] {
        const auto deleted = client.delete_instance_bulk(
            InstanceFilter().limit(static_cast<std::uint32_t>(kDeletedAtATime)));
        require(deleted.ok(), "instances could not be deleted");
        require(deleted->instances > static_cast<std::uint64_t>(kDeletedAtATime),
                "trees did not go whole");
        instances = deleted->instances;
    });
    return seconds / static_cast<double>(instances);
}

/// A hundred thousand by the client, in turns with as many by bare statements.
void measure_deletion(Report& report, const FinishedFile& finished) {
    constexpr const char* kName = "management.delete.100000";
    if (!report.wants(kName)) return;
    std::int64_t newest = finished.instances();
    const auto seconds_by_hand = [&] {
        BareDeletes bare(finished.file().path(), newest);
        newest -= kDeletedAtATime;
        return seconds_of([&] { bare.remove(kDeletedAtATime); }) /
               static_cast<double>(kDeletedAtATime);
    };
    const Turns turns = take_turns(
        kDeleted / kDeletedAtATime, [&] { return seconds_by_client(finished); }, seconds_by_hand);
    report.add(Figure{kName, turns.ratio, "times bare deletes", 3});
}

/// Work, alone and while somebody deletes as fast as it goes.
void measure_beside(Report& report, const FinishedFile& finished) {
    constexpr const char* kName = "management.delete.beside_single";
    if (!report.wants(kName)) return;
    constexpr std::uint32_t kRuns = 20'000;
    constexpr std::size_t kMostSlices = 5;
    SqliteWorker worker(code_without_effects(), finished.file().open(Synchronous::full));
    const auto alone = [&] { return worker.run(Single, 1, kRuns, 500).seconds; };
    const auto beside = [&] {
        std::atomic<bool> enough = false;
        std::jthread remover([&] {
            const std::unique_ptr<Store> store = finished.file().open(Synchronous::full);
            Client client(*store);
            while (!enough) delete_ended(client, 500);
        });
        const double seconds = alone();
        enough = true;
        return seconds;
    };
    const Turns turns = take_turns(std::min(report.plan().slices(), kMostSlices), beside, alone);
    report.add(Figure{kName, turns.ratio, "times slower", 2});
}

}  // namespace

void run_management_group(Report& report) {
    if (!report.plan().measures()) return;
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
