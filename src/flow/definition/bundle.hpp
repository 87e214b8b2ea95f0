// A definition with all definitions that it starts: the unit that a run pins.
#pragma once

#include "flow/definition/reader.hpp"
#include <belay/error.hpp>

#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace belay::flow {

struct Bundle {
    std::string main;  ///< The name of the definition that a run begins with.
    std::map<std::string, Definition, std::less<>> flows;
    std::map<std::string, std::string, std::less<>> sources;  ///< The texts, as they were written.

    [[nodiscard]] const Definition& main_flow() const { return flows.find(main)->second; }
};

/// Returns the text of the definition of this name, or none.
using FindFlow = std::function<std::optional<std::string>(std::string_view name)>;

/// Reads a definition and all that it starts, each once. Also checks what is passed to each of
/// them. A problem names its definition. Definitions may start one another in a circle.
[[nodiscard]] std::expected<Bundle, Problems> read_bundle(std::string_view main_text,
                                                          const FindFlow& find,
                                                          const ReadOptions& options = {});

/// Writes the document whose hash pins a run:
/// `{"belay":1,"main":"a","flows":{"a":"<its text>",...}}`. The same texts give the same document.
[[nodiscard]] std::string write_bundle(const Bundle& bundle);
/// The same with the member "kept", for a resumed run: `kept` is an object as JSON, and becomes
/// Definition::kept of all definitions.
[[nodiscard]] std::string write_bundle(const Bundle& bundle, std::string_view kept);

/// Reads a document that `write_bundle` has written. It checks no expressions and no graph: that
/// was done before the document was written. Returns `corrupt` for any other text.
[[nodiscard]] Result<Bundle> open_bundle(std::string_view document);

}  // namespace belay::flow
