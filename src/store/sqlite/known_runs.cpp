#include "store/sqlite/known_runs.hpp"

#include <utility>

namespace belay::sqlite {

namespace {

/// The number of recent runs kept, which take some megabytes. At most twice as many are known.
constexpr std::size_t kRecent = 4'096;

}  // namespace

void KnownRuns::begin(const Connection& connection) {
    const std::uint32_t version = connection.data_version();
    if (version != version_) forget();
    version_ = version;
}

std::unique_ptr<StoredRun> KnownRuns::take(RunKey key) {
    for (RunsByKey* const runs : {&recent_, &older_}) {
        if (auto found = runs->extract(key)) return std::move(found.mapped());
    }
    return nullptr;
}

void KnownRuns::keep(const Connection& connection, RunsByKey runs) {
    version_ = connection.data_version();
    while (!runs.empty()) {
        auto one = runs.extract(runs.begin());
        if (one.mapped() != nullptr && !one.mapped()->ended()) recent_.insert(std::move(one));
    }
    if (recent_.size() < kRecent) return;
    older_ = std::exchange(recent_, {});
}

void KnownRuns::forget() noexcept {
    recent_.clear();
    older_.clear();
}

}  // namespace belay::sqlite
