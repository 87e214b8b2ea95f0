// Programs and scripts of steps, as real processes.
#include "flow/steps/step_activities.hpp"
#include "support/temporary_directory.hpp"
#include "unit/runtime/executors/fifo.hpp"
#include "unit/runtime/executors/stage.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace belay::flow {
namespace {

using executor_tests::Event;
using executor_tests::Fifo;
using executor_tests::Stage;
using executor_tests::Started;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

ProgramRequest script(std::string text, OutputForm form = OutputForm::text) {
    ProgramRequest request{.step = "build"};
    request.script = std::move(text);
    request.output = form;
    return request;
}

ProgramRequest exec(std::vector<std::string> program) {
    ProgramRequest request{.step = "build"};
    request.program = std::move(program);
    return request;
}

/// A log that says when a line has come.
class WatchedLog final : public OutputLog {
public:
    explicit WatchedLog(std::string awaited) : awaited_(std::move(awaited)) {}
    void add(const OutputLine& line) override {
        kept.add(line);
        if (line.text == awaited_) came.set();
    }
    MemoryOutputLog kept{64 * 1024, 64 * 1024};
    Event came;

private:
    std::string awaited_;
};

class Steps : public ::testing::Test {
protected:
    Steps() { options.temporary_directory(directory.path()); }
    [[nodiscard]] Stage& stage() {
        if (!stage_) {
            stage_ = std::make_unique<Stage>();
            add_step_activities(stage_->registry, options);
        }
        return *stage_;
    }
    Started begin(const ProgramRequest& request) { return stage().begin(kRunProgram, request); }
    std::string run(const ProgramRequest& request) { return begin(request).text(); }
    Failure failure(const ProgramRequest& request) { return begin(request).failure(); }
    /// A request that has this secret, and its mark.
    std::string secret(ProgramRequest& request, const char* value) {
        ::setenv("BELAY_TEST_SECRET", value, 1);
        request.secrets.nonce = "n0nce";
        request.secrets.secrets = {
            Secret{.name = "token", .place = {}, .env = "BELAY_TEST_SECRET"}};
        return secret_mark("n0nce", "token");
    }
    [[nodiscard]] bool has_files() const {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(directory.path())) {
            if (entry.path().filename() == "output") return true;
        }
        return false;
    }

    support::TemporaryDirectory directory;
    StepOptions options;

private:
    std::unique_ptr<Stage> stage_;
};

TEST_F(Steps, TheOutputIsATextWithoutItsFinalNewline) {
    EXPECT_EQ(run(exec({"printf", "a b\n\n"})), R"("a b\n")");
    EXPECT_EQ(run(exec({"echo", "$HOME", "a  b"})), R"("$HOME a  b")");
    EXPECT_EQ(run(script("true")), R"("")");
    EXPECT_EQ(run(exec({"printf", "\\303\\050"})), "\"\xEF\xBF\xBD(\"")
        << "bytes that are no UTF-8";
}

TEST_F(Steps, TheOutputIsAListOfLines) {
    EXPECT_EQ(run(script("printf 'a\\n\\nb\\n'", OutputForm::lines)), R"(["a","","b"])");
    EXPECT_EQ(run(script("printf 'a\\nb'", OutputForm::lines)), R"(["a","b"])");
    EXPECT_EQ(run(script("true", OutputForm::lines)), "[]");
}

TEST_F(Steps, TheOutputIsJson) {
    EXPECT_EQ(run(script("echo '{\"n\": 9223372036854775807, \"x\": [1.50]}'", OutputForm::json)),
              R"({"n":9223372036854775807,"x":[1.50]})");
    const Failure failed = failure(script("printf '{\"a\":\\n oops}'", OutputForm::json));
    EXPECT_EQ(failed.message,
              "the standard output is not JSON: line 2, column 2: this is no JSON, or nested too "
              "deep");
    EXPECT_EQ(failed.type, "output");
    EXPECT_FALSE(failed.retryable);
}

TEST_F(Steps, WithoutAnOutputTheResultIsNull) {
    EXPECT_EQ(run(script("head -c 2000000 /dev/zero", OutputForm::none)), "null");
}

