// The values of the shop, each with the form in which it is stored.
#pragma once

#include <belay/codec.hpp>

#include <string>
#include <vector>

namespace shop {

struct Item {
    std::string article;  ///< One word.
    int pieces = 1;
    int cents = 0;  ///< Each.
};

struct Order {
    std::string customer;  ///< One word.
    std::vector<Item> items;
};

/// Returns the price of all items, in cents.
[[nodiscard]] int price_of(const Order& order);
/// "24.00"
[[nodiscard]] std::string money(int cents);
/// "2 kettle at 19.99"
[[nodiscard]] std::string describe(const Item& item);

}  // namespace shop

// Stored as text, so that `belay show` can print it: "ann: 2 kettle 1999, 1 lamp 4500". Histories
// keep this form for as long as runs are kept, so later versions of this code must still read it.

template <>
struct belay::Codec<shop::Item> {
    static Payload encode(const shop::Item& item);
    static shop::Item decode(const Payload& payload);
};

template <>
struct belay::Codec<shop::Order> {
    static Payload encode(const shop::Order& order);
    static shop::Order decode(const Payload& payload);
};
