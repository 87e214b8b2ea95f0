// Every line that ends in "BAD: <rule>" must be reported under that rule.
#include "task.hpp"

Task<int> bad(bool choice, std::string name) {
    co_await run([name] { return static_cast<int>(name.size()); });    // BAD: capturing-lambda
    co_await sum({1, 2, 3});                                           // BAD: braced-list
    co_await call(Options{name, 2});                                   // BAD: aggregate-temporary
    co_await call({.name = name});                                     // BAD: aggregate-temporary
    co_await Awaiter{name};                                            // BAD: aggregate-temporary
    co_await send(choice ? std::string("a") : std::string("b"));       // BAD: conditional-inside
    co_await (choice ? text() : other_text());                         // BAD: conditional-inside
    auto picked = choice ? co_await text() : std::string("b");         // BAD: conditional-around
    co_await send(choice ? name : std::string());                      // BAD: conditional-inside
    co_await send([name] { return name; }());                          // BAD: capturing-lambda
    co_await ship(Options{name, 2});                                   // BAD: aggregate-temporary
    co_await tried();                                                  // BAD: dropped-result
    if (choice) co_await tried();                                      // BAD: dropped-result
    Options options{co_await text(), 2};                               // BAD: await-in-braces
    std::string both[] = {co_await text(), co_await text()};           // BAD: await-in-braces
    co_return use(Options{name, 2}, co_await send(both[0] + picked));  // BAD: aggregate-beside
}

// A lambda that is a coroutine is looked through like any other.
void bad_in_a_lambda(Registry& code) {
    code.add("lambda", [](std::string name) -> Task<int> {
        co_await ship(Options{name, 2});                               // BAD: aggregate-temporary
        Options options{co_await text(), 2};                           // BAD: await-in-braces
        co_return use(Options{options.name, 2}, co_await send(name));  // BAD: aggregate-beside
    });
}

// In each of these the await stands in a condition, and there is no variable.
Task<int> bad_if(std::string name) {
    if (co_await send(name) > 1) co_return 2;  // BAD: condition-alone
    co_return 1;
}
Task<int> bad_while(std::string name) {
    while (co_await send(name)) {  // BAD: condition-alone
    }
    co_return 1;
}
Task<int> bad_nested(std::string name, bool choice) {
    if (choice) {
        switch (co_await send(name)) {  // BAD: condition-alone
            default: break;
        }
    }
    co_return 1;
}
