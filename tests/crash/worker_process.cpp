#include "crash/worker_process.hpp"

#include "crash/code.hpp"
#include "crash/policy.hpp"
#include "store/forwarding_store.hpp"
#include <belay/registry.hpp>
#include <belay/store/sqlite.hpp>
#include <belay/worker.hpp>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

namespace belay::crash {

namespace {

/// The leases that a transition gives up, whether or not it is applied: refused, it had none.
std::vector<LeaseToken> given_up(const Transition& transition) {
    std::vector<LeaseToken> tokens;
    for (const Part& part : transition.parts) {
        if (const auto* turn = std::get_if<Turn>(&part)) {
            if (turn->lock && !turn->keep_lock) tokens.push_back(*turn->lock);
        } else if (const auto* ack = std::get_if<AckActivity>(&part)) {
            tokens.push_back(ack->token);
        } else if (const auto* activity = std::get_if<AbandonActivity>(&part)) {
            tokens.push_back(activity->token);
        } else if (const auto* abandon = std::get_if<AbandonTurn>(&part)) {
            tokens.push_back(abandon->token);
        } else if (const auto* hold = std::get_if<Hold>(&part)) {
            tokens.push_back(hold->token);
        }
    }
    return tokens;
}

/// The leases of activities that a transition hands over.
std::vector<LeaseToken> handed_over(const Transition& transition) {
    std::vector<LeaseToken> tokens;
    for (const Part& part : transition.parts) {
        const auto* turn = std::get_if<Turn>(&part);
        if (turn == nullptr) continue;
        for (const NewActivity& activity : turn->activities) {
            if (activity.hand_over) tokens.push_back(activity.hand_over->token);
        }
    }
    return tokens;
}

/// Keeps the glimpse up to date. A lease that is lost in another way stays in it until its process
/// gives up trying; it is one among many.
class GlimpsedStore final : public ForwardingStore {
public:
    GlimpsedStore(Store& inner, Glimpse& glimpse) : ForwardingStore(inner), glimpse_(glimpse) {}

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override {
        std::vector<LeaseToken> ends;
        std::vector<LeaseToken> begins;
        for (const Transition& one : batch) {
            for (const LeaseToken token : given_up(one)) ends.push_back(token);
            for (const LeaseToken token : handed_over(one)) begins.push_back(token);
        }
        ++glimpse_.commits;
        inner().commit(
            std::move(batch),
            [this, ends = std::move(ends), begins = std::move(begins), done = std::move(done)](
                Result<std::vector<Answer>> result) {
                --glimpse_.commits;
                if (failed(result)) ++glimpse_.failures;
                if (result) change(begins, ends, *result);
                done(std::move(result));
            });
    }
    void claim(ClaimInstances request, Done<ClaimInstances::Answer> done) override {
        inner().claim(std::move(request), counted(std::move(done)));
    }
    void claim(ClaimActivities request, Done<ClaimActivities::Answer> done) override {
        inner().claim(std::move(request), counted(std::move(done)));
    }

private:
    [[nodiscard]] static bool failed(const Result<std::vector<Answer>>& result) {
        return !result || std::any_of(result->begin(), result->end(), [](const Answer& answer) {
            return answer.verdict == Verdict::failed;
        });
    }
    void change(const std::vector<LeaseToken>& begins,
                const std::vector<LeaseToken>& ends,
                const std::vector<Answer>& answers) {
        const std::lock_guard lock(mutex_);
        const bool all_applied =
            std::all_of(answers.begin(), answers.end(), [](const Answer& a) { return a.done(); });
        if (all_applied) held_.insert(begins.begin(), begins.end());
        for (const LeaseToken token : ends) held_.erase(token);
        for (const Answer& answer : answers) {
            for (const LeaseToken token : answer.stopped) held_.erase(token);
        }
        glimpse_.leases = static_cast<std::int32_t>(held_.size());
    }
    template <class Claimed>
    [[nodiscard]] Done<Claimed> counted(Done<Claimed> done) {
        return [this, done = std::move(done)](Result<Claimed> result) {
            if (!result) {
                ++glimpse_.failures;
            } else {
                const std::lock_guard lock(mutex_);
                for (const auto& claimed : result->claimed) held_.insert(claimed.token);
                glimpse_.leases = static_cast<std::int32_t>(held_.size());
            }
            done(std::move(result));
        };
    }

    Glimpse& glimpse_;
    std::mutex mutex_;
    std::set<LeaseToken> held_;
};

}  // namespace

std::string worker_name(pid_t pid) { return "pid " + std::to_string(pid); }

int work(const WorkerSetup& setup, Glimpse& glimpse) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    auto store = make_sqlite_store(setup.file);
    while (!store && store.error().retryable()) {  // It may come up while the disk is full.
        ++glimpse.failures;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        store = make_sqlite_store(setup.file);
    }
    if (!store) {
        std::fprintf(stderr, "worker: %s\n", store.error().describe().c_str());
        return 1;
    }
    GlimpsedStore glimpsed(**store, glimpse);
    const Registry registry = code_of(setup.version, setup.effects);
    Worker worker(glimpsed,
                  registry,
                  RuntimeOptions()
                      .worker(worker_name(getpid()))
                      .policy(setup.long_leases ? long_leases() : short_leases())
                      .activity_slots(64),
                  ExecutorOptions().threads(64));
    int signal = 0;
    sigwait(&signals, &signal);
    const StopReport report = worker.stop();
    return report.given_back && report.abandoned.empty() ? 0 : 2;
}

WorkerProcess::WorkerProcess(const WorkerSetup& setup) {
    // Inherited across exec by its descriptor: a file in memory without a name.
    const int memory = ::memfd_create("glimpse", 0);
    if (memory < 0 || ::ftruncate(memory, sizeof(Glimpse)) != 0) {
        throw std::runtime_error("no shared memory can be made");
    }
    void* const page =
        ::mmap(nullptr, sizeof(Glimpse), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (page == MAP_FAILED) throw std::runtime_error("no shared memory can be had");
    glimpse_ = new (page) Glimpse();
    const std::string descriptor = std::to_string(memory);
    const std::string version = std::to_string(setup.version);
    pid_ = ::fork();
    if (pid_ == 0) {
        if (!setup.full_disk.empty()) {
            ::setenv("BELAY_FULL_DISK", setup.full_disk.c_str(), 1);
            ::setenv("LD_PRELOAD", BELAY_FULL_DISK_LIBRARY, 1);
        }
        ::execl("/proc/self/exe",
                "belay-crash",
                "work",
                setup.file.c_str(),
                setup.effects.c_str(),
                version.c_str(),
                descriptor.c_str(),
                setup.long_leases ? "long" : "short",
                nullptr);
        ::_exit(127);
    }
    ::close(memory);
    if (pid_ < 0) throw std::runtime_error("no process can be made");
}

WorkerProcess::~WorkerProcess() {
    if (pid_ > 0) end(SIGKILL);
    ::munmap(glimpse_, sizeof(Glimpse));
}

void WorkerProcess::send(int signal) const { ::kill(pid_, signal); }

int WorkerProcess::end(int signal) {
    ::kill(pid_, signal);
    ::kill(pid_, SIGCONT);  // One that stands still does not hear SIGTERM.
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
}

}  // namespace belay::crash
