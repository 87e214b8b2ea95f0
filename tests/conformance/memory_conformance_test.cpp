// Runs the store contract against the store in memory.
#include "conformance/conformance.hpp"
#include "support/manual_clock.hpp"
#include <belay/store/memory.hpp>

#include <gtest/gtest.h>

namespace {

class MemoryFactory final : public belay::conformance::StoreFactory {
public:
    std::unique_ptr<belay::Store> make(const belay::StoreOptions& options) override {
        return belay::make_memory_store(clock_, options);
    }
    void advance(belay::Millis by) override { clock_.advance(by); }
    void set_back(belay::Millis by) override { clock_.set_back(by); }

private:
    belay::support::ManualClock clock_;
};

}  // namespace

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    belay::conformance::register_conformance("Memory",
                                             [] { return std::make_unique<MemoryFactory>(); });
    return RUN_ALL_TESTS();
}
