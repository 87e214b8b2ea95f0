#include "runtime/executors/spawn.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace belay::runtime {

namespace {

bool make_pipe(Fd& read_end, Fd& write_end) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read_end = Fd(ends[0]);
    write_end = Fd(ends[1]);
    return keep_off_streams(read_end) && keep_off_streams(write_end);
}

/// Strings end at the first zero byte for the system, which would run something else than was
/// asked.
bool has_zero_byte(const std::string& text) { return text.find('\0') != std::string::npos; }

bool can_be_passed(const Program& program) {
    if (has_zero_byte(program.name()) || has_zero_byte(program.working_directory())) return false;
    for (const std::string& argument : program.arguments()) {
        if (has_zero_byte(argument)) return false;
    }
    return std::none_of(program.variables().begin(), program.variables().end(), [](const auto& v) {
        return has_zero_byte(v.first) || has_zero_byte(v.second) || v.first.empty() ||
               v.first.find('=') != std::string::npos;
    });
}

void never_block(const Fd& fd) {
    ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> all;
    all.reserve(texts.size() + 1);
    for (std::string& text : texts) all.push_back(text.data());
    all.push_back(nullptr);
    return all;
}

std::vector<std::string> environment_of(const Program& program) {
    std::vector<std::string> all;
    for (const auto& [name, value] : program.variables()) {
        all.emplace_back(name).append("=").append(value);
    }
    if (!program.inherits_environment()) return all;
    for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
        const std::string_view inherited(*at);
        const std::string_view name = inherited.substr(0, inherited.find('='));
        const bool set = std::any_of(program.variables().begin(),
                                     program.variables().end(),
                                     [&](const auto& variable) { return variable.first == name; });
        if (!set) all.emplace_back(inherited);
    }
    return all;
}

/// The files to try, as execvp(3) does, in the PATH that the program will see.
std::vector<std::string> candidates(const Program& program,
                                    const std::vector<std::string>& environment) {
    if (program.name().find('/') != std::string::npos) return {program.name()};
    std::string_view path = "/bin:/usr/bin";
    for (const std::string& variable : environment) {
        if (variable.starts_with("PATH=")) path = std::string_view(variable).substr(5);
    }
    std::vector<std::string> files;
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find(':', begin), path.size());
        const std::string_view directory = path.substr(begin, end - begin);
        files.push_back(directory.empty() ? program.name()
                                          : std::string(directory) + "/" + program.name());
        begin = end + 1;
    }
    return files;
}

/// All that the child needs, made before it exists: it may allocate nothing.
struct Plan {
    std::vector<std::string> argument_texts;
    std::vector<std::string> environment_texts;
    std::vector<std::string> file_texts;
    std::vector<char*> arguments;
    std::vector<char*> environment;
    std::vector<char*> files;
    const char* directory = nullptr;
    int input = -1;
    int output = -1;
    int error = -1;
    int report = -1;  // Tells why it could not be started; closed by exec.
    int door = -1;    // The guardian's.
    pid_t parent = -1;
};

enum class Step : int { directory = 1, program = 2, streams = 3, guardian = 4 };

struct Report {
    Step step;
    int code;
};

/// In the child, which shares our memory until it runs the program: system calls only.
[[noreturn]] void fail(const Plan& plan, Step step, int code) {
    const Report report{step, code};
    [[maybe_unused]] const auto written = ::write(plan.report, &report, sizeof report);
    ::_exit(127);
}

[[noreturn]] void become(const Plan& plan) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != plan.parent) ::_exit(127);  // It died before it could matter to us.
    // From here on the group ends with our parent, with all processes that the program starts in
    // it.
    if (const int problem = announce_group(plan.door, ::getpid()); problem != 0) {
        fail(plan, Step::guardian, problem);
    }
    for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
    if (::dup2(plan.input, STDIN_FILENO) < 0 || ::dup2(plan.output, STDOUT_FILENO) < 0 ||
        ::dup2(plan.error, STDERR_FILENO) < 0) {
        fail(plan, Step::streams, errno);
    }
    // Everything else that the process that embeds us left open.
    ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    if (plan.directory != nullptr && ::chdir(plan.directory) != 0) {
        fail(plan, Step::directory, errno);
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    int problem = ENOENT;
    for (char* const file : plan.files) {
        if (file == nullptr) break;
        ::execve(file, plan.arguments.data(), plan.environment.data());
        if (errno != ENOENT && errno != ENOTDIR) problem = errno;
        if (problem != ENOENT && problem != EACCES) break;
    }
    fail(plan, Step::program, problem);
}

