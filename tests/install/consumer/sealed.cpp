// Payloads that rest compressed and encrypted: the library that needs zstd.
#include <belay/client.hpp>
#include <belay/store/coded.hpp>
#include <belay/store/memory.hpp>

#include <iostream>
#include <string>

inline constexpr belay::Definition<std::string(std::string)> Keep{"Keep"};

int main() {
    belay::KeyRing keys;
    if (!keys.add(7, std::string(belay::KeyRing::kKeyBytes, 'k')).ok()) return 1;
    const auto inner = belay::make_memory_store(belay::system_clock());
    const auto store = belay::make_coded_store(
        *inner, belay::CoderChain().then(belay::compression()).then(belay::encryption(keys)));
    belay::Client client(*store);
    const std::string input(10'000, 'x');
    if (!client.start(Keep, belay::StartOptions().id("k1"), input).ok()) return 1;
    const auto read = client.inspect({"default", "k1"});
    belay::Client without(*inner);
    const auto stored = without.inspect({"default", "k1"});
    if (!read.ok() || read->input.flags != 0 || !stored.ok()) return 1;
    std::cout << stored->input.bytes.size() << " bytes, encrypted with key "
              << belay::encrypted_with(stored->input).value_or(0) << '\n';
    return 0;
}
