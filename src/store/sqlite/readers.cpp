#include "store/sqlite/readers.hpp"

namespace belay::sqlite {

namespace {

constexpr std::size_t kKept = 4;

}  // namespace

std::unique_ptr<Connection> Readers::take(std::uint64_t generation) {
    std::vector<std::unique_ptr<Connection>> outdated;
    {
        const detail::MutexLock lock(mutex_);
        if (generation > generation_) {
            generation_ = generation;
            outdated.swap(idle_);
        }
        if (!idle_.empty()) {
            std::unique_ptr<Connection> connection = std::move(idle_.back());
            idle_.pop_back();
            return connection;
        }
    }
    return std::make_unique<Connection>(path_, Access::read, options_);
}

void Readers::give_back(std::unique_ptr<Connection> connection, std::uint64_t generation) {
    const detail::MutexLock lock(mutex_);
    if (generation == generation_ && idle_.size() < kKept) idle_.push_back(std::move(connection));
}

}  // namespace belay::sqlite