TEST_F(Steps, TheFileBelayOutputCountsMoreThanTheStandardOutput) {
    EXPECT_EQ(run(script("echo ignored; echo '{\"a\": [1]}' > \"$BELAY_OUTPUT\"")), R"({"a":[1]})");
    EXPECT_EQ(run(script("echo 7 > \"$BELAY_OUTPUT.new\"; mv \"$BELAY_OUTPUT.new\" "
                         "\"$BELAY_OUTPUT\"",
                         OutputForm::none)),
              "7");
    EXPECT_EQ(run(script("rm \"$BELAY_OUTPUT\"; echo removed")), R"("removed")");
    EXPECT_THAT(failure(script("echo oops > \"$BELAY_OUTPUT\"")).message,
                HasSubstr("the file $BELAY_OUTPUT is not JSON: line 1"));
    EXPECT_EQ(failure(script("echo 1 > \"$BELAY_OUTPUT\"; exit 3")).message, "exit status 3");
    EXPECT_FALSE(has_files());
}

TEST_F(Steps, TheEnvironmentTellsAProgramWhereItRuns) {
    ::setenv("BELAY_ITEM", "of an outer step", 1);
    ::setenv("BELAY_TEST_INHERITED", "inherited", 1);
    options.environment("OF_WORKER", "worker").environment("BOTH", "worker");
    ProgramRequest request = script(
        "echo $BELAY_RUN $BELAY_STEP ${BELAY_ITEM-none} $BELAY_ATTEMPT $OF_WORKER $BOTH "
        "$BELAY_TEST_INHERITED; test -n \"$BELAY_KEY\"; echo $0");
    request.env = {{"BOTH", "step"}, {"BELAY_RUN", "forged"}};
    EXPECT_EQ(run(request), R"("i1 build none 3 worker step inherited\nbuild")");
    request.item = 12;
    EXPECT_THAT(run(request), HasSubstr("build 12 3"));
    request.run = "flow-7";
    EXPECT_THAT(run(request), HasSubstr("flow-7 build 12"));
    ::unsetenv("BELAY_ITEM");
}

TEST_F(Steps, TheDirectoryIsRelativeToThatOfTheWorker) {
    std::filesystem::create_directory(directory.file("sub"));
    std::ofstream(directory.file("sub/hello")) << "#!/bin/sh\necho hello\n";
    ::chmod(directory.file("sub/hello").c_str(), 0700);
    options.directory(directory.path());
    EXPECT_EQ(run(script("pwd")), "\"" + directory.path() + "\"");
    ProgramRequest request = script("pwd");
    request.directory = "sub";
    EXPECT_EQ(run(request), "\"" + directory.file("sub") + "\"");
    request.directory = "/";
    EXPECT_EQ(run(request), "\"/\"");
    ProgramRequest relative = exec({"./hello"});
    relative.directory = "sub";
    EXPECT_EQ(run(relative), R"("hello")");
}

