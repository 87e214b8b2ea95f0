// The statements of one kind of transition each, for any number of items.
#pragma once

#include "session.hpp"

#include <string>
#include <vector>

namespace trial {

/// A leased activity.
struct Held {
    Number run = 0;
    Number command = 0;
    Token token;
};

[[nodiscard]] std::vector<Step> ack_steps(std::vector<Held> items);
[[nodiscard]] std::vector<Step> renew_steps(const std::vector<Held>& items);
[[nodiscard]] std::vector<Step> cancel_steps(const std::vector<Number>& runs);
[[nodiscard]] std::vector<Step> claim_steps(Number how_many, Number holder, Number serial);

struct Start {
    Number run = 0;
    std::string id;
    std::string key;  ///< Empty: none.
    std::string input = "input";
};

/// Start and first turn in one transaction, the turn's activity handed over.
[[nodiscard]] std::vector<Step> start_steps(const std::vector<Start>& starts);

}  // namespace trial
