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

    auto first = co_await text();
    auto second = co_await text();
    std::string both[] = {first, second};
    co_return use(options, static_cast<int>(both[0].size()));
}
