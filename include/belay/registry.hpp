// The registry: code by name.
#pragma once

#include <belay/activity.hpp>
#include <belay/activity_handler.hpp>
#include <belay/orchestration.hpp>
#include <belay/versions.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace belay {

namespace detail {

/// A running orchestration without its type.
class Root {
public:
    virtual ~Root() = default;
    virtual void start(Scope& scope) = 0;
    [[nodiscard]] virtual Completion& completion() = 0;
    /// The encoded result; throws what the code threw.
    [[nodiscard]] virtual Payload take() = 0;
};

template <class T>
class RootOf final : public Root {
public:
    explicit RootOf(Orchestration<T> code) : code_(std::move(code)) {}
    void start(Scope& scope) override { code_.start(scope); }
    [[nodiscard]] Completion& completion() override { return code_.completion(); }
    [[nodiscard]] Payload take() override {
        if constexpr (std::is_void_v<T>) {
            code_.take();
            return {};
        } else {
            return encode_result<T>(code_.take());
        }
    }

private:
    Orchestration<T> code_;
};

}  // namespace detail

/// Makes the coroutine of one execution from its input. May throw.
using OrchestrationHandler =
    std::function<std::unique_ptr<detail::Root>(OrchestrationContext, const Payload&)>;

/// Makes the code of a document: of all runs that have it. May throw: then each execution of such a
/// run fails.
using DocumentCompiler = std::function<OrchestrationHandler(const Payload& document)>;
/// Makes the coroutine of one execution from a document and the input. May throw.
using Interpreter = std::function<std::unique_ptr<detail::Root>(
    OrchestrationContext, const Payload& document, const Payload& input)>;

/// One version of the code of an orchestration.
struct RegisteredOrchestration {
    std::string version;
    OrchestrationHandler handler;
};

/// The code of a process. Filled before it is used, then only read: safe from any thread.
///
/// An orchestration may be registered in several versions. New runs take the newest, and so does a
/// run that continues as new. A run in progress stays on the version it began with, and goes on
/// where that is registered. See docs/guides/versioning.md.
class Registry {
public:
    /// Registers an orchestration: a function `Orchestration<R>(OrchestrationContext, Params...)`.
    /// Throws std::invalid_argument if that version of it is registered already, or is an invalid
    /// name (see check_name; it may be empty).
    template <class R, class... Params, class Function>
    void add(const Definition<R(Params...)>& definition, Function code, std::string version = "1") {
        using Pointer = Orchestration<R> (*)(OrchestrationContext, Params...);
        constexpr bool kFits = std::is_convertible_v<Function, Pointer>;
        static_assert(
            kFits,
            "belay: this function does not fit the orchestration's handle: it must be "
            "Orchestration<Result>(OrchestrationContext, Parameters...) with the declared "
            "result and parameters, and must not capture anything");
        if constexpr (kFits) {
            add_function<R, Params...>(definition.name(), code, std::move(version));
        }
    }

    /// Registers an activity: a callable taking the parameters, optionally after an
    /// `ActivityContext&`. Its return type decides its kind: the result itself (a plain function),
    /// `Async<R>` (a coroutine), or a `Program` (a child process). Many threads call it at once,
    /// and it lives as long as the registry. Throws std::invalid_argument if the name is registered
    /// already.
    template <class R, class... Params, class Function>
    void add(const Activity<R(Params...)>& activity, Function function) {
        using Given = detail::CodeResult<Function, Params...>;
        if constexpr (detail::kIsAsync<Given>) {
            static_assert(std::is_same_v<Given, Async<R>>,
                          "belay: this coroutine does not fit the activity's handle: it must "
                          "return belay::Async<Result> with the declared result");
        } else if constexpr (std::is_same_v<Given, Program>) {
            static_assert(
                detail::kProgramResult<R>,
                "belay: an activity whose code gives a program returns what the program "
                "wrote: declare std::string, std::vector<std::byte>, belay::ProgramOutput "
                "or void; for another result await ctx.run(program) in a coroutine");
        } else {
            constexpr bool kWithContext =
                std::is_invocable_r_v<R, Function&, ActivityContext&, Params...>;
            static_assert(
                kWithContext || std::is_invocable_r_v<R, Function&, Params...>,
                "belay: this function does not fit the activity's handle: it must take the "
                "declared parameters, optionally after an ActivityContext&, and return the "
                "declared result, as it is or in a belay::Async, or a belay::Program");
        }
        add_activity(std::string(activity.name()),
                     detail::make_handler<R, Params...>(std::move(function)));
    }

