// A SQLite store on a disk that fails and loses power.
#pragma once

#include "simulation/dump.hpp"
#include "simulation/rng.hpp"
#include "support/disk.hpp"
#include "support/temporary_directory.hpp"
#include <belay/store/sqlite.hpp>
#include <belay/store/store.hpp>

#include <memory>
#include <optional>
#include <string>

namespace belay::sim {

/// What the file and its store are like, for one seed.
struct FileSetup {
    explicit FileSetup(Rng& rng)
        : checkpoint_pages(static_cast<std::uint32_t>(rng.between(8, 200))),
          preallocate(rng.percent(10)),
          seed(rng.next()) {}

    std::uint32_t checkpoint_pages;
    bool preallocate;
    std::uint64_t seed;

    // To see that the simulator notices: what it would be like if ...
    bool lying_disk = false;                      ///< ... the disk only said that it synced,
    Synchronous synchronous = Synchronous::full;  ///< ... the store did not ask it to,
    bool answers_first = false;                   ///< ... it answered before it committed.
};

/// One machine with one store on it. Everything is answered before the call returns.
class FileStore {
public:
    FileStore(const FileSetup& setup, Clock& clock, const StoreOptions& options);
    ~FileStore();

    [[nodiscard]] Result<std::vector<Answer>> ask(const std::vector<Transition>& batch);
    [[nodiscard]] Result<ClaimInstances::Answer> ask(const ClaimInstances& request);
    [[nodiscard]] Result<ClaimActivities::Answer> ask(const ClaimActivities& request);
    template <class Request>
    [[nodiscard]] Result<typename Request::Answer> read(const Request& request) {
        std::optional<Result<typename Request::Answer>> answer;
        store_->read(request,
                     [&](Result<typename Request::Answer> one) { answer.emplace(std::move(one)); });
        BELAY_ASSERT(answer.has_value());
        return std::move(*answer);
    }

    [[nodiscard]] Store& store() noexcept { return *store_; }
    [[nodiscard]] support::Disk& disk() noexcept { return disk_; }
    /// All that is in the file, as another process would see it now. None when it cannot be read.
    [[nodiscard]] std::optional<Dump> contents();
    /// Nothing when all is well.
    [[nodiscard]] std::string check_integrity();

    /// Everyone on the machine is gone; if it has no power it gets it back. With `trouble` that
    /// may happen several times before the file is open again.
    struct Restarted {
        bool lost_power = false;
        std::optional<Error> problem;  ///< If it does not open.
    };
    [[nodiscard]] Restarted restart(bool trouble);

private:
    [[nodiscard]] std::optional<Error> open();
    /// What `sql` answers, as another process would ask, and while nothing fails.
    template <class Use>
    auto look(Use use);

    [[nodiscard]] Result<std::vector<Answer>> answer_first(const std::vector<Transition>& batch);

    const SqliteOptions options_;
    const bool answers_first_;
    Clock& clock_;
    Rng rng_;
    support::TemporaryDirectory directory_;
    support::Disk disk_;
    const std::string path_;
    std::unique_ptr<Store> store_;
    std::vector<Transition> answered_;  ///< ... and not yet committed.
};

}  // namespace belay::sim
