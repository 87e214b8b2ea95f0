#include "cli/flow/output_feed.hpp"

#include <chrono>
#include <utility>

namespace belay::cli {

namespace {

class FeedingLog final : public flow::OutputLog {
public:
    FeedingLog(std::shared_ptr<OutputFeed> feed, const flow::StepAttempt& attempt)
        : feed_(std::move(feed)), attempt_(attempt) {}

    void add(const flow::OutputLine& line) override {
        feed_->add(FedLine{attempt_.run, attempt_.step, attempt_.item, attempt_.attempt, line});
    }

private:
    std::shared_ptr<OutputFeed> feed_;
    flow::StepAttempt attempt_;
};

}  // namespace

void Bell::ring() {
    const detail::MutexLock lock(mutex_);
    has_rung_ = true;
    rung_.notify_one();
}

bool Bell::wait(Millis longest) {
    const auto end = std::chrono::steady_clock::now() + longest;
    const detail::MutexLock lock(mutex_);
    while (!has_rung_) {
        if (!rung_.wait_until(mutex_, end)) break;
    }
    return std::exchange(has_rung_, false);
}

std::shared_ptr<flow::OutputLog> OutputFeed::log_of(const flow::StepAttempt& attempt) {
    return std::make_shared<FeedingLog>(shared_from_this(), attempt);
}

void OutputFeed::add(FedLine line) {
    {
        const detail::MutexLock lock(mutex_);
        if (lines_.size() >= kMostLines) {
            ++dropped_;
            return;
        }
        lines_.push_back(std::move(line));
    }
    bell_->ring();
}

std::vector<FedLine> OutputFeed::take() {
    const detail::MutexLock lock(mutex_);
    return std::exchange(lines_, {});
}

void OutputFeed::warn(std::string text) {
    {
        const detail::MutexLock lock(mutex_);
        if (warnings_.size() >= kMostLines) return;
        warnings_.push_back(std::move(text));
    }
    bell_->ring();
}

std::vector<std::string> OutputFeed::take_warnings() {
    const detail::MutexLock lock(mutex_);
    return std::exchange(warnings_, {});
}

std::uint64_t OutputFeed::take_dropped() {
    const detail::MutexLock lock(mutex_);
    return std::exchange(dropped_, 0);
}

}  // namespace belay::cli
