// Programs end when the process that runs them dies.
#include "runtime/executors/guardian.hpp"

#include "base/lifelines.hpp"
#include "runtime/executors/spawn.hpp"
#include "support/sanitized.hpp"
#include "support/temporary_directory.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace belay::runtime {
namespace {

struct flock whole(short type) {
    struct flock lock{};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    return lock;
}

/// Returns true if any process of a group can still do something.
bool runs(pid_t group) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        std::ifstream file(entry.path() / "stat");
        std::string text;
        std::getline(file, text);
        const auto name = text.rfind(')');
        if (name == std::string::npos) continue;
        std::istringstream fields(text.substr(name + 1));
        std::string state;
        pid_t parent = 0;
        pid_t of = 0;
        fields >> state >> parent >> of;
        if (of == group && state != "Z" && state != "X") return true;
    }
    return false;
}

void block_signals() {
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
}

void end_process(const Guardian& guardian) {
    ::syscall(SYS_pidfd_send_signal, guardian.process().get(), SIGKILL, nullptr, 0);
    pollfd ended{guardian.process().get(), POLLIN, 0};
    while (::poll(&ended, 1, -1) < 0) {
    }
}

class Guarding : public ::testing::Test {
protected:
    Guarding() {
        if (::pipe2(told_.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    }
    ~Guarding() override {
        for (const int end : told_) ::close(end);
    }

    /// A process that locks a file for its life, does this, and tells of a process group.
    pid_t worker(const std::function<pid_t(Guardian&)>& body) {
        const pid_t pid = ::fork();
        if (pid != 0) return pid;
        ::setpgid(0, 0);
        block_signals();
        life_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        struct flock lock = whole(F_WRLCK);
        if (::fcntl(life_, F_OFD_SETLK, &lock) != 0) ::_exit(1);
        const base::Lifeline lifeline(life_);
        Guardian guardian;
        const pid_t group = body(guardian);
        if (::write(told_[1], &group, sizeof group) != sizeof group) ::_exit(1);
        while (true) ::pause();
    }
    /// Starts a program whose child outlives it, and waits until both run.
    static pid_t start_group(Guardian& guardian) {
        static const Program kProgram("sh", "-c", "sleep 1000 & echo; wait");
        static Spawned child;
        const SpawnProblem problem = spawn(kProgram, guardian, child);
        if (problem.code != 0) {
            std::fprintf(stderr, "%s\n", problem.message.c_str());
            ::_exit(1);
        }
        ::fcntl(child.output.get(), F_SETFL, 0);
        char line = 0;
        if (::read(child.output.get(), &line, 1) != 1) ::_exit(1);
        return child.pid;
    }
    pid_t told() {
        pid_t group = 0;
        if (::read(told_[0], &group, sizeof group) != sizeof group) return -1;
        return group;
    }
    /// Returns when nobody has the lock of the worker any more.
    void wait_for_its_death() {
        const int file = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
        struct flock lock = whole(F_WRLCK);
        EXPECT_EQ(::fcntl(file, F_OFD_SETLKW, &lock), 0);
        ::close(file);
    }
    bool is_held() {
        const int file = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
        struct flock lock = whole(F_WRLCK);
        EXPECT_EQ(::fcntl(file, F_OFD_GETLK, &lock), 0);
        ::close(file);
        return lock.l_type != F_UNLCK;
    }
    static void kill(pid_t pid) {
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
    }

    support::TemporaryDirectory directory_;
    const std::string path_ = directory_.file("life");
    std::array<int, 2> told_{};
    int life_ = -1;  ///< In the process.
};

TEST_F(Guarding, TheWholeGroupEndsBeforeTheProcessIsTakenForDead) {
    const pid_t process = worker([](Guardian& guardian) {
        if (guardian.ensure({}) != 0) ::_exit(1);
        return start_group(guardian);
    });
    const pid_t group = told();
    ASSERT_GT(group, 0);
    EXPECT_TRUE(runs(group));
    kill(process);
    wait_for_its_death();
    EXPECT_FALSE(runs(group));
}

TEST_F(Guarding, AllGroupsEnd) {
    const pid_t process = worker([this](Guardian& guardian) {
        if (guardian.ensure({}) != 0) ::_exit(1);
        for (int i = 0; i < 3; ++i) {
            const pid_t group = start_group(guardian);
            if (::write(told_[1], &group, sizeof group) != sizeof group) ::_exit(1);
        }
        return 0;
    });
    const std::array<pid_t, 3> groups{told(), told(), told()};
    ASSERT_EQ(told(), 0);
    for (const pid_t group : groups) EXPECT_TRUE(runs(group));
    kill(process);
    wait_for_its_death();
    for (const pid_t group : groups) EXPECT_FALSE(runs(group));
}

TEST_F(Guarding, AStoppedProcessKeepsItsProgramsAndItsLock) {
    const pid_t process = worker([](Guardian& guardian) {
        if (guardian.ensure({}) != 0) ::_exit(1);
        return start_group(guardian);
    });
    const pid_t group = told();
    ::kill(process, SIGSTOP);
    int status = 0;
    ASSERT_EQ(::waitpid(process, &status, WUNTRACED), process);
    EXPECT_TRUE(is_held());
    EXPECT_TRUE(runs(group));
    kill(process);
    wait_for_its_death();
    EXPECT_FALSE(runs(group));
}

TEST_F(Guarding, AChildThatOutlivesTheProcessDoesNotKeepItsProgramsAlive) {
    const pid_t process = worker([this](Guardian& guardian) {
        if (guardian.ensure({}) != 0) ::_exit(1);
        const pid_t group = start_group(guardian);
        // A copy of all that its parent has, but for the lock.
        if (::fork() == 0) {
            ::close(life_);
            while (true) ::pause();
        }
        return group;
    });
    const pid_t group = told();
    kill(process);
    wait_for_its_death();
    EXPECT_FALSE(runs(group));
    EXPECT_TRUE(runs(process)) << "the child";
    ::kill(-process, SIGKILL);
}

TEST_F(Guarding, AnotherGuardianKnowsOfThoseThatRun) {
    const pid_t process = worker([](Guardian& guardian) {
        if (guardian.ensure({}) != 0) ::_exit(1);
        const pid_t group = start_group(guardian);
        end_process(guardian);
        if (guardian.ensure({group}) != 0) ::_exit(1);
        return group;
    });
    const pid_t group = told();
    ASSERT_GT(group, 0);
    EXPECT_TRUE(runs(group));
    kill(process);
    wait_for_its_death();
    EXPECT_FALSE(runs(group));
}

TEST_F(Guarding, AProgramIsNotStartedUnguarded) {
    const pid_t process = worker([](Guardian& guardian) {
        if (guardian.ensure({}) != 0) ::_exit(1);
        end_process(guardian);
        Spawned child;
        const SpawnProblem problem = spawn(Program("true"), guardian, child);
        return problem.code == 0 ? 1 : 0;
    });
    EXPECT_EQ(told(), 0);
    kill(process);
}

TEST_F(Guarding, AProcessThatBecomesAnotherProgramIsDead) {
    const pid_t process = worker([this](Guardian& guardian) {
        if (guardian.ensure({}) != 0) ::_exit(1);
        const pid_t group = start_group(guardian);
        if (::write(told_[1], &group, sizeof group) != sizeof group) ::_exit(1);
        ::execl("/bin/sh", "sh", "-c", "read line", nullptr);
        return -1;
    });
    const pid_t group = told();
    wait_for_its_death();
    EXPECT_FALSE(runs(group));
    kill(process);
}

TEST_F(Guarding, AForgottenProcessIsLeftAlone) {
    const pid_t process = worker([](Guardian& guardian) {
        if (guardian.ensure({}) != 0) ::_exit(1);
        const pid_t group = start_group(guardian);
        guardian.forget(group);
        return group;
    });
    const pid_t group = told();
    kill(process);
    wait_for_its_death();
    // The leader ended with its parent; its child is nobody's business.
    EXPECT_TRUE(runs(group));
    ::kill(-group, SIGKILL);
}

TEST_F(Guarding, ItHasNoFileOfTheProcessAndIsNoChildThatIsWaitedFor) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    Guardian guardian;
    ASSERT_EQ(guardian.ensure({}), 0);
    ::close(ends[1]);
    char byte = 0;
    EXPECT_EQ(::read(ends[0], &byte, 1), 0) << "a copy of the other end would keep it open";
    ::close(ends[0]);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
    guardian.dismiss();
    EXPECT_FALSE(guardian.process());
}

/// A number in the line of this name of a file of /proc.
long number_in(const std::string& path, const std::string& name) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(name)) return std::stol(line.substr(name.size()));
    }
    return -1;
}

TEST_F(Guarding, ItKeepsNoMemoryOfTheProcess) {
    constexpr std::size_t kMuch = std::size_t{256} << 20U;
    const std::vector<char> memory(kMuch, 'm');
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    Guardian guardian;
    ASSERT_EQ(guardian.ensure({}), 0);
    // It closes what it does not need when it has let go of the memory.
    ::close(ends[1]);
    char byte = 0;
    EXPECT_EQ(::read(ends[0], &byte, 1), 0);
    ::close(ends[0]);
    const std::string descriptor = std::to_string(guardian.process().get());
    const long pid = number_in("/proc/self/fdinfo/" + descriptor, "Pid:");
    ASSERT_GT(pid, 0);
    const long kib = number_in("/proc/" + std::to_string(pid) + "/status", "RssAnon:");
    EXPECT_GT(kib, 0);
    // Code with a sanitizer needs it.
    if (!support::kSanitized) {
        EXPECT_LT(kib, 16 * 1024);
    }
    EXPECT_FALSE(guardian.is_lost());
    EXPECT_EQ(memory.back(), 'm');
}

}  // namespace
}  // namespace belay::runtime
