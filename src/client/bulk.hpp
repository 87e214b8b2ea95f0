// A change of many instances: the loop that deletion and pruning have in common.
#pragma once

#include "client/answers.hpp"
#include "client/selection.hpp"
#include "client/sender.hpp"
#include "client/steps.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace belay::client {

/// Looks at instances page by page, and commits a change of each that is wanted. By turns a page is
/// read and its changes are committed, until there are no more or enough was changed.
class Bulk : public std::enable_shared_from_this<Bulk> {
public:
    Bulk(std::shared_ptr<Sender> sender, Selection selection, std::uint32_t limit)
        : sender_(std::move(sender)), selection_(std::move(selection)), left_(limit) {}
    Bulk(const Bulk&) = delete;
    Bulk& operator=(const Bulk&) = delete;
    virtual ~Bulk() = default;

    /// To be called once by whoever made it; from then on it keeps itself alive.
    void go_on();

protected:
    enum class Next : std::uint8_t { unchanged, changed, again };

    [[nodiscard]] virtual bool wanted(const InstanceMark& one) const = 0;
    [[nodiscard]] virtual Transition change(const InstanceMark& one) = 0;
    /// The change was made. Counts it, and says whether there was anything to it.
    [[nodiscard]] virtual Next note(const InstanceMark& one, const Answer& answer) = 0;
    virtual void finish(const std::optional<Error>& error) = 0;

    [[nodiscard]] Sender& sender() noexcept { return *sender_; }

private:
    void step();
    void read();
    void commit();
    void take(const std::vector<Answer>& answers);

    const std::shared_ptr<Sender> sender_;
    Selection selection_;
    Steps steps_;
    std::uint32_t left_;               ///< As many may still be changed.
    std::vector<InstanceMark> batch_;  ///< To be changed next.
    std::optional<Error> error_;
};

}  // namespace belay::client
