// Decisions: what the code of an execution asks for.
#include "model/annotations.hpp"
#include "model/plain.hpp"
#include "replay/execution.hpp"
#include <belay/exceptions.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace belay::replay {

using detail::Operation;
using detail::OperationKind;
using detail::OperationSpec;

void Execution::record(model::Event event) {
    if (replaying_) pass_retired(&event);
    ++position_;
    recorded_.push_back(std::move(event));
}

namespace {

std::string_view name_of(OperationKind kind, MessageKind channel) {
    switch (kind) {
        case OperationKind::activity: return "an activity's name";
        case OperationKind::child: return "a definition's name";
        case OperationKind::timer: return "a timer's name";
        case OperationKind::wait: break;
    }
    return channel == MessageKind::queue_message ? "a queue's name" : "an event's name";
}

}  // namespace

void require(const Result<void>& fine) {
    if (fine) return;
    if (fine.error().code() == Errc::limit_exceeded) throw LimitExceeded(fine.error().message());
    throw std::invalid_argument(fine.error().message());
}

void require_name(std::string_view what, const std::string& name, std::size_t most) {
    require(check_name(what, name, most));
}

Timestamp due_at(Timestamp now, Millis delay) noexcept {
    if (delay < Millis(0)) return now;
    // `now` comes from history, which may say anything: the sum must not overflow on the way.
    return now > Timestamp::max() - delay ? Timestamp::max() : now + delay;
}

void Execution::check_room() const {
    // With those that the code has forgotten: whoever recorded them has counted them here.
    if (position_ + retired_ahead() < limits_.history_events) return;
    throw LimitExceeded("this execution's history has reached " +
                        std::to_string(limits_.history_events) +
                        " events; continue as new before that");
}

void Execution::check_limits(const OperationSpec& spec) const {
    check_room();
    if (open_count_ >= limits_.open_commands) {
        throw LimitExceeded(
            "more than " + std::to_string(limits_.open_commands) +
            " commands are open at once (Limits::open_commands): await some before more "
            "are started");
    }
    check_payload("the input of '" + spec.name + "'", spec.input);
    check_names(spec);
}

void Execution::check_names(const OperationSpec& spec) const {
    if (spec.kind != OperationKind::timer) {
        require_name(name_of(spec.kind, spec.channel), spec.name, limits_.name_bytes);
    }
    if (!spec.queue.empty()) require_name("a queue's name", spec.queue, limits_.name_bytes);
    if (!spec.terms) return;
    if (const std::string& key = spec.terms->fairness_key; !key.empty()) {
        require_name("a fairness key", key, limits_.name_bytes);
    }
    if (const std::string& session = spec.terms->session; !session.empty()) {
        require_name("a session's name", session, limits_.name_bytes);
    }
    if (const std::string& version = spec.terms->version; !version.empty()) {
        require_name("a version", version, limits_.name_bytes);
    }
    check_labels(spec.terms->labels);
}

void Execution::check_labels(const Labels& labels) const {
    require(model::check_labels(labels, limits_));
}

void Execution::check_payload(const std::string& what, const Payload& payload) const {
    require(model::check_plain(what, payload));
    if (payload.bytes.size() > limits_.payload_bytes) {
        throw LimitExceeded(what + " is " + std::to_string(payload.bytes.size()) +
                            " bytes; at most " + std::to_string(limits_.payload_bytes) +
                            " are allowed (Limits::payload_bytes): keep it elsewhere, and pass on "
                            "where it is");
    }
}

/// Code that takes no for an answer by trying again would never end its turn.
void Execution::count_refusal() {
    if (++refusals_ > limits_.cancel_throws && stop_why_.empty()) {
        stop_why_ = "it went on after what it asked for was refused " +
                    std::to_string(limits_.cancel_throws) + " times";
    }
}

void Execution::refuse_if_canceled(bool shielded) {
    if (dead_ || !cancel_ || shielded) return;
    count_refusal();
    throw Canceled(cancel_->reason);
}

std::shared_ptr<Operation> Execution::schedule(OperationSpec spec, bool shielded) {
    if (dead_) return nullptr;
    refuse_if_canceled(shielded);
    try {
        check_limits(spec);
        return add_operation(std::move(spec), shielded);
    } catch (...) {
        count_refusal();
        throw;
    }
}

CommandNo Execution::add_command(const std::shared_ptr<Operation>& operation, OperationKind kind) {
    operations_.push_back(operation);
    kinds_.push_back(kind);
    ++open_count_;
    return static_cast<CommandNo>(operations_.size());
}

