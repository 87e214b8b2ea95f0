// The code of an activity, of any kind.
#pragma once

#include <belay/activity.hpp>
#include <belay/async.hpp>
#include <belay/detail/signature.hpp>
#include <belay/program.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace belay {

/// The way an activity runs and is stopped; see docs/guides/activities.md.
enum class ActivityKind : std::uint8_t {
    function = 1,   ///< Has a thread of the pool while it runs.
    coroutine = 2,  ///< Shares a few threads with all others.
    program = 3,    ///< A child process.
    engine = 4,     ///< A short function of the engine. Has slots and threads of its own.
};

/// The code of one activity: input in, result out; throws to fail. Copies share it, so an executor
/// that holds one keeps it alive. Called on many threads at once.
class ActivityHandler {
public:
    /// The code of a plain function, on encoded values.
    using Function = std::function<Payload(ActivityContext&, const Payload&)>;
    /// The code of a coroutine or a program, on encoded values.
    using Coroutine = std::function<Async<Payload>(ActivityContext&, const Payload&)>;

    /// Implicit conversions are intended: these are the kinds of code of an activity.
    ActivityHandler(Function function, ActivityKind kind = ActivityKind::function)
        : kind_(kind), function_(std::make_shared<const Function>(std::move(function))) {}
    ActivityHandler(Coroutine coroutine, ActivityKind kind = ActivityKind::coroutine)
        : kind_(kind), coroutine_(std::make_shared<const Coroutine>(std::move(coroutine))) {}

    /// Returns the kind, which decides between `call` and `start`.
    [[nodiscard]] ActivityKind kind() const noexcept { return kind_; }
    /// True for a function, one of the engine included.
    [[nodiscard]] bool is_function() const noexcept { return function_ != nullptr; }
    /// Only for a function, one of the engine included.
    [[nodiscard]] Payload call(ActivityContext& context, const Payload& input) const {
        return (*function_)(context, input);
    }
    /// Only for the other kinds.
    [[nodiscard]] Async<Payload> start(ActivityContext& context, const Payload& input) const {
        return (*coroutine_)(context, input);
    }

private:
    ActivityKind kind_;
    std::shared_ptr<const Function> function_;
    std::shared_ptr<const Coroutine> coroutine_;
};

namespace detail {

struct NotCallable {};

/// The result type of `Function` for these parameters, with the context before them if it takes
/// that.
template <class Function, class... Params>
consteval auto code_result() {
    if constexpr (std::is_invocable_v<Function&, ActivityContext&, Params...>) {
        return std::type_identity<std::invoke_result_t<Function&, ActivityContext&, Params...>>();
    } else if constexpr (std::is_invocable_v<Function&, Params...>) {
        return std::type_identity<std::invoke_result_t<Function&, Params...>>();
    } else {
        return std::type_identity<NotCallable>();
    }
}
template <class Function, class... Params>
using CodeResult = typename decltype(code_result<Function, Params...>())::type;

/// Calls `function` with the decoded arguments.
template <class... Params, class Function>
CodeResult<Function, Params...> call_code(Function& function,
                                          ActivityContext& context,
                                          const Payload& input) {
    std::tuple<Params...> arguments = decode_arguments<Params...>(input);
    return std::apply(
        [&](Params&... values) -> CodeResult<Function, Params...> {
            if constexpr (std::is_invocable_v<Function&, ActivityContext&, Params...>) {
                return function(context, std::move(values)...);
            } else {
                return function(std::move(values)...);
            }
        },
        arguments);
}

template <class R>
Async<Payload> encoded(Async<R> code) {
    if constexpr (std::is_void_v<R>) {
        co_await std::move(code);
        co_return Payload();
    } else {
        const R value = co_await std::move(code);
        co_return encode_result<R>(value);
    }
}

template <class R>
// NOLINTNEXTLINE(cppcoreguidelines-avoid-reference-coroutine-parameters): outlives the coroutine.
Async<Payload> program_activity(ActivityContext& context, Program program) {
    const ProgramOutput output = co_await context.run(std::move(program));
    co_return program_payload<R>(output);
}

/// Returns the handler of `function` as an activity R(Params...).
template <class R, class... Params, class Function>
ActivityHandler make_handler(Function function) {
    using Given = CodeResult<Function, Params...>;
    if constexpr (kIsAsync<Given>) {
        return ActivityHandler::Coroutine(
            [function = std::move(function)](ActivityContext& context,
                                             const Payload& input) mutable {
                return encoded<R>(call_code<Params...>(function, context, input));
            });
    } else if constexpr (std::is_same_v<Given, Program>) {
        return ActivityHandler(
            ActivityHandler::Coroutine([function = std::move(function)](
                                           ActivityContext& context, const Payload& input) mutable {
                return program_activity<R>(context, call_code<Params...>(function, context, input));
            }),
            ActivityKind::program);
    } else {
        return ActivityHandler::Function(
            [function = std::move(function)](ActivityContext& context,
                                             const Payload& input) mutable -> Payload {
                if constexpr (std::is_void_v<R>) {
                    static_cast<void>(call_code<Params...>(function, context, input));
                    return {};
                } else {
                    return encode_result<R>(
                        static_cast<R>(call_code<Params...>(function, context, input)));
                }
            });
    }
}

}  // namespace detail

}  // namespace belay
