// The world outside: stand-ins for a warehouse and a bank. They are used by many threads at once.
#pragma once

#include "order.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <string>

namespace shop {

class Warehouse {
public:
    explicit Warehouse(std::map<std::string, int> stock) : stock_(std::move(stock)) {}

    /// Sets goods aside under this number, all or nothing, and once, however often it is asked.
    /// Returns the articles that are short. Empty: it is done.
    [[nodiscard]] std::string reserve(const std::string& hold, const Order& order);
    /// Gives them back. A hold that does not exist is no error.
    void release(const std::string& hold);
    [[nodiscard]] int pieces(const std::string& article) const;

    /// The number of parcels that are being packed.
    std::atomic<int> on_the_table = 0;

private:
    mutable std::mutex mutex_;
    std::map<std::string, int> stock_;
    std::map<std::string, Order> holds_;
};

class Bank {
public:
    /// Takes money, once for each number of a payment. False: the card is declined. Throws
    /// std::runtime_error when its answer is lost, whether or not the money was taken.
    [[nodiscard]] bool charge(const std::string& payment, const std::string& customer, int cents);
    /// Gives it back. A payment that does not exist is no error.
    void refund(const std::string& payment);

    /// For the example: the next answer is lost. The money is taken.
    void lose_next_answer() { lose_next_ = true; }
    void decline(const std::string& customer);
    /// Returns the money that the shop has.
    [[nodiscard]] int balance() const;

private:
    mutable std::mutex mutex_;
    std::map<std::string, int> payments_;
    std::string declined_;
    std::atomic<bool> lose_next_ = false;
};

struct Services {
    Warehouse warehouse;
    Bank bank;
};

}  // namespace shop