std::shared_ptr<Operation> Execution::add_operation(OperationSpec spec, bool shielded) {
    const CommandNo command = next_command();
    const bool retries = spec.terms && spec.terms->retry;
    if (spec.kind == OperationKind::child && !retries) spec.child_id = child_id(spec, command, 1);
    auto operation =
        std::make_shared<Operation>(static_cast<Engine*>(this), command, spec, shielded);
    if (retries) {
        operation->set_retrying(std::move(spec));
        begin_attempt(operation);
        return operation;
    }
    add_command(operation, spec.kind);
    record_scheduled(spec, command, shielded, nullptr);
    if (spec.kind == OperationKind::wait) begin_wait(spec, operation);
    return operation;
}

namespace {

/// `7` and `2.7` are the ids of children without a name.
bool is_number_of_child(const std::string& name) {
    const std::size_t dot = name.find('.');
    const auto is_number = [](std::string_view part) {
        return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    };
    const std::string_view all = name;
    if (dot == std::string::npos) return is_number(all);
    return is_number(all.substr(0, dot)) && is_number(all.substr(dot + 1));
}

/// What another child may have for an id, or a child of one, is no name to give.
void check_child_name(const std::string& name) {
    if (name.find('/') != std::string::npos) {
        throw std::invalid_argument("the name '" + name +
                                    "' of a child has a '/', which is kept for its own children");
    }
    if (is_number_of_child(name)) {
        throw std::invalid_argument("a child's name is '" + name +
                                    "': numbers are the ids of children without a name");
    }
}

}  // namespace

std::string Execution::child_id(const OperationSpec& spec,
                                CommandNo command,
                                std::uint32_t attempt) const {
    std::string last = spec.child_id;
    if (!last.empty()) {
        if (attempt > 1) last += "." + std::to_string(attempt);
    } else {
        // The execution is part of it, or the children of the next one would collide with these.
        last = identity_.execution == 1
                   ? std::to_string(command)
                   : std::to_string(identity_.execution) + "." + std::to_string(command);
    }
    std::string id = identity_.name.id + "/" + last;
    require_name("a child's id", id, limits_.name_bytes);
    if (!spec.child_id.empty()) check_child_name(spec.child_id);
    return id;
}

void Execution::record_scheduled(const OperationSpec& spec,
                                 CommandNo command,
                                 bool shielded,
                                 const detail::Retrying* retrying) {
    const std::uint32_t attempt = retrying == nullptr ? 1 : retrying->attempts;
    switch (spec.kind) {
        case OperationKind::activity: {
            model::ActivityScheduled event{command, spec.name, spec.queue, spec.input, shielded};
            if (spec.terms) {
                event.terms.priority = spec.terms->priority;
                event.terms.fairness_key = spec.terms->fairness_key;
                if (const auto most = spec.terms->schedule_to_start) {
                    event.terms.schedule_to_start = due_at(now_, *most);
                }
                event.terms.start_to_close = spec.terms->start_to_close;
                event.terms.heartbeat_timeout = spec.terms->heartbeat_timeout;
                event.terms.session = spec.terms->session;
                event.terms.attempt = attempt;
                if (attempt > 1) event.terms.first = retrying->first;
            }
            record(std::move(event));
            break;
        }
        case OperationKind::timer:
            record(model::TimerScheduled{command, due_at(now_, spec.delay), shielded});
            break;
        case OperationKind::child: {
            model::ChildScheduled event{command, spec.name, spec.child_id, spec.input, shielded};
            if (spec.terms) {
                event.terms.version = spec.terms->version;
                event.terms.labels = spec.terms->labels;
                event.terms.parent_close = spec.terms->parent_close;
                if (spec.terms->parent_close == ParentClose::abandon) alone_.push_back(command);
                event.terms.attempt = attempt;
            }
            record(std::move(event));
            break;
        }
        case OperationKind::wait:
            record(model::WaitScheduled{command, spec.channel, spec.name, shielded});
            break;
    }
}

void Execution::begin_wait(const OperationSpec& spec, const std::shared_ptr<Operation>& operation) {
    const Channel channel(spec.channel, spec.name);
    const auto early = received_.find(channel);
    if (early == received_.end()) {
        waiting_[channel].emplace(operation->number(), operation);
        wait_channels_.emplace(operation->number(), channel);
        return;
    }
    auto [arrival, payload] = take_first(early);
    hand_over(operation, channel, arrival, std::move(payload));
}

