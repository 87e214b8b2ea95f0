// Which instances an operation is about: the one filter of lists, counts, and changes of many.
#pragma once

#include <belay/store/match.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay {

namespace detail {

/// The setters of everything that can say which instances are meant.
template <class Self>
class MatchSetters {
public:
    /// The namespace; "default" unless something is said.
    Self& space(std::string space) { return set(match_.space, std::move(space)); }
    /// Only these, as far as they exist; an empty list chooses none.
    Self& ids(std::vector<std::string> ids) { return set(match_.ids, std::move(ids)); }
    /// Only those in this state. Said several times: in one of these.
    Self& status(Status status) {
        if (!match_.statuses) match_.statuses.emplace();
        match_.statuses->push_back(status);
        return self();
    }
    /// Only those in one of these states; an empty list chooses none.
    Self& statuses(std::vector<Status> statuses) {
        return set(match_.statuses, std::move(statuses));
    }
    /// Only those of this orchestration.
    Self& definition(std::string name) { return set(match_.definition, std::move(name)); }
    /// Only those that run this version of their code.
    Self& version(std::string version) { return set(match_.version, std::move(version)); }
    /// Direct children of the instance that has this id.
    Self& parent(std::string id) { return set(match_.parent, std::move(id)); }
    /// Only those of this owner.
    Self& owner(std::string owner) { return set(match_.owner, std::move(owner)); }
    /// Equal, and of this type: the text "3" is not the number 3. Said several times: all of these.
    Self& label(std::string name, LabelValue value) {
        match_.labels.emplace_back(std::move(name), std::move(value));
        return self();
    }
    /// Only those that were started then or later, by the store's time.
    Self& created_from(Timestamp at) { return set(match_.created.from, at); }
    /// Only those that were started before.
    Self& created_before(Timestamp at) { return set(match_.created.before, at); }
    /// Only what has ended.
    Self& ended_from(Timestamp at) { return set(match_.ended.from, at); }
    /// Only what ended before; so none that is running.
    Self& ended_before(Timestamp at) { return set(match_.ended.before, at); }
    /// Only those whose id begins like this, byte by byte.
    Self& id_prefix(std::string prefix) { return set(match_.id_prefix, std::move(prefix)); }
    /// No children.
    Self& roots_only(bool only = true) { return set(match_.roots_only, only); }
    /// Only those that wait for a person.
    Self& held_only(bool only = true) { return set(match_.held_only, only); }

    /// All that was said about which instances are meant.
    [[nodiscard]] const InstanceMatch& match() const noexcept { return match_; }

protected:
    template <class T, class U>
    Self& set(T& member, U&& value) {
        member = std::forward<U>(value);
        return self();
    }

private:
    friend Self;
    MatchSetters() { match_.space = "default"; }
    explicit MatchSetters(InstanceMatch match) : match_(std::move(match)) {}

    [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }

    InstanceMatch match_;
};

}  // namespace detail

/// Chooses instances for an operation on many, or for a list. All that is set must be true of an
/// instance; a filter with nothing set chooses every instance of its namespace that the operation
/// is meant for. Chained setters: `InstanceFilter().definition("Order").status(Status::failed)`.
class InstanceFilter : public detail::MatchSetters<InstanceFilter> {
public:
    InstanceFilter() = default;

    /// The same as `ended_before`.
    InstanceFilter& completed_before(Timestamp time) { return ended_before(time); }
    /// At most so many instances are changed; Policy::bulk_limit if not said. Looked at last: one
    /// that does not match, or is protected, does not count.
    InstanceFilter& limit(std::uint32_t limit) { return set(limit_, limit); }

    /// The number given to `limit`.
    [[nodiscard]] std::optional<std::uint32_t> limit() const noexcept { return limit_; }

private:
    std::optional<std::uint32_t> limit_;
};

}  // namespace belay
