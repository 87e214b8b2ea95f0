#include "replay/commands.hpp"

namespace belay::replay {

using detail::Operation;
using detail::OperationKind;

CommandNo Commands::add(const std::shared_ptr<Operation>& operation, OperationKind kind) {
    operations_.push_back(operation);
    kinds_.push_back(kind);
    ++open_count_;
    return static_cast<CommandNo>(operations_.size());
}

void Commands::close(CommandNo command) noexcept {
    --open_count_;
    operations_[command - 1].reset();
}

bool Commands::can_complete(CommandNo command) const noexcept {
    return is_open(command) && kinds_[command - 1] != OperationKind::wait;
}

bool Commands::can_fail(CommandNo command) const noexcept {
    if (!is_open(command)) return false;
    const OperationKind kind = kinds_[command - 1];
    return kind == OperationKind::activity || kind == OperationKind::child;
}

std::optional<OperationKind> Commands::kind_of(CommandNo command) const noexcept {
    if (state_of(command) == State::none) return std::nullopt;
    return kinds_[command - 1];
}

void Commands::forget_waiters() noexcept {
    for (const std::shared_ptr<Operation>& operation : operations_) {
        if (operation) operation->forget_waiter();
    }
}

void Commands::detach_all() noexcept {
    for (const std::shared_ptr<Operation>& operation : operations_) {
        if (operation) operation->detach();
    }
}

}  // namespace belay::replay
