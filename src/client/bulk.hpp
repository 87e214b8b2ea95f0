// A change of many instances: the loop that deletion, pruning and canceling have in common.
#pragma once

#include "client/answers.hpp"
#include "client/retry_budget.hpp"
#include "client/selection.hpp"
#include "client/sender.hpp"
#include "client/serial_calls.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay::client {

/// Looks at instances page by page, and commits a change of each that is wanted. A page is read and
/// its changes are committed, by turns, until there are no more or enough was changed.
class Bulk : public std::enable_shared_from_this<Bulk> {
public:
    Bulk(std::shared_ptr<Sender> sender, Selection selection, std::uint32_t limit)
        : sender_(std::move(sender)), selection_(std::move(selection)), left_(limit) {}
    Bulk(const Bulk&) = delete;
    Bulk& operator=(const Bulk&) = delete;
    virtual ~Bulk() = default;

    /// To be called once by its maker; from then on it keeps itself alive.
    void advance();

protected:
    /// The result for an instance: nothing was to be done, it is done, or there is more of it.
    enum class Next : std::uint8_t { unchanged, changed, again };

    /// True if there is anything to change in an instance that the filter chooses.
    [[nodiscard]] virtual bool wanted(const InstanceMark& one) = 0;
    [[nodiscard]] virtual Transition change(const InstanceMark& one) = 0;
    /// The change was made. Counts it, and returns its result.
    [[nodiscard]] virtual Next note(const InstanceMark& one, const Answer& answer) = 0;
    /// It was gone, or could not be changed any more.
    virtual void note_passed_over(const InstanceMark& /*one*/) {}
    /// True if nothing is written: `pretend` is called in the place of a change.
    [[nodiscard]] virtual bool only_pretends() const { return false; }
    virtual void pretend(const InstanceMark& /*one*/) {}
    /// True if the first of those that the limit leaves are looked for.
    [[nodiscard]] virtual bool names_remaining() const { return false; }
    virtual void finish(const std::optional<Error>& error) = 0;

    static constexpr std::size_t kMostRemaining = 1'000;

    [[nodiscard]] Sender& sender() noexcept { return *sender_; }
    /// As many were changed as may be.
    [[nodiscard]] bool limit_reached() const noexcept { return left_ == 0; }
    [[nodiscard]] std::uint64_t missing() const noexcept { return selection_.missing(); }
    /// The first that the limit left; more than kMostRemaining: there are more than that.
    [[nodiscard]] std::vector<std::string> take_remaining() { return std::move(remaining_); }

private:
    void step();
    void find_last();
    void read();
    void commit();
    void pretend_all();
    void look_at_rest();
    [[nodiscard]] std::size_t batch_size() const;
    void take(const std::vector<Answer>& answers);
    void fail(const Error& error);

    const std::shared_ptr<Sender> sender_;
    Selection selection_;
    SerialCalls calls_;
    std::uint32_t left_;              ///< As many may still be changed.
    std::deque<InstanceMark> queue_;  ///< To be changed next.
    std::size_t sent_ = 0;            ///< The number of them that are under way.
    std::vector<std::string> remaining_;
    RetryBudget retries_;
    std::optional<Error> error_;
};

}  // namespace belay::client
