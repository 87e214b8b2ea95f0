#pragma once

#include <coroutine>
#include <functional>
#include <string>
#include <utility>
#include <vector>

// Just enough of a coroutine type, and of things to await, for the patterns of bad.cpp and
// good.cpp.

template <typename T>
struct Task {
    struct promise_type {
        Task get_return_object() { return {}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_value(T) {}
        void unhandled_exception() {}
    };

    Task() {}
    Task(Task&&) noexcept {}
    ~Task() {}

    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<>) {}
    T await_resume() { return T(); }
};

namespace belay {

template <typename T>
struct Orchestration : Task<T> {
    struct promise_type : Task<T>::promise_type {
        Orchestration get_return_object() { return {}; }
    };
};

}  // namespace belay

struct Options {
    std::string name;
    int attempts = 1;
};

class Policy {
public:
    explicit Policy(std::string name) : name_(std::move(name)) {}

private:
    std::string name_;
};

struct Awaiter {
    std::string state;
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<>) {}
    int await_resume() { return 1; }
};

/// Like a call of Belay: no destructor.
class Prepared {
public:
    explicit Prepared(int number) : number_(number) {}
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<>) {}
    int await_resume() { return number_; }

private:
    int number_;
};

struct [[nodiscard]] Result {
    std::string text;
    explicit operator bool() const { return text.empty(); }
};

using Coroutine = std::function<Task<int>(std::string)>;

class Registry {
public:
    void add(std::string name, Coroutine code);
    void add_with(const Options& options, Coroutine code);
};

Prepared prepare(const std::string& name);
Task<Result> tried();
Task<int> ship(Options options);
Task<int> run(std::function<int()> work);
Task<int> call(const Options& options);
Task<int> call(const Policy& policy);
Task<int> sum(const std::vector<int>& values);
Task<std::string> text();
Task<std::string> other_text();
Task<int> send(std::string value);
Options make_options();
int use(const Options& options, int value);
