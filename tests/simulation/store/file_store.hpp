// A SQLite store on a disk that fails and loses power.
#pragma once

#include "simulation/store/dump.hpp"
#include "simulation/world/rng.hpp"
#include "support/disk.hpp"
#include "support/temporary_directory.hpp"
#include <belay/store/sqlite.hpp>
#include <belay/store/store.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace belay::sim {

/// The settings of the file and its store, for one seed.
struct FileSetup {
    explicit FileSetup(Rng& rng)
        : checkpoint_pages(static_cast<std::uint32_t>(rng.between(8, 200))),
          preallocate(rng.percent(10)),
          seed(rng.next()) {}

    std::uint32_t checkpoint_pages;
    bool preallocate;
    std::uint64_t seed;

    // Faults that the simulator must notice. They act as if ...
    bool lying_disk = false;                      ///< ... the disk only said that it synced,
    Synchronous synchronous = Synchronous::full;  ///< ... the store did not ask it to,
    bool answers_first = false;                   ///< ... it answered before it committed.
};

/// One machine with one store on it. Everything is answered before the call returns. A request is
/// often one of several of its group, as it is when several threads ask at once.
class FileStore {
public:
    FileStore(const FileSetup& setup, Clock& clock, const StoreOptions& options);
    ~FileStore();

    [[nodiscard]] Result<std::vector<Answer>> ask(const std::vector<Transition>& batch);
    [[nodiscard]] Result<ClaimInstances::Answer> ask(const ClaimInstances& request);
    [[nodiscard]] Result<ClaimActivities::Answer> ask(const ClaimActivities& request);
    [[nodiscard]] Result<ReadAnswer> read_any(const Read& request) {
        std::optional<Result<ReadAnswer>> answer;
        store_->read_any(request, [&](Result<ReadAnswer> one) { answer.emplace(std::move(one)); });
        BELAY_ASSERT(answer.has_value());
        return std::move(*answer);
    }

    [[nodiscard]] Store& store() noexcept { return *store_; }
    [[nodiscard]] support::Disk& disk() noexcept { return disk_; }
    /// The number of written groups of several jobs.
    [[nodiscard]] std::uint64_t shared_groups() const noexcept { return shared_groups_; }
    /// Returns all that is in the file, as another process would see it now. Returns none if it
    /// cannot be read.
    [[nodiscard]] std::optional<Dump> contents();
    /// Returns an empty text if all is well.
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
    /// Returns the answer to `sql`, as another process would ask, and while nothing fails.
    template <class Use>
    auto look(Use use);

    [[nodiscard]] Result<std::vector<Answer>> answer_first(const std::vector<Transition>& batch);

    /// All requests of `submit` make one group, often with requests of others.
    template <class Submit>
    void in_one_group(Submit submit);
    void ask_in_vain();
    /// The jobs that a batch is sent as.
    [[nodiscard]] std::vector<std::vector<Transition>> split(const std::vector<Transition>& batch);
    template <class Request>
    [[nodiscard]] Result<typename Request::Answer> claim(const Request& request);

    const SqliteOptions options_;
    const bool answers_first_;
    Clock& clock_;
    Rng rng_;
    Rng groups_;
    bool gathering_ = false;  ///< A group, which `lead_` writes.
    std::size_t gathered_ = 0;
    std::function<void()> lead_;
    std::uint64_t shared_groups_ = 0;
    support::TemporaryDirectory directory_;
    support::Disk disk_;
    const std::string path_;
    std::unique_ptr<Store> store_;
    std::vector<Transition> answered_;  ///< ... and not yet committed.
};

}  // namespace belay::sim
