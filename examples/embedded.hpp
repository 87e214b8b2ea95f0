// The common part of the small examples: a worker and a client on one store, in one process.
#pragma once

#include <belay/client.hpp>
#include <belay/finding.hpp>
#include <belay/registry.hpp>
#include <belay/store/memory.hpp>
#include <belay/worker.hpp>

#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>

namespace examples {

/// In memory, so that an example leaves nothing behind; with make_sqlite_store it is durable.
class Embedded {
public:
    explicit Embedded(const belay::Registry& registry) : worker_(*store_, registry) {}

    [[nodiscard]] belay::Client& client() { return client_; }

    /// Starts a run under this id; throws if it cannot be.
    template <class R, class... Params, class... Args>
    belay::InstanceName start(const belay::Definition<R(Params...)>& definition,
                              const std::string& id,
                              const Args&... args) {
        client_.start(definition, belay::StartOptions().id(id), args...).or_throw();
        return {"default", id};
    }
    /// Waits for its end, and gives it.
    template <class R, class... Params>
    belay::Ended<R> wait(const belay::Definition<R(Params...)>& definition,
                         const belay::InstanceName& name) {
        return client_.wait(definition, name, std::chrono::minutes(1)).or_throw();
    }

private:
    std::unique_ptr<belay::Store> store_ = belay::make_memory_store(belay::system_clock());
    belay::Worker worker_;
    belay::Client client_{worker_.store()};
};

inline void say(const std::string& line) {
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
}

/// Runs an example; what it throws is its failure.
inline int run(void (*example)()) {
    try {
        example();
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}

}  // namespace examples
