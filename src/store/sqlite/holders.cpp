#include "store/sqlite/holders.hpp"

#include "store/rules/records.hpp"
#include <belay/random.hpp>

namespace belay::sqlite {

namespace {

/// The end of leases in the row is later than the true one by this much, so the row is seldom
/// rewritten.
constexpr Millis kAhead{60'000};

}  // namespace

std::vector<RegisteredHolder> read_holders(Connection& connection) {
    std::vector<RegisteredHolder> found;
    Query query = connection.use(Sql::holder_list);
    using Row = columns::holder_list;
    while (query.step()) {
        found.push_back({query.number(Row::holder),
                         query.number(Row::registration),
                         LifePlace{query.text(Row::boot),
                                   FileIdentity{static_cast<dev_t>(query.number(Row::device)),
                                                static_cast<ino_t>(query.number(Row::inode))}}});
    }
    return found;
}

Holders::Holders(const std::string& database)
    : lock_(database), registration_(system_random().next()) {}

void Holders::promise(Connection& connection, std::uint64_t holder, Timestamp now, Millis lease) {
    if (!lock_.place()) return;
    const Timestamp until = store::later(now, lease);
    for (const auto* known : {&pending_, &until_}) {
        const auto found = known->find(holder);
        if (found != known->end() && found->second >= until) return;
    }
    if (!lock_.hold(holder)) return;
    const Timestamp ahead = store::later(until, kAhead);
    const LifePlace& place = *lock_.place();
    Query query = connection.use(Sql::holder_put);
    query.bind(holder,
               registration_,
               ahead,
               place.boot,
               static_cast<std::uint64_t>(place.file.device),
               static_cast<std::uint64_t>(place.file.number));
    query.run();
    connection.use(Sql::holder_forget_strangers)
        .bind(now,
              place.boot,
              static_cast<std::uint64_t>(place.file.device),
              static_cast<std::uint64_t>(place.file.number))
        .run();
    pending_.insert_or_assign(holder, ahead);
}

void Holders::keep() {
    for (const auto& [holder, until] : pending_) until_.insert_or_assign(holder, until);
    pending_.clear();
}

void Holders::withdraw(Connection& connection) const {
    for (const auto& [holder, until] : until_) {
        connection.use(Sql::holder_withdraw).bind(holder, registration_).run();
    }
}

}  // namespace belay::sqlite
