#include "replay/child_id.hpp"

#include "base/sha256.hpp"
#include "replay/checks.hpp"
#include <belay/exceptions.hpp>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>

namespace belay::replay {

namespace {

/// Begins the segment that stands for the names that a shortened path leaves out. It has the level
/// of the run that it stands for, a '.' and a digest.
constexpr std::string_view kLeftOut = "//";
static_assert(kShortPathBytes == kLeftOut.size() + 10 + 1 + base::kShortHexBytes,
              "a level has at most ten digits");

std::uint64_t count_slashes(std::string_view text) noexcept {
    return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '/'));
}

/// `7` and `2.7` are the ids of children without a name.
bool is_number_of_child(const std::string& name) {
    const std::size_t dot = name.find('.');
    const auto is_number = [](std::string_view part) {
        return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    };
    const std::string_view all = name;
    if (dot == std::string::npos) return is_number(all);
    return is_number(all.substr(0, dot)) && is_number(all.substr(dot + 1));
}

/// Refuses a name that another child may have for an id, or a child of one.
void check_child_name(const std::string& name, const Limits& limits) {
    require_name("a child's name", name, limits.name_bytes);
    if (name.find('/') != std::string::npos) {
        throw std::invalid_argument("the name '" + name +
                                    "' of a child has a '/', which is kept for its own children");
    }
    if (is_number_of_child(name)) {
        throw std::invalid_argument("a child's name is '" + name +
                                    "': numbers are the ids of children without a name");
    }
}

void check_level(const std::string& parent, std::uint64_t level, const Limits& limits) {
    if (level <= limits.tree_depth) return;
    throw LimitExceeded("a child of '" + parent + "' would be at level " + std::to_string(level) +
                        " below its root; at most " + std::to_string(limits.tree_depth) +
                        " are allowed (Limits::tree_depth)");
}

/// Returns a short id for the run at this level whose id is `path`, or would be.
std::string left_out(std::uint64_t level, const std::string& path) {
    return std::string(root_of(path)) + std::string(kLeftOut) + std::to_string(level) + "." +
           base::short_hex(base::Sha256().add(path).finish());
}

/// Refuses an id that is too long for the run that is created if the child fails.
void check_room_for_failure(const std::string& id,
                            const detail::OperationSpec& spec,
                            const Limits& limits) {
    const bool has_on_fail = spec.terms && spec.terms->on_fail;
    if (!has_on_fail || id.size() + kRoomForFailure <= limits.name_bytes + kShortPathBytes) return;
    throw LimitExceeded("the id '" + id + "' of a child leaves no room for that of a run for its " +
                        "failure (ChildOptions::on_fail): give the root a shorter id");
}

}  // namespace

std::uint64_t level_of(std::string_view id) noexcept {
    const std::size_t at = id.find(kLeftOut);
    if (at == std::string_view::npos) return count_slashes(id);
    const std::string_view rest = id.substr(at + kLeftOut.size());
    std::uint64_t level = 0;
    std::from_chars(rest.data(), rest.data() + rest.size(), level);
    return level + count_slashes(rest);
}

std::string child_id(const Identity& parent,
                     const Limits& limits,
                     const Journal& journal,
                     const detail::OperationSpec& spec,
                     CommandNo command,
                     std::uint32_t attempt) {
    std::string last = spec.child_id;
    if (!last.empty()) {
        if (attempt > 1) last += "." + std::to_string(attempt);
    } else {
        // The execution is part of it, or the children of the next one would collide with these.
        last = parent.execution == 1
                   ? std::to_string(command)
                   : std::to_string(parent.execution) + "." + std::to_string(command);
    }
    std::string path = parent.name.id + "/" + last;
    require_name("a child's id", path, path.size());
    if (!spec.child_id.empty()) check_child_name(spec.child_id, limits);
    const std::uint64_t level = level_of(parent.name.id) + 1;
    check_level(parent.name.id, level, limits);
    if (path.size() <= limits.name_bytes) return path;

    // Such children were refused before paths were shortened. A run that continued without the
    // child must do so in every replay.
    if (journal.replaying() && journal.next_in_history<model::ChildScheduled>() == nullptr) {
        require_name("a child's id", path, limits.name_bytes);
    }
    std::string below_parent = left_out(level - 1, parent.name.id) + "/" + last;
    if (below_parent.size() <= limits.name_bytes) return below_parent;
    std::string id = left_out(level, path);
    check_room_for_failure(id, spec, limits);
    return id;
}

void require_detached_id(const std::string& id, const Limits& limits) {
    require_name("an instance's id", id, limits.name_bytes);
    if (id.find('/') == std::string::npos) return;
    throw std::invalid_argument("the id '" + id +
                                "' of a run on its own has a '/', which is kept for children");
}

}  // namespace belay::replay
