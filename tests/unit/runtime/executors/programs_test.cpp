// Child processes as activities.
#include "fifo.hpp"
#include "stage.hpp"
#include "support/temporary_directory.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <thread>

namespace belay::executor_tests::programs {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

inline constexpr Activity<std::string(std::string)> Shell{"Shell"};
inline constexpr Activity<ProgramOutput(std::string)> Whole{"Whole"};
inline constexpr Activity<std::vector<std::byte>(std::string)> Bytes{"Bytes"};
inline constexpr Activity<std::string(std::string)> Interrupted{"Interrupted"};
inline constexpr Activity<int(std::string)> Lines{"Lines"};

Program shell(std::string script) { return Program("sh", "-c", std::move(script)); }

std::set<std::string> open_files() {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        found.insert(entry.path().filename());
    }
    return found;
}

class Programs : public ::testing::Test {
protected:
    Programs() {
        stage.registry.add(Shell, shell);
        stage.registry.add(Whole, [](std::string script) { return shell(script).accept_any(); });
    }
    ProgramOutput whole(const std::string& script) {
        const ActivityResult result = stage.begin(Whole, script).result();
        if (const auto* failure = std::get_if<Failure>(&result)) {
            ADD_FAILURE() << failure->message;
            return {};
        }
        return Codec<ProgramOutput>::decode(std::get<Payload>(result));
    }

    Stage stage;
    support::TemporaryDirectory directory;
};

TEST_F(Programs, ItsOutputIsTheResult) {
    EXPECT_EQ(stage.begin(Shell, "echo one; echo two >&2").text(), "one\n");
    stage.registry.add(Bytes, shell);
    EXPECT_EQ(stage.begin(Bytes, "printf 'a\\0b'").text(), std::string("a\0b", 3));
    stage.registry.add(Nothing, [] { return Program("true"); });
    EXPECT_EQ(stage.begin(Nothing).text(), "");
    const ProgramOutput all = whole("echo out; echo err >&2; exit 3");
    EXPECT_EQ(all.output, "out\n");
    EXPECT_EQ(all.error, "err\n");
    EXPECT_EQ(all.status, 3);
    EXPECT_EQ(all.signal, 0);
}

TEST_F(Programs, ACoroutineCanRunOneAndMakeAResultOfIt) {
    stage.registry.add(Lines, [](ActivityContext& ctx, std::string script) -> Async<int> {
        const ProgramOutput output = co_await ctx.run(shell(script));
        const auto lines = std::count(output.output.begin(), output.output.end(), '\n');
        co_return static_cast<int>(lines);
    });
    EXPECT_EQ(stage.begin(Lines, "echo; echo; echo").text(), "3");
}

TEST_F(Programs, ItsExitStatusDecidesAndTheFailureHasTheEndOfItsErrors) {
    const Failure failure = stage.begin(Shell, "echo first >&2; echo last >&2; exit 3").failure();
    EXPECT_EQ(failure.message, "program 'sh' ended with exit status 3");
    EXPECT_EQ(failure.detail, "first\nlast\n");
    EXPECT_EQ(failure.kind, FailureKind::application);
    EXPECT_EQ(failure.where, "Shell");
    EXPECT_EQ(stage.begin(Shell, "kill -9 $$").failure().message,
              "program 'sh' was ended by signal 9 (Killed)");
    stage.registry.add(Work, [](std::string script) { return shell(script).accept(3); });
    EXPECT_EQ(stage.begin(Work, "echo three; exit 3").text(), "three\n");
    EXPECT_THAT(stage.begin(Work, "exit 4").text(), HasSubstr("exit status 4"));
}

TEST_F(Programs, AnUnstartableProgramIsAClearFailure) {
    stage.registry.add(Work, [](std::string name) { return Program(name); });
    EXPECT_EQ(stage.begin(Work, "no-such-program").failure().message,
              "program 'no-such-program': cannot run it: No such file or directory");
    EXPECT_EQ(stage.begin(Work, "/etc/passwd").failure().message,
              "program '/etc/passwd': cannot run it: Permission denied");
    stage.registry.add(Other, [](std::string path) { return Program("true").directory(path); });
    EXPECT_EQ(stage.begin(Other, "/no/such/place").failure().message,
              "program 'true': cannot enter '/no/such/place': No such file or directory");
    stage.registry.add(Nothing, [] { return Program("echo", std::string("a\0b", 3)); });
    EXPECT_THAT(stage.begin(Nothing).failure().message, HasSubstr("zero byte"));
}

