#include "flow/steps/program_step.hpp"

#include "flow/steps/failures.hpp"
#include "flow/steps/program_result.hpp"
#include "flow/steps/program_setup.hpp"
#include "flow/steps/step_attempt.hpp"
#include "flow/steps/written_output.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay::flow {

namespace {

/// The system takes no longer argument (MAX_ARG_STRLEN, with its end).
constexpr std::size_t kLongestArgument = 128 * 1024 - 1;

void require_short(const std::string& argument, const std::string& what) {
    if (argument.size() <= kLongestArgument) return;
    fail(final_failure("program",
                       what + " has " + std::to_string(argument.size()) +
                           " bytes; the system takes at most " + std::to_string(kLongestArgument) +
                           ": pass it by stdin or in a file"));
}

/// Keeps the lines with the run, and passes them on.
class KeptLog final : public OutputLog {
public:
    KeptLog(ActivityOutput output, std::shared_ptr<OutputLog> next)
        : output_(std::move(output)), next_(std::move(next)) {}

    void add(const OutputLine& line) override {
        const bool is_error = line.stream == ProgramStream::error;
        output_.write(is_error ? OutputStream::err : OutputStream::out,
                      line.unended ? line.text : line.text + "\n");
        if (next_) next_->add(line);
    }

private:
    ActivityOutput output_;
    std::shared_ptr<OutputLog> next_;
};

/// Returns the log of an attempt: that of its run, and the one that the options make.
std::shared_ptr<OutputLog> log_of(const ActivityContext& context,
                                  const StepAttempt& attempt,
                                  const StepOptions& options) {
    const ActivityOutput output = context.output();
    std::string name = attempt.step;
    if (attempt.item) name.append("[").append(std::to_string(*attempt.item)).append("]");
    output.name(std::move(name));
    return std::make_shared<KeptLog>(output, options.make_log(attempt));
}

/// One attempt at running a program.
class Attempt {
public:
    Attempt(ActivityContext& context, const Programs& programs, ProgramRequest request)
        : context_(&context),
          options_(&programs.options()),
          request_(std::move(request)),
          about_(attempt_of(context, request_)),
          secrets_(request_.secrets),
          masker_(secrets_.masker(options_->masked())),
          file_(programs.folder()) {
        warn_of_short_secrets(context, secrets_);
    }

    /// Describes the program. Throws OperationFailed if it is clear that it cannot be started.
    [[nodiscard]] Program program();
    [[nodiscard]] Payload result(const ProgramOutput& output);
    /// Returns the failure masked. No retry mends a failure of the start that is the program's own.
    [[nodiscard]] Failure failure(Failure failure) const;

private:
    [[nodiscard]] Environment environment() const;
    [[nodiscard]] Program command() const;
    [[nodiscard]] bool is_retryable(int status) const;
    [[nodiscard]] Failure failed(const ProgramOutput& output) const;

