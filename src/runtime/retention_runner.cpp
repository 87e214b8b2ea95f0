#include "runtime/retention_runner.hpp"

#include <string>
#include <utility>
#include <variant>

namespace belay::runtime {

RetentionRunner::RetentionRunner(Services& services, retention::ProcessPolicies own, Random& random)
    : services_(services),
      rounds_(std::move(own),
              services.ids,
              services.policy,
              random,
              services.clock.monotonic(),
              [&events = services.events](std::string what) {
                  events.report(
                      event_of(EngineCode::retention_failed, LogLevel::warning, std::move(what)));
              }) {}

std::optional<Millis> RetentionRunner::next_due() const {
    if (in_flight_ || stopped_) return std::nullopt;
    return rounds_.due_at();
}

bool RetentionRunner::step() {
    if (mailbox_.run_one()) return true;
    if (in_flight_ || stopped_) return false;
    const Millis now = services_.clock.monotonic();
    if (now < rounds_.due_at()) return false;
    std::optional<retention::Rounds::Ask> ask = rounds_.next(now, services_.store.now());
    if (!ask) return true;
    in_flight_ = true;
    std::visit([this](auto& one) { send(std::move(one)); }, *ask);
    return true;
}

template <class T>
bool RetentionRunner::is_answered(const Result<T>& answer) {
    in_flight_ = false;
    if (!answer) rounds_.fail(answer.error(), services_.clock.monotonic());
    return answer.ok();
}

template <class Request>
void RetentionRunner::send(Request request) {
    using Page = Result<typename Request::Answer>;
    services_.store.read(std::move(request), mailbox_.later<Page>([this](Page page) {
        if (is_answered(page)) rounds_.take(std::move(*page));
    }));
}

void RetentionRunner::send(std::vector<Transition> batch) {
    using Answers = Result<std::vector<Answer>>;
    services_.store.commit(std::move(batch),
                           mailbox_.later<Answers>([this](const Answers& answers) {
                               if (is_answered(answers))
                                   rounds_.take(*answers, services_.clock.monotonic());
                           }));
}

}  // namespace belay::runtime