TEST_F(Programs, ItGetsItsArgumentsAsTheyAreAndItsEnvironmentAndDirectory) {
    ::setenv("BELAY_TEST_INHERITED", "yes", 1);
    ::setenv("BELAY_TEST_CHANGED", "before", 1);
    const std::string at = directory.file("here");
    std::filesystem::create_directory(at);
    stage.registry.add(Work, [at](std::string argument) {
        return Program("sh",
                       "-c",
                       "printf '%s|' \"$@\" \"$BELAY_TEST_INHERITED\" "
                       "\"$BELAY_TEST_CHANGED\" \"$PWD\"",
                       "sh",
                       argument)
            .argument("")
            .environment("BELAY_TEST_CHANGED", "after")
            .directory(at);
    });
    EXPECT_EQ(stage.begin(Work, "a b $HOME '").text(), "a b $HOME '||yes|after|" + at + "|");
    stage.registry.add(Other, [](std::string) {
        return Program("env").only_this_environment().environment("ONLY", "this");
    });
    EXPECT_EQ(stage.begin(Other, "").text(), "ONLY=this\n");
}

TEST_F(Programs, ABigInputGoesThroughAndOneThatIsNotReadDoesNoHarm) {
    const std::string big(5'000'000, 'x');
    stage.registry.add(Work, [](std::string input) { return Program("wc", "-c").input(input); });
    EXPECT_EQ(stage.begin(Work, big).text(), "5000000\n");
    stage.registry.add(
        Other, [](std::string input) { return shell("exec 0<&-; echo not read").input(input); });
    EXPECT_EQ(stage.begin(Other, big).text(), "not read\n");
    EXPECT_EQ(stage.begin(Shell, "cat; echo ended").text(), "ended\n") << "no input is none";
    stage.registry.add(Nothing, [big] { return Program("cat").input(big); });
    EXPECT_EQ(stage.begin(Nothing).text(), "") << "more than is kept, of which nothing is wanted";
}

TEST_F(Programs, OutputIsBoundedAndItIsSaid) {
    stage.registry.add(Work, [](std::string script) { return shell(script).output_limit(1000); });
    EXPECT_EQ(stage.begin(Work, "head -c 1000 /dev/zero | tr '\\0' x").text(),
              std::string(1000, 'x'));
    const Failure failure = stage.begin(Work, "head -c 1001 /dev/zero").failure();
    EXPECT_EQ(failure.kind, FailureKind::limit);
    EXPECT_THAT(failure.message, HasSubstr("more than the 1000 bytes"));
    const ProgramOutput all = whole(
        "head -c 3000000 /dev/zero | tr '\\0' o; head -c 3000000 /dev/zero | tr '\\0' e >&2; "
        "echo the end >&2");
    EXPECT_TRUE(all.output_cut);
    EXPECT_EQ(all.output, std::string(Limits().program_output_bytes, 'o'));
    EXPECT_TRUE(all.error_cut);
    EXPECT_EQ(all.error.size(), Limits().program_error_bytes);
    EXPECT_EQ(all.error.substr(all.error.size() - 10), "eethe end\n");
    EXPECT_THAT(
        stage.begin(Shell, "head -c 20000 /dev/zero | tr '\\0' e >&2; exit 1").failure().detail,
        StartsWith("...eee"));
}

TEST_F(Programs, ASignalIsAResultIfItIsAccepted) {
    stage.registry.add(Bytes, [](std::string script) { return shell(script).accept_signals(); });
    EXPECT_EQ(stage.begin(Bytes, "echo before; kill -9 $$").text(), "before\n");
    EXPECT_THAT(stage.begin(Bytes, "exit 4").text(), HasSubstr("exit status 4"));
    Fifo fifo(directory.file("fifo"));
    const Started stopped =
        stage.begin(Bytes, "echo up > " + fifo.path() + "; while :; do sleep 0.01; done");
    EXPECT_EQ(fifo.line(), "up");
    stage.stop(stopped);
    EXPECT_EQ(stopped.failure().message, "stopped: canceled") << "the signal was ours";
}

