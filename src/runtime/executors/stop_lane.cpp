#include "runtime/executors/stop_lane.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace belay::runtime {

void StopLane::push(std::shared_ptr<ActivityTask> task) noexcept {
    const detail::MutexLock lock(mutex_);
    if (closed_) return;
    queue_.push_back(std::move(task));
    // Two from the start: one that is at it, one that sees when that takes too long.
    while (workers_.size() < std::min<std::size_t>(2, most_) && add_thread()) continue;
    wake_.notify_one();
}

bool StopLane::add_thread() noexcept {
    std::list<Worker> added;
    try {
        Worker& worker = added.emplace_back();
        worker.thread = std::thread([self = shared_from_this(), &worker] { self->work(worker); });
    } catch (...) {
        return false;
    }
    workers_.splice(workers_.end(), added);
    return true;
}

StopLane::Time StopLane::next_turn() const {
    Time turn{};
    for (const Worker& worker : workers_) {
        if (worker.task) turn = std::max(turn, worker.since + patience_);
    }
    return turn;
}

void StopLane::work(Worker& self) {
    const detail::MutexLock lock(mutex_);
    while (!closed_) {
        if (queue_.empty()) {
            wake_.wait(mutex_);
            continue;
        }
        const Time now = std::chrono::steady_clock::now();
        if (const Time turn = next_turn(); now < turn) {
            wake_.wait_until(mutex_, turn);
            continue;
        }
        self.task = std::move(queue_.front());
        queue_.pop_front();
        self.since = now;
        const bool all_busy =
            std::all_of(workers_.begin(), workers_.end(), [](const Worker& w) { return !!w.task; });
        if (all_busy && workers_.size() < most_) add_thread();
        if (!queue_.empty()) wake_.notify_one();  // A waiting thread must know since when to wait.
        {
            const detail::MutexUnlock open(mutex_);
            self.task->fire_stop();
        }
        std::shared_ptr<ActivityTask> over = std::move(self.task);
        const detail::MutexUnlock open(mutex_);
        over.reset();  // Perhaps with users' code in it, so not under the lock.
    }
    self.ended = true;
    ended_.notify_all();
}

std::uint32_t StopLane::threads() const {
    const detail::MutexLock lock(mutex_);
    return static_cast<std::uint32_t>(workers_.size());
}

std::vector<std::string> StopLane::close(Deadline deadline) {
    std::vector<std::string> stuck;
    std::list<Worker> gone;
    std::deque<std::shared_ptr<ActivityTask>> left;
    {
        const detail::MutexLock lock(mutex_);
        closed_ = true;
        left.swap(queue_);
        wake_.notify_all();
        const auto has_ended = [](const Worker& worker) { return worker.ended; };
        while (!std::ranges::all_of(workers_, has_ended) && ended_.wait_until(mutex_, deadline)) {
        }
        for (auto at = workers_.begin(); at != workers_.end();) {
            const auto worker = at++;
            if (worker->ended) {
                gone.splice(gone.end(), workers_, worker);
            } else {
                // Its record stays, because its thread will come back to it.
                if (worker->task) stuck.push_back(describe(worker->task->details()));
                worker->thread.detach();
            }
        }
    }
    for (Worker& worker : gone) worker.thread.join();
    return stuck;
}

std::string describe(const ActivityDetails& details) {
    return details.name + " of '" + details.instance.id + "' (attempt " +
           std::to_string(details.attempt) + ")";
}

}  // namespace belay::runtime
