// SerialCalls come one after the other, however the answers come.
#include "client/serial_calls.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>

namespace belay::client {
namespace {

/// Asks so many times; `ask` sees to it that each is answered.
class Chain {
public:
    Chain(int length, std::function<void(std::function<void()>)> ask)
        : left_(length), ask_(std::move(ask)) {}

    void advance() {
        calls_.advance([this] { step(); });
    }
    [[nodiscard]] int deepest() const { return deepest_; }
    [[nodiscard]] bool over() const { return over_; }
    [[nodiscard]] bool overlapped() const { return overlapped_; }

private:
    void step() {
        overlapped_ = overlapped_ || inside_.exchange(true);
        deepest_ = std::max(deepest_, ++depth_);
        if (left_ == 0) {
            over_ = true;
        } else {
            --left_;
            ask_([this] { advance(); });
        }
        --depth_;
        inside_ = false;
    }

    SerialCalls calls_;
    int left_;
    std::function<void(std::function<void()>)> ask_;
    int depth_ = 0;
    int deepest_ = 0;
    std::atomic<bool> inside_{false};
    std::atomic<bool> overlapped_{false};
    std::atomic<bool> over_{false};
};

TEST(SerialCalls, AnswersThatComeAtOnceTakeNoStack) {
    Chain chain(1'000'000, [](const std::function<void()>& answer) { answer(); });
    chain.advance();
    EXPECT_TRUE(chain.over());
    EXPECT_EQ(chain.deepest(), 1);
}

TEST(SerialCalls, AnswersThatComeLaterGoOn) {
    std::function<void()> pending;
    Chain chain(3, [&](std::function<void()> answer) { pending = std::move(answer); });
    chain.advance();
    for (int i = 0; i < 3; ++i) {
        EXPECT_FALSE(chain.over());
        std::exchange(pending, nullptr)();
    }
    EXPECT_TRUE(chain.over());
}

TEST(SerialCalls, AnswersOfAnotherThreadDoNotOverlap) {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::queue<std::function<void()>> calls;
    std::jthread answerer([&](const std::stop_token& stop) {
        while (true) {
            std::unique_lock lock(mutex);
            if (!changed.wait(lock, stop, [&] { return !calls.empty(); })) return;
            const std::function<void()> call = std::move(calls.front());
            calls.pop();
            lock.unlock();
            call();
        }
    });
    Chain chain(20'000, [&](std::function<void()> answer) {
        const std::lock_guard lock(mutex);
        calls.push(std::move(answer));
        changed.notify_one();
    });
    chain.advance();
    while (!chain.over()) std::this_thread::yield();
    answerer = std::jthread();  // Ended, before what it calls goes away.
    EXPECT_FALSE(chain.overlapped());
}

}  // namespace
}  // namespace belay::client
