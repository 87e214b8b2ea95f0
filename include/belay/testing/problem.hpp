// A problem of a test, or of the code it tests.
#pragma once

#include <stdexcept>

namespace belay::testing {

/// A test cannot go on, or must not pass: a run that can never end, code that replays differently
/// or has a hidden input, an activity that nobody has. `what()` names the problem and the remedy.
///
/// Not thrown for failures that code may have in production too: those are in the outcome of its
/// run.
class Problem : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace belay::testing
