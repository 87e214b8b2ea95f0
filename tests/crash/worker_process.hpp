// One worker of the crash suite, in a process of its own.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>

namespace belay::crash {

/// The state of a worker, in memory that its parent shares. It stands still when the worker is
/// killed, and so shows in the midst of which work.
struct Glimpse {
    std::atomic<std::int32_t> commits;  ///< Under way.
    std::atomic<std::int32_t> leases;   ///< Held.
    /// Times that the store took nothing from the worker: commits, claims, and openings of it.
    std::atomic<std::int32_t> failures;

    [[nodiscard]] bool in_the_midst() const { return commits.load() > 0 && leases.load() > 0; }
};

struct WorkerSetup {
    std::string file;
    std::string effects;
    std::string full_disk;  ///< While this file is there, the worker's disk is full.
    int version = 1;
    bool long_leases = false;  ///< So that only takeover frees what it held.
};

/// The name of the worker in a process.
[[nodiscard]] std::string worker_name(pid_t pid);

/// The main function of the child process: works until SIGTERM.
int work(const WorkerSetup& setup, Glimpse& glimpse);

/// The parent's view. The child is a fresh run of this program.
class WorkerProcess {
public:
    explicit WorkerProcess(const WorkerSetup& setup);
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;
    ~WorkerProcess();

    [[nodiscard]] const Glimpse& glimpse() const noexcept { return *glimpse_; }
    /// Its name as the holder of leases.
    [[nodiscard]] std::string name() const { return worker_name(pid_); }
    void send(int signal) const;
    /// Sends a signal and waits for the end. Gives the exit status.
    int end(int signal);

private:
    Glimpse* glimpse_;
    pid_t pid_ = -1;
};

}  // namespace belay::crash
