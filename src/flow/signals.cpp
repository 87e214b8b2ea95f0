#include "flow/interpreter/plan.hpp"
#include "flow/interpreter/waits.hpp"
#include "flow/run_record.hpp"
#include <belay/flow/signals.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace belay {

namespace {

using flow::ListName;
using flow::Progress;
using flow::Step;
using flow::StepPicture;
using flow::StepStatus;

/// The waits for one event, by what became of them.
struct Waits {
    std::uint64_t open = 0;   ///< They wait now.
    std::uint64_t later = 0;  ///< Their step has not begun.
    bool had = false;         ///< Some wait had its event.
    std::string step{};       ///< One of the steps: the one that counts the most.
    std::string ended{};      ///< How the last step ended that did not have it.
};

/// True if the clock ended the wait, and the step completed all the same.
bool timed_out(const Step& step, const Progress& progress) {
    const auto* const wait = std::get_if<flow::Wait>(&step.action);
    if (wait == nullptr || wait->on_timeout != flow::OnTimeout::complete || !wait->timeout) {
        return false;
    }
    return progress.began_at && progress.ended_at &&
           *progress.ended_at - *progress.began_at >= *wait->timeout;
}

void count(Waits& waits, const Step& step, const Progress& progress, const std::string& event) {
    if (progress.status == StepStatus::waiting) {
        if (!progress.waits || progress.waits->event != event) return;
        if (++waits.open == 1) waits.step = step.id;
        return;
    }
    if (!flow::has_ended(progress.status) && progress.status != StepStatus::canceling) {
        ++waits.later;
        if (waits.open == 0) waits.step = step.id;
        return;
    }
    // Also a refusal is an answer.
    const bool was_answered = progress.status == StepStatus::failed && progress.failure &&
                              progress.failure->type == "refused";
    if ((progress.status == StepStatus::completed && !timed_out(step, progress)) || was_answered) {
        waits.had = true;
        if (waits.step.empty()) waits.step = step.id;
    } else {
        waits.ended = "'" + step.id + "' is " + std::string(to_string(progress.status));
    }
}

/// True if this item, of a step that may wait for the event, waits for it.
bool names_item(const Step& step, std::uint64_t item, const std::string& event) {
    return std::holds_alternative<flow::Wait>(step.action) ||
           flow::approval_event(step.id, item) == event;
}

/// True if the step, or an item of it, may wait for this event.
bool may_wait(const Step& step, const std::string& event) {
    if (const auto* const wait = std::get_if<flow::Wait>(&step.action)) return wait->event == event;
    if (!std::holds_alternative<flow::Approval>(step.action)) return false;
    const std::string own = flow::approval_event(step.id, std::nullopt);
    return step.map ? event.starts_with(own + "/") : event == own;
}

void count_step(Waits& waits,
                const Step& step,
                const StepPicture& picture,
                const std::string& event) {
    if (!may_wait(step, event)) return;
    if (!picture.count) return count(waits, step, picture, event);
    if (!picture.chunks.empty()) {
        waits.ended = "the items of '" + step.id + "' wait in runs of their own";
        return;
    }
    for (const flow::ItemPicture& item : picture.items) {
        if (names_item(step, item.item, event)) count(waits, step, item, event);
    }
}

Waits waits_of(const flow::DrawnRun& drawn, const std::string& event) {
    Waits waits;
    for (const flow::ListPicture& list : drawn.picture.lists) {
        // The steps for a failure are in a run of their own.
        const bool is_here = (list.name == ListName::on_fail) == drawn.info.on_fail_of.has_value();
        if (!is_here) continue;
        const std::vector<Step>& steps = flow::steps_of(*drawn.definition, list.name);
        for (std::size_t i = 0; i < steps.size() && i < list.steps.size(); ++i) {
            count_step(waits, steps[i], list.steps[i], event);
        }
    }
    return waits;
}

/// `kept`: the number of such events that came, and that no wait has taken yet.
SignalResult judged(const Waits& waits, std::uint64_t kept, const std::string& event) {
    SignalResult result;
    if (waits.open > kept) {
        result.answer = SignalAnswer::delivered;
        result.why = "'" + waits.step + "' waits for it";
    } else if (waits.open + waits.later > kept) {
        result.answer = SignalAnswer::kept;
        result.why = "'" + waits.step + "' has not begun";
    } else if (waits.had || waits.open + waits.later > 0) {
        result.answer = SignalAnswer::already;
        result.why = "'" + waits.step + "' has its event";
    } else {
        result.why = waits.ended.empty() ? "no step waits for '" + event + "'" : waits.ended;
    }
    return result;
}

/// The fate of an event, and the run that was read for it.
struct Foreseen {
    SignalResult result{};
    InstanceInfo info{};
};

/// Counts the events of a name that the run has received, and no wait has taken.
class Kept {
public:
    explicit Kept(std::string event) : event_(std::move(event)) {}

