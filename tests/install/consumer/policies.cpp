// Policies from a text: the library that reads TOML.
#include <belay/retention_config.hpp>

#include <iostream>

int main() {
    const auto policies = belay::parse_retention("[[retention.instances]]\nmax_age = \"90d\"\n");
    const auto wrong = belay::parse_retention("[[retention.instances]]\nmax_age = \"soon\"\n");
    if (!policies.ok() || policies->size() != 1 || wrong.ok()) return 1;
    std::cout << wrong.error().message() << '\n';
    return 0;
}
