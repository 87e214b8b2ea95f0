// Applies retentions in the background, one request of the store at a time.
#pragma once

#include "retention/rounds.hpp"
#include "runtime/inbox.hpp"
#include "runtime/services.hpp"

#include <optional>
#include <vector>

namespace belay::runtime {

/// Asks the store the questions of `retention::Rounds`, and hands it the answers.
class RetentionRunner {
public:
    RetentionRunner(Services& services, retention::ProcessPolicies own, Random& random);

    /// Does one thing; false when there is nothing to do now.
    bool step();
    [[nodiscard]] std::optional<Millis> next_due() const;
    /// Begins nothing more.
    void shut_down() noexcept { stopped_ = true; }

private:
    template <class Request>
    void send(Request request);
    void send(std::vector<Transition> batch);
    /// Returns false if there is only an error, and tells the rounds.
    template <class T>
    [[nodiscard]] bool is_answered(const Result<T>& answer);

    Services& services_;
    retention::Rounds rounds_;
    Mailbox mailbox_;
    bool stopped_ = false;
    bool in_flight_ = false;
};

}  // namespace belay::runtime
