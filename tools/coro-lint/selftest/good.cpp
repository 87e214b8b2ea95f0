// The right way to write what bad.cpp gets wrong, and what g++ 12 gets right: nothing may be
// reported.
#include "task.hpp"

Task<int> good(bool choice, std::string name) {
    auto work = [name] { return static_cast<int>(name.size()); };
    auto running = run(work);
    co_await std::move(running);

    auto summing = sum({1, 2, 3});
    co_await std::move(summing);

    Options options{name, 2};
    co_await call(options);
    co_await call(make_options());
    co_await call(Policy(name));

    co_await run([&name] { return static_cast<int>(name.size()); });
    co_await run([choice] { return choice ? 1 : 2; });

    std::string chosen = choice ? std::string("a") : std::string("b");
    co_await send(chosen);
    co_await send("a" + co_await text());
    if (co_await send(name) > 1 && choice) {
        co_return choice ? 1 : 2;
    }

    co_await send([&] { return name; }());
    co_await (choice ? prepare(name) : prepare(std::string("b")));
    if (co_await tried()) (void)co_await tried();
    const Result result = co_await tried();

    auto first = co_await text();
    auto second = co_await text();
    std::string both[] = {first, second};
    co_return use(options, static_cast<int>(both[0].size() + result.text.size()));
}

// Coroutines that are lambdas: their awaits have no part in the statement around them.
void good_in_a_lambda(Registry& code, bool choice) {
    code.add("lambda", [](std::string name) -> Task<int> {
        Options options{name, 2};
        auto shipping = ship(Options{name, 3});
        const std::vector<int> numbers = {1, 2, 3};
        co_await std::move(shipping);
        co_return use(options, static_cast<int>(numbers.size()));
    });
    code.add_with(Options{"lambda", 2},
                  [](std::string name) -> Task<int> { co_return co_await send(name); });
    const auto chosen =
        choice ? Coroutine([](std::string name) -> Task<int> { co_return co_await send(name); })
               : Coroutine();
    code.add("chosen", chosen);
}

// A lambda in an awaited statement whose body has temporaries of its own.
Task<int> good_around_a_lambda(std::string name) {
    co_await run([&name] {
        const std::vector<std::string> names = {name, name};
        const std::function<int()> count = [names] { return static_cast<int>(names.size()); };
        return count() + use(Options{name, 2}, 1);
    });
    co_return 0;
}

// A variable anywhere in the coroutine is enough, and so is an await in a statement of its own.
Task<int> good_if(std::string name) {
    const bool sent = co_await send(name) > 1;
    if (sent && co_await send(name) > 2) co_return 2;
    co_return 1;
}
Task<int> good_without_a_condition(std::string name, bool choice) {
    if (choice) co_await send(name);
    co_return co_await send(name) > 1 ? 1 : 2;
}

// Orchestrations resume themselves.
belay::Orchestration<int> good_orchestration(std::string name) {
    if (co_await send(name) > 1) co_return 2;
    co_return 1;
}
