// The one filter of instances for lists, counts, and changes of many.
#pragma once

#include <belay/store/match.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay {

namespace detail {

/// The setters of every class that chooses instances.
template <class Self>
class MatchSetters {
public:
    /// The namespace. Default: "default".
    Self& space(std::string space) { return set(match_.space, std::move(space)); }
    /// Only these ids, as far as they exist; an empty list chooses none.
    Self& ids(std::vector<std::string> ids) { return set(match_.ids, std::move(ids)); }
    /// Only those in this state. Called several times: in one of these.
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
    /// Only direct children of the instance that has this id.
    Self& parent(std::string id) { return set(match_.parent, std::move(id)); }
    /// Only those of this owner.
    Self& owner(std::string owner) { return set(match_.owner, std::move(owner)); }
    /// Only those with a label of this type and value: the text "3" is not the number 3. Called
    /// several times: with all of these.
    Self& label(std::string name, LabelValue value) {
        match_.labels.emplace_back(std::move(name), std::move(value));
        return self();
    }
    /// Only those that were started then or later, by the store's time.
    Self& created_from(Timestamp at) { return set(match_.created.from, at); }
    /// Only those that were started before.
    Self& created_before(Timestamp at) { return set(match_.created.before, at); }
    /// Only those that ended then or later.
    Self& ended_from(Timestamp at) { return set(match_.ended.from, at); }
    /// Only those that ended before; so none that is running.
    Self& ended_before(Timestamp at) { return set(match_.ended.before, at); }
    /// Only those whose id has this prefix, in bytes.
    Self& id_prefix(std::string prefix) { return set(match_.id_prefix, std::move(prefix)); }
    /// Only roots.
    Self& roots_only(bool only = true) { return set(match_.roots_only, only); }
    /// Only held ones, which wait for a person.
    Self& held_only(bool only = true) { return set(match_.held_only, only); }

    /// Also children that are parts of their parents (ChildOptions::part), such as those that run
    /// the items of a large map. Default: only with `parent`, `ids` or `held_only`.
    Self& all_parts(bool all = true) { return set(match_.all_parts, all); }

    /// Returns the match that these setters have built.
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

/// Chooses instances for an operation on many, or for a list. An instance must meet all conditions
/// that are set. A filter with nothing set chooses every instance of its namespace that the
/// operation applies to. Chained setters:
/// `InstanceFilter().definition("Order").status(Status::failed)`.
class InstanceFilter : public detail::MatchSetters<InstanceFilter> {
public:
    InstanceFilter() = default;

    /// The same as `ended_before`.
    InstanceFilter& completed_before(Timestamp time) { return ended_before(time); }
    /// The most instances that are changed. Default: Policy::bulk_limit. Instances that do not
    /// match, or are protected, do not count.
    InstanceFilter& limit(std::uint32_t limit) { return set(limit_, limit); }

    /// The number given to `limit`.
    [[nodiscard]] std::optional<std::uint32_t> limit() const noexcept { return limit_; }

private:
    std::optional<std::uint32_t> limit_;
};

}  // namespace belay
