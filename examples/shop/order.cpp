#include "order.hpp"

#include <cstdio>
#include <sstream>

namespace shop {

namespace {

std::string text_of(const Item& item) {
    return std::to_string(item.pieces) + " " + item.article + " " + std::to_string(item.cents);
}

Item item_of(const std::string& text) {
    Item item;
    std::istringstream words(text);
    if (!(words >> item.pieces >> item.article >> item.cents)) {
        throw belay::DecodeError("'" + text + "' is no item: <pieces> <article> <cents>");
    }
    return item;
}

}  // namespace

int price_of(const Order& order) {
    int cents = 0;
    for (const Item& item : order.items) cents += item.pieces * item.cents;
    return cents;
}

std::string money(int cents) {
    char text[32];
    std::snprintf(text, sizeof text, "%d.%02d", cents / 100, cents % 100);
    return text;
}

std::string describe(const Item& item) {
    return std::to_string(item.pieces) + " " + item.article + " at " + money(item.cents);
}

}  // namespace shop

namespace belay {

Payload Codec<shop::Item>::encode(const shop::Item& item) {
    return Payload::text(shop::text_of(item));
}

shop::Item Codec<shop::Item>::decode(const Payload& payload) {
    return shop::item_of(Codec<std::string>::decode(payload));
}

Payload Codec<shop::Order>::encode(const shop::Order& order) {
    std::string text = order.customer + ":";
    for (const shop::Item& item : order.items) {
        text += (&item == &order.items.front() ? " " : ", ") + shop::text_of(item);
    }
    return Payload::text(text);
}

shop::Order Codec<shop::Order>::decode(const Payload& payload) {
    std::istringstream text(Codec<std::string>::decode(payload));
    shop::Order order;
    if (!std::getline(text, order.customer, ':')) throw DecodeError("an order without a customer");
    for (std::string item; std::getline(text, item, ',');) {
        order.items.push_back(shop::item_of(item));
    }
    return order;
}

}  // namespace belay
