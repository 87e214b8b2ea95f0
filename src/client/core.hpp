// What all operations of a client have in common.
#pragma once

#include "client/answers.hpp"
#include "client/match.hpp"
#include "client/sender.hpp"
#include "model/plain.hpp"
#include <belay/client.hpp>

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace belay {

struct Client::Core {
    Core(Store& store_, Clock& clock, Random& random_, const Limits& limits_, const Policy& policy_)
        : store(store_),
          random(random_),
          sender(std::make_shared<client::Sender>(store_, clock, random_, policy_)),
          limits(limits_),
          policy(policy_) {}

    /// Commits one part; after an unknown outcome the identical commit is sent again.
    template <class Request>
    void commit(Request part, std::function<void(Result<Answer>)> done) {
        sender->send({sender->prepare(std::move(part))},
                     [done = std::move(done)](Result<std::vector<Answer>> result) {
                         if (!result) {
                             done(result.error());
                         } else if (result->front().verdict == Verdict::failed) {
                             done(client::error_of(result->front()));
                         } else {
                             done(std::move(result->front()));
                         }
                     });
    }

    [[nodiscard]] Result<void> check(std::string_view what, const std::string& name) const {
        return check_name(what, name, limits.name_bytes);
    }
    [[nodiscard]] Result<void> check(const InstanceName& name) const {
        if (Result<void> space = check("the namespace", name.space); !space) return space;
        return check("the instance id", name.id);
    }
    /// Many instances of one namespace.
    [[nodiscard]] Result<void> check(const std::string& space,
                                     const std::vector<std::string>& ids) const {
        if (Result<void> fine = check("the namespace", space); !fine) return fine;
        if (ids.size() > limits.bulk_ids) {
            return Error(Errc::limit_exceeded,
                         std::to_string(ids.size()) + " instances are named; at most " +
                             std::to_string(limits.bulk_ids) + " are allowed");
        }
        for (const std::string& id : ids) {
            if (Result<void> fine = check("the instance id", id); !fine) return fine;
        }
        return {};
    }
    [[nodiscard]] Result<void> check(const InstanceFilter& filter) const {
        return client::first_problem(
            {check(filter.space(), filter.ids().value_or(std::vector<std::string>())),
             filter.definition() ? check("the definition", *filter.definition()) : Result<void>(),
             filter.owner() ? check("the owner", *filter.owner()) : Result<void>()});
    }
    [[nodiscard]] Result<void> check(const InstanceMatch& match) const {
        const auto check_if = [this](const char* what, const std::optional<std::string>& name) {
            return name ? check(what, *name) : Result<void>();
        };
        for (const auto& [name, value] : match.labels) {
            if (Result<void> fine = check("the label", name); !fine) return fine;
        }
        if (match.labels.size() > limits.labels) {
            return Error(Errc::limit_exceeded,
                         std::to_string(match.labels.size()) + " labels are asked for; at most " +
                             std::to_string(limits.labels) + " are allowed");
        }
        return client::first_problem(
            {check("the namespace", match.space),
             client::check_statuses(match.statuses),
             check_if("the definition", match.definition),
             check_if("the version", match.version),
             check_if("the parent's id", match.parent),
             check_if("the owner", match.owner),
             client::check_prefix("ids", match.id_prefix, limits.name_bytes)});
    }
    [[nodiscard]] Result<void> check(const RetentionRequest& request) const {
        return client::first_problem(
            {check("the namespace", request.space()),
             request.policy() ? check_retention(*request.policy(), limits) : Result<void>()});
    }
    /// A name that may be missing.
    [[nodiscard]] Result<void> check_optional(std::string_view what,
                                              const std::string& name) const {
        return name.empty() ? Result<void>() : check_name(what, name, limits.reason_bytes);
    }
    [[nodiscard]] Result<void> check_reason(const std::string& reason) const {
        return check_text("the reason", reason, limits.reason_bytes);
    }
    [[nodiscard]] Result<void> check(const Payload& payload) const {
        if (Result<void> plain = model::check_plain("the payload", payload); !plain) return plain;
        if (payload.bytes.size() <= limits.payload_bytes) return {};
        return Error(Errc::limit_exceeded,
                     "the payload is " + std::to_string(payload.bytes.size()) + " bytes; at most " +
                         std::to_string(limits.payload_bytes) + " are allowed");
    }
    void send_message(std::string_view what,
                      Send part,
                      std::string request_id,
                      Done<InstanceBrief> done) {
        const Result<void> fine =
            client::first_problem({check(part.name),
                                   check(what, part.message.name),
                                   check_optional("the request id", request_id),
                                   check(part.message.payload)});
        if (!fine) {
            done(fine.error());
            return;
        }
        part.request_id = std::move(request_id);
        commit(std::move(part), client::tell_brief(std::move(done)));
    }

    [[nodiscard]] std::string fresh_id() {
        char text[40];
        const auto high = static_cast<unsigned long long>(sender->ids().run_key().value);
        const auto low = static_cast<unsigned long long>(random.next());
        std::snprintf(text, sizeof text, "run-%016llx%016llx", high, low);
        return text;
    }

    Store& store;
    Random& random;
    std::shared_ptr<client::Sender> sender;
    Limits limits;
    Policy policy;
};

}  // namespace belay
