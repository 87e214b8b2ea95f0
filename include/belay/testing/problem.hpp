// What is wrong with a test, or with the code it tests.
#pragma once

#include <stdexcept>

namespace belay::testing {

/// A test cannot go on, or must not pass: a run that can never end, code that replays differently
/// or has a hidden input, an activity that nobody has. `what()` says which, and what to do.
///
/// Not thrown for what code may do in production too: that is in the outcome of its run.
class Problem : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace belay::testing
