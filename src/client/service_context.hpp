// Common ground of all answers of a local service.
#pragma once

#include "client/answers.hpp"
#include "client/match.hpp"
#include "client/sender.hpp"
#include "model/payload_check.hpp"
#include <belay/limits.hpp>
#include <belay/random.hpp>
#include <belay/store/store.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::client {

/// Lives as long as an answer is awaited. Thread-safe.
struct ServiceContext {
    ServiceContext(
        Store& store_, Clock& clock, Random& random_, const Limits& limits_, const Policy& policy_)
        : store(store_),
          random(random_),
          sender(std::make_shared<Sender>(store_, clock, random_, policy_)),
          limits(limits_),
          policy(policy_) {}

    /// Commits one part; after an unknown outcome the identical commit is sent again.
    template <class Part>
    void commit(Part part, std::function<void(Result<Answer>)> done) {
        std::vector<Transition> batch;
        batch.push_back(sender->prepare(std::move(part)));
        sender->send(std::move(batch),
                     [done = std::move(done)](Result<std::vector<Answer>> result) {
                         if (!result) {
                             done(result.error());
                         } else if (result->front().verdict == Verdict::failed) {
                             done(error_of(result->front()));
                         } else {
                             done(std::move(result->front()));
                         }
                     });
    }

    [[nodiscard]] Result<void> check(std::string_view what, const std::string& name) const;
    [[nodiscard]] Result<void> check(std::string_view what,
                                     const std::optional<std::string>& name) const;
    [[nodiscard]] Result<void> check(const InstanceName& name) const;
    [[nodiscard]] Result<void> check_id(std::string_view what, const std::string& id) const;
    /// Many instances of one namespace.
    [[nodiscard]] Result<void> check(const std::string& space,
                                     const std::vector<std::string>& ids) const;
    [[nodiscard]] Result<void> check(const InstanceMatch& match) const;
    [[nodiscard]] Result<void> check(const Payload& payload) const;
    /// A name that may be missing.
    [[nodiscard]] Result<void> check_optional(std::string_view what, const std::string& name) const;
    /// An empty one would be one key for all requests without one.
    [[nodiscard]] Result<void> check_key(const std::string& key) const;
    [[nodiscard]] Result<void> check_reason(const std::string& reason) const;

    [[nodiscard]] std::string fresh_id();

    Store& store;
    Random& random;
    std::shared_ptr<Sender> sender;
    Limits limits;
    Policy policy;
};

using ContextPtr = std::shared_ptr<ServiceContext>;

[[nodiscard]] inline Error no_such_instance(const InstanceName& name) {
    return Error(Errc::not_found, "there is no instance '" + name.id + "'");
}

}  // namespace belay::client