/// In a function of its own, so that the child can spoil no variable of the parent's.
[[gnu::noinline]] pid_t fork_child(const Plan& plan) {
    // The child borrows our memory and this thread's time until it runs the program, so that
    // starting one costs the same however much memory we have. posix_spawn(3), which does the same,
    // cannot ask for a signal when the parent dies.
    const pid_t pid = ::vfork();  // NOLINT(bugprone-unsafe-functions)
    if (pid == 0) become(plan);
    return pid;
}

SpawnProblem trouble(int code, const std::string& what) {
    return SpawnProblem{code, what + ": " + std::strerror(code)};
}

SpawnProblem problem_of(const Program& program, const Report& report) {
    switch (report.step) {
        case Step::directory:
            return trouble(report.code, "cannot enter '" + program.working_directory() + "'");
        case Step::streams: return trouble(report.code, "cannot set up its streams");
        case Step::guardian: return trouble(report.code, "cannot tell its guardian");
        case Step::program: break;
    }
    return trouble(report.code, "cannot run it");
}

}  // namespace

SpawnProblem spawn(const Program& program, Guardian& guardian, Spawned& child) {
    if (!can_be_passed(program)) {
        return trouble(EINVAL, "an argument has a zero byte in it, or a variable no proper name");
    }
    Plan plan;
    plan.argument_texts.push_back(program.name());
    plan.argument_texts.insert(
        plan.argument_texts.end(), program.arguments().begin(), program.arguments().end());
    plan.environment_texts = environment_of(program);
    plan.file_texts = candidates(program, plan.environment_texts);
    plan.arguments = pointers(plan.argument_texts);
    plan.environment = pointers(plan.environment_texts);
    plan.files = pointers(plan.file_texts);
    if (!program.working_directory().empty()) plan.directory = program.working_directory().c_str();

    Fd its_input;
    Fd its_output;
    Fd its_error;
    Fd reports;
    Fd its_reports;
    bool piped = make_pipe(child.output, its_output) && make_pipe(child.error, its_error) &&
                 make_pipe(reports, its_reports);
    if (program.standard_input().empty()) {
        its_input = Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        piped = piped && keep_off_streams(its_input);
    } else {
        piped = piped && make_pipe(its_input, child.input);
    }
    if (!piped) return trouble(errno, "cannot make its streams");
    plan.input = its_input.get();
    plan.output = its_output.get();
    plan.error = its_error.get();
    plan.report = its_reports.get();
    plan.door = guardian.door();
    plan.parent = ::getpid();

    const pid_t pid = fork_child(plan);
    if (pid < 0) return trouble(errno, "cannot make a process");
    // Also to have descriptors left for those below.
    for (Fd* const its : {&its_reports, &its_input, &its_output, &its_error}) its->reset();
    Report report{};
    ssize_t got = 0;
    do {
        got = ::read(reports.get(), &report, sizeof report);
    } while (got < 0 && errno == EINTR);
    if (got == static_cast<ssize_t>(sizeof report)) {
        guardian.forget(pid);
        ::waitpid(pid, nullptr, 0);
        return problem_of(program, report);
    }
    child.pid = pid;
    // glibc 2.36 declares pidfd_open without C linkage.
    child.process = Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!child.process) {
        const int code = errno;
        ::kill(-pid, SIGKILL);
        guardian.forget(pid);
        ::waitpid(pid, nullptr, 0);
        SpawnProblem problem = trouble(code, "cannot watch its process");
        problem.begun = true;
        return problem;
    }
    never_block(child.output);
    never_block(child.error);
    if (child.input) never_block(child.input);
    return {};
}

}  // namespace belay::runtime
