#include "services.hpp"

#include <stdexcept>

namespace shop {

std::string Warehouse::reserve(const std::string& hold, const Order& order) {
    const std::lock_guard lock(mutex_);
    if (holds_.contains(hold)) return {};
    for (const Item& item : order.items) {
        if (stock_[item.article] < item.pieces) return item.article;
    }
    for (const Item& item : order.items) stock_[item.article] -= item.pieces;
    holds_.emplace(hold, order);
    return {};
}

void Warehouse::release(const std::string& hold) {
    const std::lock_guard lock(mutex_);
    const auto found = holds_.find(hold);
    if (found == holds_.end()) return;
    for (const Item& item : found->second.items) stock_[item.article] += item.pieces;
    holds_.erase(found);
}

int Warehouse::pieces(const std::string& article) const {
    const std::lock_guard lock(mutex_);
    const auto found = stock_.find(article);
    return found == stock_.end() ? 0 : found->second;
}

bool Bank::charge(const std::string& payment, const std::string& customer, int cents) {
    {
        const std::lock_guard lock(mutex_);
        if (customer == declined_) return false;
        payments_.emplace(payment, cents);
    }
    if (lose_next_.exchange(false)) throw std::runtime_error("the bank's answer was lost");
    return true;
}

void Bank::refund(const std::string& payment) {
    const std::lock_guard lock(mutex_);
    payments_.erase(payment);
}

void Bank::decline(const std::string& customer) {
    const std::lock_guard lock(mutex_);
    declined_ = customer;
}

int Bank::balance() const {
    const std::lock_guard lock(mutex_);
    int sum = 0;
    for (const auto& [payment, cents] : payments_) sum += cents;
    return sum;
}

}  // namespace shop