    /// Registers an orchestration without types, for callers that make handlers at run time. Throws
    /// std::invalid_argument for a name registered twice in one version, or for a version that is
    /// an invalid name (see check_name; it may be empty).
    void add_orchestration(std::string name, RegisteredOrchestration orchestration);
    /// Registers an activity without types. Throws std::invalid_argument for a name registered
    /// twice.
    void add_activity(std::string name, ActivityHandler handler);

    /// Interprets documents: a worker takes runs of every document, whatever their definition, and
    /// none without an interpreter. `compile` is called in the first turn of a document and its
    /// result is kept for later turns. It is called again when the document was dropped from
    /// memory. Many threads call its results at once. `version` is the version of runs that name
    /// none.
    void set_interpreter(DocumentCompiler compile, std::string version = "1");
    /// The same for an interpreter that prepares nothing.
    void set_interpreter(Interpreter interpreter, std::string version = "1");
    /// True if documents are interpreted.
    [[nodiscard]] bool interprets() const noexcept { return compiler_ != nullptr; }
    /// Returns the code of a document; none without an interpreter.
    [[nodiscard]] std::optional<RegisteredOrchestration> interpret(Payload document) const;

    /// Returns the newest version; null if there is none.
    [[nodiscard]] const RegisteredOrchestration* orchestration(std::string_view name) const;
    /// Returns this version, or the newest if it is empty; null if there is none.
    [[nodiscard]] const RegisteredOrchestration* orchestration(std::string_view name,
                                                               std::string_view version) const;
    /// Returns null if there is none. The handler lives as long as the registry.
    [[nodiscard]] const ActivityHandler* activity(std::string_view name) const;
    /// Returns all orchestrations by their names, with their versions, the oldest first.
    [[nodiscard]] std::map<std::string, std::vector<std::string>> orchestrations() const;
    /// Returns the names of all activities, in order.
    [[nodiscard]] std::vector<std::string> activities() const;
    /// True if there is any activity of this kind.
    [[nodiscard]] bool has(ActivityKind kind) const;

private:
    /// A lambda is kept as it is, because g++ calls it without an object through a pointer.
    template <class R, class... Params, class Function>
    void add_function(std::string_view name, Function function, std::string version) {
        add_orchestration(std::string(name),
                          RegisteredOrchestration{
                              std::move(version),
                              [function](OrchestrationContext context,
                                         const Payload& input) -> std::unique_ptr<detail::Root> {
                                  return std::apply(
                                      [&](Params&... values) -> std::unique_ptr<detail::Root> {
                                          return std::make_unique<detail::RootOf<R>>(
                                              function(context, std::move(values)...));
                                      },
                                      keep(detail::decode_arguments<Params...>(input)));
                              }});
    }

    /// Gives the decoded arguments a name, so that they can be moved from.
    template <class Tuple>
    static Tuple& keep(Tuple&& values) {
        return static_cast<Tuple&>(values);
    }

    /// The oldest version first.
    std::map<std::string, std::vector<RegisteredOrchestration>, std::less<>> orchestrations_;
    std::map<std::string, ActivityHandler, std::less<>> activities_;
    DocumentCompiler compiler_;
    std::string interpreter_version_;
};

}  // namespace belay
