// The JSON schema of definitions, for editors and for documentation.
#pragma once

#include <string_view>

namespace belay::flow {

/// Returns the schema (draft 2020-12), as JSON. It describes every field that the reader accepts.
[[nodiscard]] std::string_view flow_schema() noexcept;

}  // namespace belay::flow