    ActivityContext* context_;
    const StepOptions* options_;
    ProgramRequest request_;
    StepAttempt about_;
    Secrets secrets_;
    Masker masker_;
    OutputFile file_;
    /// Shared with the program, which may write until it has ended.
    std::shared_ptr<WrittenOutput> written_;
    bool starting_ = false;  ///< It was described, and has not ended.
};

Environment Attempt::environment() const {
    Environment environment;
    for (const auto& [name, value] : options_->environment()) environment.set(name, value);
    for (const auto& [name, value] : request_.env) environment.set(name, secrets_.fill(value));
    environment.describe(about_, file_.path());
    return environment;
}

Program Attempt::command() const {
    if (!request_.script.empty()) {
        if (secrets_.has_mark(request_.script)) {
            fail(final_failure("secret", "a script has no secrets in it: pass them by 'env'"));
        }
        require_short(request_.script, "the script");
        return Program("sh", "-eu", "-c", request_.script, request_.step);
    }
    Program program(secrets_.fill(request_.program.front()));
    for (std::size_t i = 1; i < request_.program.size(); ++i) {
        std::string argument = secrets_.fill(request_.program[i]);
        require_short(argument, "argument " + std::to_string(i));
        program.argument(std::move(argument));
    }
    return program;
}

Program Attempt::program() {
    Program program = command();
    const Environment variables = environment();
    const std::string directory =
        directory_from(options_->directory(), secrets_.fill(request_.directory));
    require_directory(directory);
    require_program(program.name(), directory, variables);

    program.only_this_environment().directory(directory);
    for (const auto& [name, value] : variables.values()) program.environment(name, value);
    program.input(secrets_.fill_document(request_.input));
    program.output_limit(options_->output_limit()).error_limit(0);
    program.stop_signal(request_.stop_signal);
    program.accept_any().accept_signals();
    written_ = std::make_shared<WrittenOutput>(
        masker_,
        options_->clock(),
        log_of(*context_, about_, *options_),
        [context = context_](auto json) {
            context->heartbeat(Payload(PayloadCodec::json, std::move(json)));
        });
    program.watch([written = written_](ProgramStream stream, std::string_view bytes) {
        written->wrote(stream, bytes);
    });
    starting_ = true;
    return program;
}

bool Attempt::is_retryable(int status) const {
    const std::vector<int>& only = request_.retry_only;
    return only.empty() || std::find(only.begin(), only.end(), status) != only.end();
}

Failure Attempt::failed(const ProgramOutput& output) const {
    constexpr int kShellsSignals = 128;  // The status by which a shell tells of a signal.
    Failure failure;
    if (output.signal != 0) {
        const char* const name = ::sigdescr_np(output.signal);
        failure.type = "signal";
        failure.message = "ended by signal " + std::to_string(output.signal);
        if (name != nullptr) failure.message.append(" (").append(name).append(")");
        failure.retryable = is_retryable(kShellsSignals + output.signal);
    } else {
        failure.type = "exit";
        failure.message = "exit status " + std::to_string(output.status);
        failure.retryable = is_retryable(output.status);
    }
    if (const std::string line = written_->last_line(ProgramStream::error); !line.empty()) {
        failure.message.append(": ").append(line);
    }
    failure.detail = written_->end_of(ProgramStream::error);
    if (failure.detail.empty()) failure.detail = written_->end_of(ProgramStream::output);
    return failure;
}

Payload Attempt::result(const ProgramOutput& output) {
    starting_ = false;
    written_->finish();
    if (output.signal != 0 || output.status != 0) {
        // It may have failed because it was told to stop.
        if (context_->stop_requested()) throw Stopped(context_->stop_reason());
        fail(failed(output));
    }
    if (const auto own = file_.read(options_->output_limit())) {
        return output_as_json("the file $BELAY_OUTPUT", *own, masker_);
    }
    if (output.output_cut && request_.output != OutputForm::none) {
        fail(over_limit("the program wrote more than the " + std::to_string(output.output.size()) +
                        " bytes of output that a step may have: write less, or write to a file"));
    }
    return output_as(request_.output, output.output, masker_);
}

Failure Attempt::failure(Failure failure) const {
    if (starting_ && failure.kind == FailureKind::application) {
        failure.type = "program";
        failure.retryable = false;
    }
    return masked(std::move(failure), masker_);
}

}  // namespace

// NOLINTNEXTLINE(cppcoreguidelines-avoid-reference-coroutine-parameters): outlives it.
Async<Payload> run_program_step(ActivityContext& context,
                                std::shared_ptr<const Programs> programs,
                                ProgramRequest request) {
    Attempt attempt(context, *programs, std::move(request));
    std::optional<Failure> failed;
    try {
        Program program = attempt.program();
        const ProgramOutput output = co_await context.run(std::move(program));
        co_return attempt.result(output);
    } catch (const OperationFailed& problem) {
        failed = attempt.failure(problem.failure());
    }
    throw OperationFailed(std::move(*failed));
}

}  // namespace belay::flow
