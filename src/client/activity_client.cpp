// The client of an activity.
#include <belay/activity.hpp>
#include <belay/client.hpp>
#include <belay/detail/activity_services.hpp>

#include <stdexcept>

namespace belay {

Client ActivityContext::client() const {
    if (info_->services == nullptr) {
        throw std::logic_error("belay: this activity was begun without a store for a client");
    }
    const detail::ActivityServices& services = *info_->services;
    Client client(
        services.store, services.clock, services.random, services.limits, services.policy);
    client.default_namespace(info_->instance.space);
    return client;
}

}  // namespace belay