TEST_F(Programs, AWatcherReceivesAllThatItWritesWhileItRuns) {
    std::string written;
    Event begun;
    stage.registry.add(Work, [&](std::string script) {
        return shell(std::move(script))
            .output_limit(3)
            .watch([&](ProgramStream stream, std::string_view bytes) {
                written.append(stream == ProgramStream::error ? "err:" : "out:").append(bytes);
                begun.set();
            })
            .accept_any();
    });
    Fifo fifo(directory.file("fifo"));
    const Started started =
        stage.begin(Work, "echo begun; read line < " + fifo.path() + "; echo $line >&2; exit 3");
    ASSERT_TRUE(begun.wait());
    EXPECT_EQ(started.times(), 0);
    fifo.write("over");
    EXPECT_EQ(started.failure().kind, FailureKind::limit) << "what is kept is bounded as ever";
    EXPECT_EQ(written, "out:begun\nerr:over\n");
}

TEST_F(Programs, AStopIsASigtermThatItMayCatch) {
    Fifo fifo(directory.file("fifo"));
    const Started obeys =
        stage.begin(Shell,
                    "trap 'echo cleaned > " + fifo.path() + "; exit 5' TERM; echo up > " +
                        fifo.path() + "; while :; do sleep 0.01; done");
    EXPECT_EQ(fifo.line(), "up");
    stage.stop(obeys);
    EXPECT_EQ(obeys.failure().message, "stopped: canceled");
    EXPECT_EQ(fifo.line(), "cleaned");

    const Started succeeds = stage.begin(Shell,
                                         "trap 'echo done; exit 0' TERM; echo up > " + fifo.path() +
                                             "; while :; do sleep 0.01; done");
    EXPECT_EQ(fifo.line(), "up");
    stage.stop(succeeds, StopReason::shutdown);
    EXPECT_EQ(succeeds.text(), "done\n") << "what it did all the same is kept";
}

TEST_F(Programs, AStopIsTheSignalThatTheProgramNames) {
    Fifo fifo(directory.file("fifo"));
    stage.registry.add(Interrupted, [](std::string path) {
        return shell("trap '' TERM; trap 'echo interrupted > " + path +
                     "; exit 5' INT; echo up > " + path + "; while :; do sleep 0.01 || :; done")
            .stop_signal(SIGINT);
    });
    const Started started = stage.begin(Interrupted, fifo.path());
    EXPECT_EQ(fifo.line(), "up");
    stage.stop(started);
    EXPECT_EQ(fifo.line(), "interrupted");
    EXPECT_EQ(started.failure().message, "stopped: canceled");
}

