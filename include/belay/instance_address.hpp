// Addresses of instances, as the operations of a client take them.
#pragma once

#include <belay/ids.hpp>
#include <belay/message.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace belay {

/// The instance that an operation of a client is about. All conversions are implicit:
///
///     client.cancel("order-7");            // in the default namespace of the client
///     client.cancel({"shop", "order-7"});  // in another one
///     client.cancel(run);                  // exactly this run, and not a later namesake
class InstanceAddress {
public:
    /// An id in the default namespace of the client.
    InstanceAddress(std::string id) : id_(std::move(id)) {}
    InstanceAddress(std::string_view id) : id_(id) {}
    InstanceAddress(const char* id) : id_(id) {}
    /// Deleted: no id.
    InstanceAddress(std::nullptr_t) = delete;
    /// An id in a namespace.
    InstanceAddress(std::string space, std::string id)
        : space_(std::move(space)), id_(std::move(id)) {}
    InstanceAddress(InstanceName name) : space_(std::move(name.space)), id_(std::move(name.id)) {}
    /// Exactly this run. The operation fails with `not_found` if another run has the name by now.
    /// Waits, `inspect`, reads of values and deletions reach the run also then.
    InstanceAddress(InstanceName name, RunRef run) : InstanceAddress(std::move(name)) {
        run_ = run;
    }

    /// Returns the namespace; none: the default namespace of the client.
    [[nodiscard]] const std::optional<std::string>& space() const noexcept { return space_; }
    /// Returns the id.
    [[nodiscard]] const std::string& id() const noexcept { return id_; }
    /// Returns the run; none: the run that has the name when the operation is done.
    [[nodiscard]] const std::optional<RunRef>& run() const noexcept { return run_; }
    /// Returns the name, with `default_space` if the address has no namespace.
    [[nodiscard]] InstanceName name(const std::string& default_space) const {
        return InstanceName{space_.value_or(default_space), id_};
    }

private:
    std::optional<std::string> space_;
    std::string id_;
    std::optional<RunRef> run_;
};

}  // namespace belay