TEST_F(Steps, ItsStandardInputIsThatOfTheRequest) {
    ProgramRequest request = exec({"wc", "-c"});
    request.input = std::string(200'000, 'x');
    EXPECT_EQ(run(request), R"("200000")");
}

TEST_F(Steps, AScriptEndsAtItsFirstFailureAndAtAnUnsetVariable) {
    EXPECT_EQ(failure(script("false; echo not reached")).message, "exit status 1");
    EXPECT_THAT(failure(script("echo $BELAY_TEST_NOT_SET")).message,
                HasSubstr("BELAY_TEST_NOT_SET: parameter not set"));
}

TEST_F(Steps, AnExitStatusIsAFailureWithTheLastLineOfTheErrors) {
    const Failure failed = failure(script("echo out; echo one >&2; echo two >&2; exit 3"));
    EXPECT_EQ(failed.kind, FailureKind::application);
    EXPECT_EQ(failed.type, "exit");
    EXPECT_EQ(failed.message, "exit status 3: two");
    EXPECT_EQ(failed.detail, "one\ntwo\n");
    EXPECT_TRUE(failed.retryable);
    EXPECT_EQ(failure(script("echo only out; exit 1")).detail, "only out\n");
}

TEST_F(Steps, ASignalIsAFailureThatSaysWhich) {
    const Failure failed = failure(script("echo working >&2; kill -SEGV $$"));
    EXPECT_EQ(failed.type, "signal");
    EXPECT_EQ(failed.message, "ended by signal 11 (Segmentation fault): working");
}

TEST_F(Steps, OnlyTheNamedExitStatusesAreRetried) {
    ProgramRequest request = script("exit 75");
    request.retry_only = {75, 137};
    EXPECT_TRUE(failure(request).retryable);
    request.script = "exit 1";
    EXPECT_FALSE(failure(request).retryable);
    request.script = "kill -KILL $$";
    EXPECT_TRUE(failure(request).retryable) << "137, as a shell says it";
    request.script = "kill -TERM $$";
    EXPECT_FALSE(failure(request).retryable);
}

TEST_F(Steps, AProgramThatIsNotThereIsFinalAndSaysWhereItWasLookedFor) {
    ProgramRequest request = exec({"no-such-program"});
    request.env = {{"PATH", "/usr/bin:/nowhere"}};
    Failure failed = failure(request);
    EXPECT_EQ(failed.message,
              "there is no program 'no-such-program' in the PATH of the step, which is "
              "/usr/bin:/nowhere on this worker");
    EXPECT_EQ(failed.type, "program");
    EXPECT_FALSE(failed.retryable);
    EXPECT_EQ(failure(exec({"/no/such"})).message, "there is no program '/no/such'");
    EXPECT_EQ(failure(exec({""})).message, "the program has no name");
    failed = failure(exec({"/etc/passwd"}));
    EXPECT_THAT(failed.message, HasSubstr("Permission denied"));
    EXPECT_FALSE(failed.retryable);
    EXPECT_FALSE(has_files());
}

TEST_F(Steps, AnArgumentThatIsTooLongIsRefusedWithAdvice) {
    const Failure failed = failure(exec({"echo", std::string(200'000, 'x')}));
    EXPECT_THAT(failed.message,
                AllOf(HasSubstr("argument 1 has 200000 bytes"), HasSubstr("stdin")));
    EXPECT_FALSE(failed.retryable);
}

TEST_F(Steps, ADirectoryThatIsNotThereIsNamed) {
    ProgramRequest request = script("true");
    request.directory = "/no/such/place";
    EXPECT_EQ(failure(request).message, "the directory '/no/such/place' does not exist");
    request.directory = "/etc/passwd";
    EXPECT_EQ(failure(request).message, "'/etc/passwd' is not a directory");
}

TEST_F(Steps, OutputBeyondTheLimitFailsTheStep) {
    options.output_limit(1000);
    EXPECT_EQ(run(script("head -c 1000 /dev/zero | tr '\\0' x")),
              "\"" + std::string(1000, 'x') + "\"");
    Failure failed = failure(script("head -c 1001 /dev/zero"));
    EXPECT_EQ(failed.kind, FailureKind::limit);
    EXPECT_THAT(failed.message, HasSubstr("more than the 1000 bytes"));
    EXPECT_FALSE(failed.retryable);
    failed = failure(script("head -c 1001 /dev/zero > \"$BELAY_OUTPUT\""));
    EXPECT_EQ(failed.kind, FailureKind::limit);
}

TEST_F(Steps, SecretsReachTheProgramAndNothingElse) {
    ProgramRequest request = exec({});
    const std::string mark = secret(request, "hunter2\"");
    const std::string counted =
        "printf '%s' \"$1\" | wc -c; printf %s \"$TOKEN\" | wc -c; wc -c; echo \"$1\"";
    request.program = {"sh", "-c", counted, "sh", mark};
    request.env = {{"TOKEN", mark + mark}};
    request.input = mark;
    EXPECT_EQ(run(request), R"("8\n16\n8\n***")");
}

TEST_F(Steps, SecretsAreMaskedInFailuresAndLogs) {
    const auto log = std::make_shared<WatchedLog>("");
    options.output_log(
        [log](const StepAttempt& /*attempt*/) -> std::shared_ptr<OutputLog> { return log; });
    ProgramRequest request = script("printf 'it is hun' >&2; printf 'ter2\\n' >&2; exit 1");
    secret(request, "hunter2");
    const Failure failed = failure(request);
    EXPECT_EQ(failed.message, "exit status 1: it is ***");
    EXPECT_EQ(failed.detail, "it is ***\n");
    EXPECT_EQ(log->kept.kept().text(), "it is ***\n");
    request.script.clear();
    request.program = {secret_mark("n0nce", "token")};
    EXPECT_THAT(failure(request).message, HasSubstr("no program '***'"));
}

TEST_F(Steps, SecretsAreMaskedInJsonBeforeAndAfterItIsRead) {
    ProgramRequest request = script("", OutputForm::json);
    secret(request, "h\xC3\xA9unter");
    request.script = "printf '{\"k\": \"h\\\\u00e9unter\", \"l\": \"h\\303\\251unter\"}'";
    EXPECT_EQ(run(request), R"({"k":"***","l":"***"})");
    request.script = "echo '{\"h\\u00e9unter\": 1, \"***\": 2}'";
    EXPECT_EQ(run(request), R"({"***":1,"****":2})");
    secret(request, "12345");
    request.script = "echo '{\"n\": 12345}'";
    EXPECT_THAT(failure(request).message,
                AllOf(HasSubstr("has a secret"), Not(HasSubstr("12345"))));
}

TEST_F(Steps, AMissingSecretFailsTheStepBeforeItsProgramBegins) {
    ProgramRequest request = exec({"touch", directory.file("begun")});
    request.env = {{"TOKEN", secret(request, "")}};
    const Failure failed = failure(request);
    EXPECT_EQ(failed.message,
              "secret 'token' cannot be read from environment variable BELAY_TEST_SECRET: it is "
              "empty");
    EXPECT_FALSE(std::filesystem::exists(directory.file("begun")));
    request = script("");
    request.script = "echo " + secret(request, "hunter2");
    EXPECT_THAT(failure(request).message, HasSubstr("pass them by 'env'"));
}

TEST_F(Steps, TextsOfTheWorkerAreMaskedToo) {
    options.mask("internal-name");
    EXPECT_EQ(run(script("echo at internal-name")), R"("at ***")");
}

TEST_F(Steps, LinesAndProgressCanBeReadWhileItRuns) {
    const auto log = std::make_shared<WatchedLog>("half way");
    StepAttempt seen;
    options.output_log([&](const StepAttempt& attempt) -> std::shared_ptr<OutputLog> {
        seen = attempt;
        return log;
    });
    Fifo fifo(directory.file("fifo"));
    ProgramRequest request =
        script("echo begun; echo half way >&2; read line < " + fifo.path() + "; echo $line");
    request.item = 4;
    const Started started = begin(request);
    ASSERT_TRUE(log->came.wait());
    EXPECT_THAT(log->kept.kept().text(), HasSubstr("half way\n"));
    EXPECT_EQ(started.times(), 0);
    fifo.write("over");
    EXPECT_EQ(started.text(), R"("begun\nover")");
    EXPECT_EQ(seen.run.id, "i1");
    EXPECT_EQ(seen.step, "build");
    EXPECT_EQ(seen.item, 4U);
    EXPECT_EQ(seen.attempt, 3U);
    const std::optional<Payload> progress = started.task->heartbeats().take();
    ASSERT_TRUE(progress);
    EXPECT_EQ(progress->bytes, R"({"line":"over","out":11,"err":9})");
}

TEST_F(Steps, AStopEndsTheWholeGroupAndLeavesNoFile) {
    Fifo fifo(directory.file("fifo"));
    const Started started =
        begin(script("(exec 3> " + fifo.path() + "; echo up >&3; exec sleep 1000) & wait"));
    EXPECT_EQ(fifo.line(), "up");
    EXPECT_TRUE(has_files());
    stage().stop(started);
    EXPECT_EQ(started.failure().message, "stopped: canceled");
    fifo.wait_for_end();
    EXPECT_FALSE(has_files());
}

TEST_F(Steps, AStopIsTheSignalThatTheStepNames) {
    Fifo fifo(directory.file("fifo"));
    ProgramRequest request =
        script("trap 'echo asked > " + fifo.path() + "; exit 5' USR1; trap '' TERM; echo up > " +
               fifo.path() + "; while :; do sleep 0.01 || :; done");
    request.stop_signal = SIGUSR1;
    const Started started = begin(request);
    EXPECT_EQ(fifo.line(), "up");
    stage().stop(started);
    EXPECT_EQ(fifo.line(), "asked");
    EXPECT_EQ(started.failure().message, "stopped: canceled");
}

TEST_F(Steps, AProgramThatFailsBecauseItIsStoppedIsStopped) {
    Fifo fifo(directory.file("fifo"));
    const Started started = begin(
        script("trap 'exit 5' TERM; echo up > " + fifo.path() + "; while :; do sleep 0.01; done"));
    EXPECT_EQ(fifo.line(), "up");
    stage().stop(started, StopReason::shutdown);
    const Failure failed = started.failure();
    EXPECT_EQ(failed.message, "stopped: shutdown");
    EXPECT_TRUE(failed.retryable);
}

TEST_F(Steps, AProgramThatIgnoresTheStopIsKilledAndLeavesNoFile) {
    Fifo fifo(directory.file("fifo"));
    const Started started = begin(script("trap '' TERM; (exec 3> " + fifo.path() +
                                         "; echo up >&3; sleep 1000) & while :; do wait; done"));
    EXPECT_EQ(fifo.line(), "up");
    stage().stop(started);
    EXPECT_TRUE(stage().abort(started));
    EXPECT_EQ(started.failure().message, "ended by force: it did not stop in time");
    fifo.wait_for_end();
    EXPECT_FALSE(has_files());
}

TEST_F(Steps, AWorkerWithoutProgramsHasNoSuchActivity) {
    options.programs(false);
    EXPECT_THAT(stage().registry.activities(), ElementsAre("belay.http"));
}

}  // namespace
}  // namespace belay::flow
