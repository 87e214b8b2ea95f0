// A service on a store in this process.
#include "base/policy.hpp"
#include "client/handlers.hpp"

#include <utility>

namespace belay {

namespace {

class LocalService final : public Service {
public:
    LocalService(
        Store& store, Clock& clock, Random& random, const Limits& limits, const Policy& policy)
        : context_(std::make_shared<client::ServiceContext>(store, clock, random, limits, policy)) {
    }

    void serve(AnyRequest request) override {
        std::visit([this](auto& asked) { serve_one(asked); }, request);
    }
    void subscribe(StoreListener& listener) override { context_->store.subscribe(listener); }
    void unsubscribe(StoreListener& listener) override { context_->store.unsubscribe(listener); }

private:
    template <class Request>
    void serve_one(Asked<Request>& asked) {
        if constexpr (requires { client::answer(*context_, asked.request); }) {
            asked.done(client::answer(*context_, asked.request));
        } else {
            client::begin(context_, std::move(asked.request), std::move(asked.done));
        }
    }

    const client::ContextPtr context_;
};

}  // namespace

std::unique_ptr<Service> make_local_service(
    Store& store, Clock& clock, Random& random, const Limits& limits, const Policy& policy) {
    base::check_policy(policy);
    return std::make_unique<LocalService>(store, clock, random, limits, policy);
}

}  // namespace belay
