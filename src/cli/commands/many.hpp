// Commands that change many instances: those that were found are changed piece by piece.
#pragma once

#include "cli/context.hpp"
#include <belay/filter.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace belay::cli {

/// Calls `change` with the filter narrowed down to at most `size` of these ids, and with the number
/// of ids so far. An instance that does not match any more is left alone.
template <class Change>
void for_each_piece(const InstanceFilter& filter,
                    const std::vector<std::string>& ids,
                    std::uint32_t size,
                    Change change) {
    for (std::size_t at = 0; at < ids.size(); at += size) {
        const std::size_t end = std::min(at + size, ids.size());
        InstanceFilter piece = filter;
        piece.limit(size).ids({ids.begin() + static_cast<std::ptrdiff_t>(at),
                               ids.begin() + static_cast<std::ptrdiff_t>(end)});
        change(piece, end);
    }
}

/// The options of a command for many instances that have not ended: all of them, at most so many,
/// only a preview, no question, and the filters.
[[nodiscard]] std::vector<Option> active_filter_options();
/// True if the command line has `--all`, or a filter other than `but`.
[[nodiscard]] bool has_active_filter(const Arguments& arguments, const std::string& but = "");
/// The filter for instances that have not ended. Throws a Problem for a status of ended ones.
/// `verb` is what is done with them: "canceled".
[[nodiscard]] InstanceFilter active_filter_of(Context& context,
                                              const Arguments& arguments,
                                              const std::string& verb);

/// Throws a Problem if an option is given that only a command for many instances takes.
void refuse_options_of_many(const Arguments& arguments);
/// Throws a Problem if there is a --request-id.
void refuse_request_id(const Arguments& arguments);

/// The state of these instances. Throws a Problem for an id that is not there, before anything is
/// done with the others.
[[nodiscard]] std::vector<InstanceInfo> inspect_all(Context& context,
                                                    const std::vector<std::string>& ids);

/// Calls `act` for each id, and throws its Problem with the ids before it that were done.
void for_each_named(const std::vector<std::string>& ids,
                    const std::function<void(const std::string& id)>& act);

/// The words for an action on each instance that a filter chooses.
struct ManyWords {
    std::string before;  ///< "End ", the beginning of the question.
    std::string after;   ///< " at once, without cleanup?", behind the number of instances.
    std::string done;    ///< "terminated", also the name of the count in JSON.
};

/// Finds the instances that match and have not ended, asks, and calls `act` for each. With
/// `--dry-run` only prints how many there are. An instance whose run has ended meanwhile, or whose
/// id another run has, is left alone and counted. `act` returns false if it has ended.
[[nodiscard]] Exit change_active(Context& context,
                                 const Arguments& arguments,
                                 const ManyWords& words,
                                 const std::function<Result<bool>(const InstanceName&)>& act);

}  // namespace belay::cli
