// The input of a run of a flow.
#pragma once

#include "expr/value.hpp"
#include <belay/payload.hpp>
#include <belay/status.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace belay::flow {

/// The part of a definition that a run executes.
enum class EntryPoint : std::uint8_t {
    steps,    ///< The flow itself.
    on_fail,  ///< Its handler of failures, in a run of its own.
    items,    ///< Some items of one map, as a child of the run that has the map.
};

/// Some items of a map, and what their expressions see of the run that has the map.
struct ItemsInput {
    std::string list{};  ///< The list that has the step: "steps".
    std::string step{};
    std::uint64_t from = 0;  ///< The number of the first one.
    expr::List items{};
    std::optional<std::uint64_t> may_fail = 0;  ///< Not set: all.
    bool keeps_results = true;
    /// The room for the results.
    std::uint64_t most_bytes = 0;
    expr::Value steps{};  ///< The steps that their expressions use.
    expr::Value more{};   ///< Further variables: `failure` and `outcome`. A map.
    std::string run{};    ///< The id of the run that has the map ...
    Timestamp created{};  ///< ... and its first turn.
};

/// The JSON form: an object with the parameters. A run with another entry has an object with the
/// only member `$flow`, which cannot be the name of a parameter:
///
///     {"hosts": ["db1"], "keep": 7}
///     {"$flow": {"entry": "on_fail", "params": {...}, "failure": {"step": ..., "message": ...}}}
///     {"$flow": {"entry": "items", "params": {...}, "list": "steps", "step": "dump", "from": 1000,
///                "items": [...], "may_fail": 2, "keeps_results": true, "most_bytes": 1048576,
///                "steps": {...}, "more": {}, "run": "backup-7", "created": 1700000000000}}
///
/// `params` of items are those that their expressions use, `created` is in milliseconds.
/// `entry` may be "steps" too. `failure` is as the variable `failure` of expressions. The member
/// `resume` says that the run is resumed, and has its path in the kept results: "" for the run that
/// was started to resume another one, "sub[3]" for a flow that its step `sub` starts.
struct RunInput {
    EntryPoint entry = EntryPoint::steps;
    expr::Value params{};               ///< A map, or null for an empty one.
    std::optional<Failure> failure{};   ///< on_fail
    std::optional<ItemsInput> items{};  ///< items
    std::optional<std::string> resume{};
};

/// Throws OperationFailed for a value that JSON cannot hold.
[[nodiscard]] Payload encode_input(const RunInput& input);
/// Accepts no value, JSON, or a text that is JSON. Throws DecodeError, which says what is wrong.
[[nodiscard]] RunInput decode_input(const Payload& payload);

}  // namespace belay::flow
