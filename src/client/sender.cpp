#include "client/sender.hpp"

#include <algorithm>
#include <cstdio>

namespace belay::client {

namespace {

constexpr int kResends = 10;

bool is_unknown(const Result<std::vector<Answer>>& result) {
    if (!result) return result.error().outcome_unknown();
    return std::any_of(result->begin(), result->end(), [](const Answer& one) {
        return one.verdict == Verdict::failed && one.error && one.error->outcome_unknown();
    });
}

}  // namespace

std::string Sender::request_id_of(CommitId id) {
    char text[48];
    std::snprintf(text,
                  sizeof text,
                  "commit-%016llx%016llx",
                  static_cast<unsigned long long>(id.high),
                  static_cast<unsigned long long>(id.low));
    return text;
}

void Sender::send(std::vector<Transition> batch, Done<std::vector<Answer>> done) {
    send(std::make_shared<const std::vector<Transition>>(std::move(batch)),
         kResends,
         std::move(done));
}

void Sender::send(const Batch& batch, int resends, Done<std::vector<Answer>> done) {
    store_.commit(*batch,
                  [self = shared_from_this(), batch, resends, done = std::move(done)](
                      Result<std::vector<Answer>> result) {
                      if (is_unknown(result) && resends > 0) {
                          self->send(batch, resends - 1, done);
                      } else {
                          done(std::move(result));
                      }
                  });
}

}  // namespace belay::client
