// Compares the steps of two definitions: would a step give the same result?
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace belay::flow {

/// Returns, by step of the list `steps`, the fields that decide its result, in a form that does not
/// depend on the layout. Left out are the steps before it, its retries and times, its place in
/// queues, and the consequences of its end. `source`: a definition without mistakes.
[[nodiscard]] std::map<std::string, std::string, std::less<>> result_texts(std::string_view source);

}  // namespace belay::flow
