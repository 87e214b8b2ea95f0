// Runs the store contract against the SQLite store, each case on a file of its own.
#include "conformance/conformance.hpp"
#include "support/manual_clock.hpp"
#include "support/sanitized.hpp"
#include "support/temporary_directory.hpp"
#include <belay/store/sqlite.hpp>

#include <gtest/gtest.h>

namespace {

class SqliteFactory final : public belay::conformance::StoreFactory {
public:
    explicit SqliteFactory(belay::SqliteOptions sqlite) : sqlite_(sqlite) {}

    std::unique_ptr<belay::Store> make(const belay::StoreOptions& options) override {
        belay::SqliteOptions sqlite = sqlite_;
        sqlite.store(options);
        auto store = belay::make_sqlite_store(
            directory_.file("store-" + std::to_string(++made_)), sqlite, clock_);
        if (!store) throw std::runtime_error(store.error().describe());
        return std::move(*store);
    }
    void advance(belay::Millis by) override { clock_.advance(by); }
    void set_back(belay::Millis by) override { clock_.set_back(by); }

private:
    const belay::SqliteOptions sqlite_;
    belay::support::TemporaryDirectory directory_{belay::support::TemporaryDirectory::in_memory()};
    belay::support::ManualClock clock_;
    int made_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    using belay::SqliteOptions;
    const auto add = [](const char* name, const SqliteOptions& options) {
        belay::conformance::register_conformance(
            name, [options] { return std::make_unique<SqliteFactory>(options); });
    };
    // As it comes; and with a log that is written back all the time, which is work of SQLite alone:
    // a sanitizer, which looks at ours, has seen all of it before.
    add("Sqlite", SqliteOptions());
    if constexpr (!belay::support::kSanitized) {
        add("Sqlite_ShortLog",
            SqliteOptions()
                .synchronous(belay::Synchronous::normal)
                .preallocate(false)
                .checkpoint_pages(8));
    }
    return RUN_ALL_TESTS();
}