TEST(Program, ASignalThatIsNoneIsRefused) {
    EXPECT_THROW(Program("true").stop_signal(0), std::invalid_argument);
    EXPECT_THROW(Program("true").stop_signal(1'000), std::invalid_argument);
    EXPECT_EQ(Program("true").stopping_signal(), SIGTERM);
    EXPECT_EQ(Program("true").stop_signal(SIGHUP).stopping_signal(), SIGHUP);
}

TEST_F(Programs, AStopReachesTheWholeGroup) {
    Fifo fifo(directory.file("fifo"));
    // The leader only waits for the other, which nobody but us can tell.
    const Started started =
        stage.begin(Shell,
                    "trap '' TERM; (trap 'echo told > " + fifo.path() + "; exit' TERM; echo up > " +
                        fifo.path() + "; while :; do sleep 0.01; done) & wait; echo both ended");
    EXPECT_EQ(fifo.line(), "up");
    stage.stop(started);
    EXPECT_EQ(fifo.line(), "told");
    EXPECT_EQ(started.text(), "both ended\n");
}

TEST_F(Programs, OneThatIgnoresItIsKilledWithItsWholeGroup) {
    Fifo fifo(directory.file("fifo"));
    // The grandchild holds the pipe open, and ignores the signal too.
    const Started stubborn = stage.begin(Shell,
                                         "trap '' TERM; (exec 3> " + fifo.path() +
                                             "; echo grandchild >&3; sleep 1000) & "
                                             "echo child > " +
                                             fifo.path() + "; while :; do wait; done");
    const std::set<std::string> both{fifo.line(), fifo.line()};
    EXPECT_EQ(both, (std::set<std::string>{"child", "grandchild"}));
    stage.stop(stubborn);
    EXPECT_EQ(stubborn.times(), 0);
    EXPECT_TRUE(stage.abort(stubborn));
    EXPECT_EQ(stubborn.failure().message, "ended by force: it did not stop in time");
    fifo.wait_for_end();
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "no child is left, not even a dead one";
    EXPECT_TRUE(stage.executor->abandoned().empty());
}

TEST_F(Programs, ProcessesThatAProgramLeavesBehindAreKilledWhenItEnds) {
    Fifo fifo(directory.file("fifo"));
    const std::string ready = directory.file("ready");
    const Started started =
        stage.begin(Shell,
                    "mkfifo " + ready + "; (exec 3> " + fifo.path() + "; echo up >&3; echo go > " +
                        ready + "; sleep 1000) & read _ < " + ready + "; echo leader");
    EXPECT_EQ(fifo.line(), "up");
    EXPECT_EQ(started.text(), "leader\n") << "though the other still has its output";
    fifo.wait_for_end();
}

TEST_F(Programs, NoFileIsLeakedToItOrByIt) {
    EXPECT_EQ(stage.begin(Shell, "true").text(), "");      // The watcher's own files are there now.
    const int not_for_it = ::open("/dev/null", O_RDONLY);  // Without O_CLOEXEC.
    const std::set<std::string> before = open_files();
    EXPECT_EQ(stage.begin(Shell, "ls /proc/self/fd | tr '\\n' ' '").text(), "0 1 2 3 ")
        << "3 is the directory itself";
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(stage.begin(Shell, "cat; echo x >&2").text(), "");
        EXPECT_NE(stage.begin(Shell, "exit 1").failure().message, "");
    }
    stage.registry.add(Work, [](std::string name) { return Program(name).input("in"); });
    EXPECT_NE(stage.begin(Work, "no-such-program").failure().message, "");
    EXPECT_EQ(open_files(), before);
    ::close(not_for_it);
}

TEST_F(Programs, NoSignalIsBlockedOrIgnoredInIt) {
    struct sigaction ignore{};
    struct sigaction old{};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, &old);
    sigset_t all;
    sigset_t old_mask;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &old_mask);
    Stage blocked;
    blocked.registry.add(Shell, shell);
    const std::string text =
        blocked.begin(Shell, "exec grep -E '^Sig(Blk|Ign):' /proc/self/status").text();
    ::pthread_sigmask(SIG_SETMASK, &old_mask, nullptr);
    ::sigaction(SIGPIPE, &old, nullptr);
    EXPECT_EQ(text, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST_F(Programs, ItHasAGroupOfItsOwn) {
    const std::string text = stage.begin(Shell, "echo $$; cut -d' ' -f5 /proc/$$/stat").text();
    const std::string process = text.substr(0, text.find('\n') + 1);
    EXPECT_EQ(text, process + process);
}

TEST_F(Programs, ItDiesWithTheProcessThatRunsIt) {
    if (const char* const path = std::getenv("BELAY_TEST_FIFO")) {
        // The process that runs it: this very test, as a program of its own.
        const Started started =
            stage.begin(Shell,
                        "exec 3> " + std::string(path) + "; echo " + std::to_string(::getpid()) +
                            " >&3; exec sleep 1000");
        EXPECT_EQ(started.text(), "not reached");
        return;
    }
    Fifo fifo(directory.file("fifo"));
    stage.registry.add(Work, [](std::string path) {
        return Program("/proc/self/exe", "--gtest_filter=Programs.ItDiesWithTheProcessThatRunsIt")
            .environment("BELAY_TEST_FIFO", path);
    });
    const Started started = stage.begin(Work, fifo.path());
    const pid_t process = std::stoi(fifo.line());
    ::kill(process, SIGKILL);
    const std::string message = started.failure().message;
    EXPECT_THAT(message, HasSubstr("was ended by signal 9"));
    fifo.wait_for_end();
}

TEST_F(Programs, NoMoreRunAtOnceThanAllowedAndThoseThatWaitCanBeStopped) {
    Fifo fifo(directory.file("fifo"));
    Stage small(ExecutorOptions().programs(1));
    small.registry.add(Shell, shell);
    EXPECT_EQ(small.executor->room(ActivityKind::program), 1U);
    const Started first =
        small.begin(Shell, "echo up > " + fifo.path() + "; while :; do sleep 0.01; done");
    EXPECT_EQ(fifo.line(), "up");
    EXPECT_EQ(small.executor->room(ActivityKind::program), 0U);
    const Started second = small.begin(Shell, "echo second > " + fifo.path());
    const Started third = small.begin(Shell, "echo third > " + fifo.path() + "; echo third");
    small.settle_loop();
    small.stop(second);
    EXPECT_EQ(second.failure().message, "stopped: canceled");
    small.stop(first);
    EXPECT_EQ(first.failure().message, "stopped: canceled");
    EXPECT_EQ(fifo.line(), "third");
    EXPECT_EQ(third.text(), "third\n");
}

/// Leaves this process so many descriptors, until it goes away.
class FewDescriptors {
public:
    explicit FewDescriptors(rlim_t free) {
        EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
        int last = 0;
        for (const std::string& name : open_files()) last = std::max(last, std::stoi(name));
        // Numbers below the last one that are not in use.
        for (int one = ::dup(STDIN_FILENO); one >= 0; one = ::dup(STDIN_FILENO)) {
            taken_.push_back(one);
            if (one > last) break;
        }
        rlimit few = before_;
        few.rlim_cur = static_cast<rlim_t>(taken_.back()) + 1 + free;
        EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    }
    FewDescriptors(const FewDescriptors&) = delete;
    FewDescriptors& operator=(const FewDescriptors&) = delete;
    ~FewDescriptors() {
        ::setrlimit(RLIMIT_NOFILE, &before_);
        for (const int one : taken_) ::close(one);
    }

private:
    rlimit before_{};
    std::vector<int> taken_;
};

TEST_F(Programs, WithoutDescriptorsOneWaitsUntilAnotherHasEnded) {
    Fifo fifo(directory.file("fifo"));
    Fifo gate(directory.file("gate"));
    EXPECT_EQ(stage.begin(Shell, "echo begun").text(), "begun\n");
    // Enough for one, and not for one more while it runs.
    const FewDescriptors few(8);
    const Started first =
        stage.begin(Shell, "echo up > " + fifo.path() + "; read x < " + gate.path() + "; echo 0");
    EXPECT_EQ(fifo.line(), "up");
    std::vector<Started> others;
    for (int i = 1; i <= 10; ++i) {
        others.push_back(stage.begin(Shell, "echo " + std::to_string(i)));
    }
    stage.settle_loop();
    gate.write("go");
    EXPECT_EQ(first.text(), "0\n");
    for (int i = 1; i <= 10; ++i) {
        EXPECT_EQ(others[static_cast<std::size_t>(i - 1)].text(), std::to_string(i) + "\n");
    }
}

TEST_F(Programs, WithoutDescriptorsAndWithNothingToWaitForItFailsAsOurs) {
    EXPECT_EQ(stage.begin(Shell, "echo begun").text(), "begun\n");
    const FewDescriptors few(0);
    const Failure failure = stage.begin(Shell, "echo never").failure();
    EXPECT_EQ(failure.kind, FailureKind::infrastructure);
    EXPECT_THAT(failure.message, HasSubstr("Too many open files"));
}

TEST_F(Programs, ManyAtOnceAreWatchedByOneThread) {
    std::vector<Started> all;
    for (int i = 0; i < 60; ++i) {
        all.push_back(stage.begin(Shell, "cat /dev/null; echo " + std::to_string(i)));
    }
    for (int i = 0; i < 60; ++i) {
        EXPECT_EQ(all[static_cast<std::size_t>(i)].text(), std::to_string(i) + "\n");
    }
    EXPECT_EQ(stage.executor->threads(), 2U) << "one for their code, one that watches";
}

}  // namespace
}  // namespace belay::executor_tests::programs
