// Random orchestrations, as data for the interpreter.
#pragma once

#include "simulation/world/rng.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace belay::sim {

/// Before the word of an output that is not a message: when the run began, as its code sees it.
inline constexpr const char* kBegan = "began:";

/// The beginning of a custom status that comes with a line in the log.
inline constexpr const char* kAt = "at ";

struct Node;
using NodePtr = std::shared_ptr<const Node>;

/// A statement: a letter, numbers and inner statements. `(s 1 200 (a 0 0))`.
///
///     a n q    call activity n on queue q           t n q    the same with try_call
///     d ms     timer                                g ...    a helper
///     s k ms   select of shape k                    j k ms   join of shape k
///     f n k    start n futures, await the first, drop the rest (k = 1: await none)
///     h ms ... under a shield that asks for ms      r n      register a compensation
///     e n ms   wait for event n (ms = 0: for ever)  q n ms   receive from queue n
///     b n ms k wait in the background; k < 2: let go after ms, even k: an event, odd: a queue
///     c d m i (...)  child: definition, mode, id    u n      custom status, and a line in the log
///     n ms n   continue as new, if it may; ms > 0: with a wait for event n begun so long before
///     o n k ms call activity n with options and a retry policy of sort k
///     v n k    key-value n: counted up, or cleared (k = 1), or all cleared (k = 2)
///     k        a random number as custom status     p n k    a patch, and one of two ways
///     m n k    take what has come to queue n, or event n (k = 1), without waiting
///     w n      start a run on its own
///     x        throw
///     y ...    catch std::exception and go on       z ...    catch Canceled and go on
///     l        throw Canceled
struct Node {
    char op = 'g';
    std::vector<std::int64_t> args;
    std::vector<NodePtr> body;

    [[nodiscard]] std::int64_t arg(std::size_t index) const {
        return index < args.size() ? args[index] : 0;
    }
};

[[nodiscard]] std::string to_text(const Node& node);
/// A program as the input of a run that may so often continue as new; some are large.
[[nodiscard]] std::string as_input(std::string program, std::int64_t continuations);
/// Blanks may follow it. Throws std::runtime_error for text that is not a program.
[[nodiscard]] NodePtr parse_program(std::string_view text);

struct ProgramStyle {
    std::int64_t longest_timer_ms = 1000;
    std::size_t statements = 8;
    unsigned forever_waits_percent = 15;  ///< Waits without a branch that ends them.
};

[[nodiscard]] NodePtr random_program(Rng& rng, const ProgramStyle& style);

}  // namespace belay::sim