std::pair<std::uint64_t, Payload> Execution::take_first(Received::iterator from) {
    const auto first = from->second.begin();
    std::pair<std::uint64_t, Payload> taken(first->first, std::move(first->second));
    from->second.erase(first);
    --received_count_;
    if (from->second.empty()) received_.erase(from);
    return taken;
}

/// Gives a message to the first who waits for one, or keeps it until somebody does.
void Execution::deliver(const Channel& channel, std::uint64_t arrival, Payload payload) {
    const auto waiting = waiting_.find(channel);
    if (waiting == waiting_.end()) {
        keep(channel, arrival, std::move(payload));
        return;
    }
    const std::shared_ptr<Operation> operation = waiting->second.begin()->second;
    hand_over(operation, channel, arrival, std::move(payload));
}

void Execution::keep(const Channel& channel, std::uint64_t arrival, Payload payload) {
    received_[channel].emplace(arrival, std::move(payload));
    ++received_count_;
}

void Execution::hand_over(const std::shared_ptr<Operation>& operation,
                          const Channel& channel,
                          std::uint64_t arrival,
                          Payload payload) {
    handed_over_.emplace(operation->number(), HandedOver{operation, channel, arrival});
    close(*operation);
    operation->complete(std::move(payload));
}

void Execution::received(const Operation& operation) noexcept {
    handed_over_.erase(operation.number());
}

/// The code has ended without taking these: they are for the next execution.
void Execution::keep_all_handed_over() {
    for (const auto& [command, handed] : std::exchange(handed_over_, {})) {
        keep(handed.channel, handed.arrival, handed.operation->drop());
    }
}

/// Takes an operation out of the tables; it is finished or let go.
void Execution::close(Operation& operation) noexcept {
    const CommandNo command = operation.number();
    if (const auto wait = wait_channels_.find(command); wait != wait_channels_.end()) {
        const auto waiting = waiting_.find(wait->second);
        waiting->second.erase(command);
        if (waiting->second.empty()) waiting_.erase(waiting);
        wait_channels_.erase(wait);
    }
    close_command(command);
}

void Execution::close_command(CommandNo command) noexcept {
    --open_count_;
    operations_[command - 1].reset();
}

void Execution::drop(Operation& operation) noexcept {
    if (dead_) return;
    if (operation.state() == Operation::State::open) {
        const std::shared_ptr<Operation> alive = operations_[operation.number() - 1];
        (void)operation.drop();
        record(model::CommandCanceled{operation.number()});
        close(operation);
        unbound_attempt(operation);
    } else if (const auto at = handed_over_.find(operation.number()); at != handed_over_.end()) {
        const HandedOver handed = std::move(at->second);
        handed_over_.erase(at);
        deliver(handed.channel, handed.arrival, operation.drop());
    }
}

void Execution::add_rollback(OperationSpec spec) {
    if (dead_) return;
    if (rollbacks_.size() >= limits_.rollbacks) {
        throw LimitExceeded(
            "more than " + std::to_string(limits_.rollbacks) +
            " compensations are registered (Limits::rollbacks): let one undo several "
            "things");
    }
    // What cannot be scheduled must be refused now: when it is needed it is too late.
    check_names(spec);
    check_payload("the input of '" + spec.name + "'", spec.input);
    rollbacks_.push_back(std::move(spec));
}

void Execution::continue_as_new(Payload input, std::string version) {
    if (dead_) return;
    check_payload("the input of the next execution", input);
    if (!version.empty()) require_name("a version", version, limits_.name_bytes);
    continuing_ = std::move(input);
    next_version_ = std::move(version);
}

void Execution::set_custom_status(Payload status) {
    if (dead_) return;
    check_room();
    if (status.bytes.size() > limits_.custom_status_bytes) {
        throw LimitExceeded(
            "a custom status of " + std::to_string(status.bytes.size()) + " bytes; at most " +
            std::to_string(limits_.custom_status_bytes) +
            " are allowed (Limits::custom_status_bytes): say less, and keep the rest "
            "elsewhere");
    }
    record(model::CustomStatusSet{std::move(status)});
}

void Execution::open_shield(Millis extend) noexcept { shields_.push_back(extend); }

void Execution::close_shield(Millis extend) noexcept {
    shields_.erase(std::find(shields_.begin(), shields_.end(), extend));
}

bool Execution::stop_here() noexcept { return dead_ || !stop_why_.empty(); }

}  // namespace belay::replay
