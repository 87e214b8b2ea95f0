#include "replay/inbox.hpp"

namespace belay::replay {

using detail::Operation;

// ---- Announced ---------------------------------------------------------------------------------

void Inbox::announce(const NewMessage& message) {
    const bool is_for_code =
        message.kind == MessageKind::event_raised || message.kind == MessageKind::queue_message;
    if (!is_for_code) return;
    if (!announced_) announced_ = std::deque<Announced>();
    announced_->push_back(Announced{&message});
}

bool Inbox::took_early(const NewMessage& message) const noexcept {
    if (!announced_) return false;
    const auto found = std::find_if(announced_->begin(),
                                    announced_->end(),
                                    [&](const Announced& one) { return one.message == &message; });
    return found != announced_->end() && found->is_taken;
}

bool Inbox::begin_applying(const NewMessage& message) noexcept {
    if (!announced_ || announced_->empty() || announced_->front().message != &message) return true;
    const bool is_taken = announced_->front().is_taken;
    announced_->pop_front();
    return !is_taken;
}

// ---- Buffered ----------------------------------------------------------------------------------

bool Inbox::receive(const model::MessageReceived& message) {
    const Channel channel(message.channel, message.name);
    const bool is_awaited = waiting_.contains(channel) || awaited_arrivals_.contains(channel);
    if (buffered_count_ >= limits_.buffered_messages && !is_awaited) return false;
    deliver(channel, ++arrivals_, message.payload);
    return true;
}

/// Gives a message to the first wait of its channel, or buffers it.
void Inbox::deliver(const Channel& channel, Arrival arrival, Payload payload) {
    const auto waiting = waiting_.find(channel);
    if (waiting == waiting_.end()) {
        buffer(channel, arrival, std::move(payload));
        return;
    }
    const std::shared_ptr<Operation> first = waiting->second.begin()->second;
    give_to(first, channel, arrival, std::move(payload));
}

void Inbox::buffer(const Channel& channel, Arrival arrival, Payload payload) {
    buffered_[channel].emplace(arrival, std::move(payload));
    ++buffered_count_;
    if (auto awaited = awaited_arrivals_.extract(channel)) awaited.mapped()->set_ready();
}

std::shared_ptr<detail::Completion> Inbox::arrival(MessageKind kind, const std::string& name) {
    const Channel channel(kind, name);
    if (buffered_.contains(channel)) {
        auto arrived = std::make_shared<FirstArrival>();
        arrived->set_ready();
        return arrived;
    }
    return awaited_arrivals_.insert_or_assign(channel, std::make_shared<FirstArrival>())
        .first->second;
}

std::pair<Inbox::Arrival, Payload> Inbox::take_first(Buffer::iterator from) {
    const auto first = from->second.begin();
    std::pair<Arrival, Payload> taken(first->first, std::move(first->second));
    from->second.erase(first);
    --buffered_count_;
    if (buffered_count_ <= limits_.buffered_messages) has_too_many_ = false;
    if (from->second.empty()) buffered_.erase(from);
    return taken;
}

std::optional<Payload> Inbox::try_take(MessageKind kind, const std::string& name) {
    const Channel channel(kind, name);
    auto from = buffered_.find(channel);
    if (from == buffered_.end() && receive_early(kind, name)) from = buffered_.find(channel);
    if (from == buffered_.end()) return std::nullopt;
    journal_.check_room();
    std::pair<Arrival, Payload> taken = take_first(from);
    journal_.record(model::MessageTaken{kind, name});
    return std::move(taken.second);
}

std::size_t Inbox::depth(MessageKind kind, const std::string& name) {
    while (receive_early(kind, name)) {
    }
    return buffered(kind, name);
}

std::size_t Inbox::buffered(MessageKind kind, const std::string& name) const {
    const auto from = buffered_.find(Channel(kind, name));
    return from == buffered_.end() ? 0 : from->second.size();
}

/// Takes in the next announced message of a channel before it is applied.
bool Inbox::receive_early(MessageKind kind, const std::string& name) {
    if (waiting_.contains(Channel(kind, name))) return false;  // It belongs to the wait.
    const std::optional<model::MessageReceived> early = next_early(kind, name);
    if (!early) return false;
    journal_.record(*early);
    // The code asks for it, and may take it at once. So one too many does not end the code here.
    if (buffered_count_ >= limits_.buffered_messages) has_too_many_ = true;
    buffer(Channel(kind, name), ++arrivals_, early->payload);
    return true;
}

/// On replay, history shows if a message was taken in early. Later messages of the turn are behind
/// another input.
std::optional<model::MessageReceived> Inbox::next_early(MessageKind kind, const std::string& name) {
    if (journal_.replaying()) {
        const auto* const next = journal_.next_in_history<model::MessageReceived>();
        if (next != nullptr && next->channel == kind && next->name == name) return *next;
        return std::nullopt;
    }
    if (!announced_) return std::nullopt;
    for (Announced& one : *announced_) {
        if (one.is_taken || one.message->kind != kind || one.message->name != name) continue;
        one.is_taken = true;
        return model::MessageReceived{kind, name, one.message->payload};
    }
    return std::nullopt;
}

// ---- Handed over -------------------------------------------------------------------------------

void Inbox::begin_wait(const detail::OperationSpec& spec,
                       const std::shared_ptr<Operation>& operation) {
    const Channel channel(spec.channel, spec.name);
    const auto from = buffered_.find(channel);
    if (from == buffered_.end()) {
        waiting_[channel].emplace(operation->number(), operation);
        wait_channels_.emplace(operation->number(), channel);
        return;
    }
    auto [arrival, payload] = take_first(from);
    give_to(operation, channel, arrival, std::move(payload));
}

void Inbox::give_to(const std::shared_ptr<Operation>& wait,
                    const Channel& channel,
                    Arrival arrival,
                    Payload payload) {
    const CommandNo command = wait->number();
    handed_over_.emplace(command, HandedOver{wait, channel, arrival});
    end_wait(command);
    commands_.close(command);
    wait->complete(std::move(payload));
}

void Inbox::end_wait(CommandNo command) noexcept {
    const auto wait = wait_channels_.find(command);
    if (wait == wait_channels_.end()) return;
    const auto waiting = waiting_.find(wait->second);
    waiting->second.erase(command);
    if (waiting->second.empty()) waiting_.erase(waiting);
    wait_channels_.erase(wait);
}

void Inbox::pass_on(Operation& wait) {
    const auto at = handed_over_.find(wait.number());
    if (at == handed_over_.end()) return;
    const HandedOver handed = std::move(at->second);
    handed_over_.erase(at);
    deliver(handed.channel, handed.arrival, wait.drop());
}

void Inbox::buffer_handed_over() {
    for (const auto& [command, handed] : std::exchange(handed_over_, {})) {
        buffer(handed.channel, handed.arrival, handed.operation->drop());
    }
}

void Inbox::detach_all() noexcept {
    for (const auto& [command, handed] : handed_over_) handed.operation->detach();
}

// ---- From one execution to the next ------------------------------------------------------------

std::vector<model::CarriedMessage> Inbox::carried() const {
    std::vector<model::CarriedMessage> messages;
    for (const auto& [channel, payloads] : buffered_) {
        for (const auto& [arrival, payload] : payloads) {
            messages.push_back(model::CarriedMessage{channel.first, channel.second, payload});
        }
    }
    return messages;
}

void Inbox::take_over(std::vector<model::CarriedMessage> messages) {
    for (model::CarriedMessage& message : messages) {
        buffer(Channel(message.channel, std::move(message.name)),
               ++arrivals_,
               std::move(message.payload));
    }
}

}  // namespace belay::replay
