// The results that a resumed run takes over from an earlier run.
//
// They stand in the document of the run (Definition::kept), so they are pinned like its definition,
// and can be larger than an input. The JSON form, by the path of a run below the resumed one:
//
//     {"": {"list": {"how": "completed", "output": "[1,2]", "from": "backup-3", ...},
//           "dump[0]": {"how": "completed", "element": "1f...", ...}},
//      "sub[3]": {"first": {...}, "$params": {"element": "9a..."}}}
//
// A value stands as a text of JSON, so that it can be nested as deeply as any other value.
#pragma once

#include "expr/value.hpp"
#include "flow/interpreter/ends.hpp"
#include "flow/interpreter/values.hpp"
#include <belay/time.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace belay::flow {

/// The end of a step or item that an earlier run has reached.
struct KeptEnd {
    StepEnd end = StepEnd::completed({});
    std::string from{};  ///< The id of that run.
    std::optional<Timestamp> began_at{};
    std::optional<Timestamp> ended_at{};
    std::uint32_t attempts = 0;
    std::string element{};  ///< Items: the fingerprint of the element.
};

/// True if a value comes back from JSON as it was: a timestamp would be a text.
[[nodiscard]] bool is_exact_as_json(const expr::Value& value);

/// Returns a text that is different for values with different JSON forms.
[[nodiscard]] std::string fingerprint_of(const expr::Value& value);

/// Returns the path of a run that a step starts: "sub[3]/inner".
[[nodiscard]] std::string path_below(std::string_view path, std::string_view place);

/// The kept results of one run of a tree.
class KeptResults {
public:
    /// `all`: Definition::kept. `path`: that of the run.
    KeptResults(std::shared_ptr<const expr::Value> all, std::string path);

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    /// Returns the end of a step, or of an item such as "dump[17]"; none if it is to run. Throws
    /// DecodeError for one that cannot be read.
    [[nodiscard]] std::optional<KeptEnd> find(std::string_view place) const;
    /// Returns the path of the run that the step at this place starts with these params. None if
    /// nothing of it is kept, or it had other params.
    [[nodiscard]] std::optional<std::string> path_below(std::string_view place,
                                                        const expr::Value& params) const;

private:
    [[nodiscard]] const expr::Map* run_at(const std::string& path) const;

    std::shared_ptr<const expr::Value> all_;
    std::string path_;
};

/// Gathers the results that are kept.
class KeptWriter {
public:
    /// Nothing of the run at this path is kept if it is started with other params.
    void add_run(const std::string& path, const expr::Value& params);
    void add(const std::string& path, const std::string& place, const KeptEnd& end);

    /// Returns the JSON form.
    [[nodiscard]] std::string json() const;

private:
    std::map<std::string, std::map<std::string, std::string>> runs_;
};

}  // namespace belay::flow
