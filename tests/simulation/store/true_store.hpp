// The one true store, and the watcher of its changes.
#pragma once

#include "simulation/checks/judge.hpp"
#include "simulation/store/file_store.hpp"
#include "simulation/world/clocks.hpp"
#include "simulation/world/report.hpp"
#include "store/memory/tables.hpp"
#include <belay/store/store.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace belay::sim {

/// Sees every change of the store, just before and just after it.
class Watcher {
public:
    virtual ~Watcher() = default;
    virtual void before_commit(const memory::Tables& tables, const Transition& transition) = 0;
    virtual void after_commit(const memory::Tables& tables,
                              const Transition& transition,
                              const Answer& answer) = 0;
    virtual void before_claim(const memory::Tables& tables) = 0;
    virtual void after_claim(const memory::Tables& tables,
                             const ClaimInstances& request,
                             const ClaimInstances::Answer& answer) = 0;
    virtual void after_claim(const memory::Tables& tables,
                             const ClaimActivities& request,
                             const ClaimActivities::Answer& answer) = 0;
    /// The last claims and renewals were taken back by a loss of power.
    virtual void after_loss(const memory::Tables& /*tables*/) {}
};

/// A memory store on the virtual clock. Transitions of a batch are applied one by one, which the
/// contract allows, so that the watcher sees the state between them.
///
/// It can be kept in a file besides (store/mirror.cpp): then a SQLite store on a disk with faults
/// answers everything, and the memory store says what it should have answered. Both hold the same.
/// Requests that failed with an unknown outcome may differ until the outcome shows.
class TrueStore {
public:
    TrueStore(StoreClock& clock, const StoreOptions& options, Trace& trace);

    /// From now on in a file. To be called before anything is written.
    void keep_in_file(const FileSetup& setup, Violations& violations);
    /// Returns null if there is none.
    [[nodiscard]] FileStore* file() noexcept { return file_.get(); }
    /// The machine has no power: all processes on it are gone.
    [[nodiscard]] bool powerless() { return file_ != nullptr && !file_->disk().powered(); }
    /// The machine, or all who use the file, begin anew. Everything that was answered is there.
    void restart(bool trouble);
    /// True if the outcome of everything that failed is known. Until then a read may show changes
    /// that are not known here.
    [[nodiscard]] bool settled() const noexcept { return unsettled_.empty(); }
    /// Compares all that is in the file with what should be in it.
    void check_file();

    void watch(Watcher* watcher) { watcher_ = watcher; }
    /// From now on every answer is judged. To be called before anything is written. In a file the
    /// answers to changes are judged, which are those of the memory store, but no reads.
    void judge(Violations& violations);
    /// Returns null if nobody judges.
    [[nodiscard]] Judge* judge() noexcept { return judge_ ? &*judge_ : nullptr; }
    [[nodiscard]] Store& store() noexcept { return *store_; }
    /// The one that answers, at once: for callers that only read, and need no transport.
    [[nodiscard]] Store& answering() noexcept {
        return file_ != nullptr ? file_->store() : *store_;
    }
    [[nodiscard]] Timestamp now() { return clock_.wall(); }

    [[nodiscard]] Result<std::vector<Answer>> commit(const std::vector<Transition>& batch);
    [[nodiscard]] Result<ClaimInstances::Answer> claim(const ClaimInstances& request);
    [[nodiscard]] Result<ClaimActivities::Answer> claim(const ClaimActivities& request);
    [[nodiscard]] Result<ReadAnswer> read_any(const Read& request) {
        if (file_ != nullptr) return file_->read_any(request);
        std::optional<Result<ReadAnswer>> answer;
        store_->read_any(request, [&](Result<ReadAnswer> one) { answer.emplace(std::move(one)); });
        BELAY_ASSERT(answer.has_value());
        if (judge_) judge_->read(request, clock_.wall(), **answer);
        return std::move(*answer);
    }
    template <ReadRequest Request>
    [[nodiscard]] Result<typename Request::Answer> read(const Request& request) {
        Result<ReadAnswer> answer = read_any(request);
        if (!answer) return answer.error();
        return take_answer<Request>(std::move(*answer));
    }
    void with_tables(const std::function<void(memory::Tables&)>& use);

private:
    /// A request that changes the store, and the time at which it was sent there.
    struct Change {
        std::variant<std::vector<Transition>, ClaimInstances, ClaimActivities> request;
        Timestamp at{};
        bool clock_repeats = false;  ///< The clock had shown a later time before.
    };
    using Changes = std::vector<Change>;

    // On the memory store, watched.
    [[nodiscard]] std::vector<Answer> apply(const std::vector<Transition>& batch);
    [[nodiscard]] ClaimInstances::Answer apply(const ClaimInstances& request);
    [[nodiscard]] ClaimActivities::Answer apply(const ClaimActivities& request);

    // With a file: store/mirror.cpp.
    [[nodiscard]] bool clock_repeats() const;
    template <class Answer, class Request>
    [[nodiscard]] Result<Answer> through_file(const Request& request);
    [[nodiscard]] static bool waits_for_disk(const Change& change);
    void apply_late(const Change& change);
    void note(Change change, bool written);
    [[nodiscard]] std::optional<Changes> explain(const Dump& found,
                                                 memory::Tables tables,
                                                 const Changes& open,
                                                 const std::vector<Changes>& then,
                                                 const std::string& answer);
    void settle(const std::vector<Changes>& then, bool settled, const std::string& answer = "");
    [[nodiscard]] memory::Tables tables();

    StoreClock& clock_;
    const StoreOptions options_;
    Trace& trace_;
    std::unique_ptr<Store> store_;
    Watcher* watcher_ = nullptr;
    std::optional<Judge> judge_;

    Violations* violations_ = nullptr;
    std::unique_ptr<FileStore> file_;
    Timestamp latest_{};       ///< The latest time of the clock at a request to the file.
    memory::Tables base_;      ///< At the start of the machine.
    Changes log_;              ///< Since then.
    std::size_t on_disk_ = 0;  ///< So many of them survive a loss of power.
    Changes unsettled_;        ///< Failed, and may have been applied.
};

/// For the trace: "Turn order-7.1, Cancel order-8".
[[nodiscard]] std::string describe(const Transition& transition);
[[nodiscard]] std::string describe(const Answer& answer);

}  // namespace belay::sim