    void on(const model::WaitScheduled& wait) {
        if (wait.channel != MessageKind::event_raised || wait.name != event_) return;
        if (kept_ > 0) {
            --kept_;
        } else {
            open_.insert(wait.command);
        }
    }
    void on(const model::MessageReceived& message) {
        if (message.channel != MessageKind::event_raised || message.name != event_) return;
        if (open_.empty()) {
            ++kept_;
        } else {
            open_.erase(open_.begin());
        }
    }
    void on(const model::CommandCanceled& canceled) { open_.erase(canceled.command); }
    void on(const auto& /*other*/) {}
    [[nodiscard]] std::uint64_t number() const noexcept { return kept_; }

private:
    std::string event_;
    std::set<CommandNo> open_;
    std::uint64_t kept_ = 0;
};

/// Returns the number of such events that no wait has taken yet.
std::uint64_t kept_events(const std::vector<model::Event>& events,
                          const InstanceDescription& description,
                          const std::string& event) {
    Kept kept(event);
    for (const model::Event& one : events) {
        std::visit([&](const auto& each) { kept.on(each); }, one);
    }
    const auto unread =
        std::ranges::count_if(description.messages, [&](const WaitingMessage& message) {
            return message.kind == MessageKind::event_raised && message.name == event;
        });
    return kept.number() + static_cast<std::uint64_t>(unread);
}

/// Reads again if the run had a turn between the two reads.
Result<Foreseen> foresee(Client& client, const InstanceAddress& run, const std::string& event) {
    constexpr int kTries = 5;
    for (int tried = 1;; ++tried) {
        const auto found = client.inspect(run);
        if (!found) return found.error();
        const auto bundle = flow::bundle_of(client, *found);
        if (!bundle) return bundle.error();
        const auto drawn = flow::draw_alone(client, *found, *bundle);
        if (!drawn) return drawn.error();
        const auto described = client.describe(found->name);
        if (!described) return described.error();
        const bool is_same = described->info.run == found->run &&
                             described->info.execution == found->execution &&
                             described->info.position == found->position;
        if (!is_same && tried < kTries) continue;
        const std::uint64_t kept = kept_events(drawn->events, *described, event);
        return Foreseen{judged(waits_of(*drawn, event), kept, event), *found};
    }
}

}  // namespace

std::string_view to_string(SignalAnswer answer) noexcept {
    static constexpr std::array<std::string_view, 4> kNames{
        "delivered", "kept", "already", "not expected"};
    return kNames[static_cast<std::size_t>(answer)];
}

Result<SignalResult> signal_flow(Client& client,
                                 const InstanceAddress& run,
                                 const std::string& event,
                                 const Payload& value,
                                 const SignalOptions& options) {
    auto foreseen = foresee(client, run, event);
    if (!foreseen) return foreseen.error();
    SignalResult& result = foreseen->result;
    const bool is_awaited =
        result.answer == SignalAnswer::delivered || result.answer == SignalAnswer::kept;
    const bool had_it = result.answer == SignalAnswer::already;
    // A run that has ended refuses the event by itself.
    const bool has_no_use = is_terminal(foreseen->info.status) && !had_it;
    if (!is_awaited && !options.anyway && !has_no_use) return result;
    const InstanceAddress exactly(foreseen->info.name, foreseen->info.run);
    const auto sent = client.raise(exactly, event, value, options.request_id);
    if (!sent) return sent.error();
    result.sent = true;
    return result;
}

}  // namespace belay
