// Runs the store contract against the naive store, by which the others are judged.
#include "conformance/conformance.hpp"
#include "naive/naive_store.hpp"
#include "support/manual_clock.hpp"

#include <gtest/gtest.h>

namespace {

class NaiveFactory final : public belay::conformance::StoreFactory {
public:
    std::unique_ptr<belay::Store> make(const belay::StoreOptions& options) override {
        return std::make_unique<belay::naive::NaiveStore>(clock_, options);
    }
    void advance(belay::Millis by) override { clock_.advance(by); }
    void set_back(belay::Millis by) override { clock_.set_back(by); }

private:
    belay::support::ManualClock clock_;
};

}  // namespace

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    belay::conformance::register_conformance("Naive",
                                             [] { return std::make_unique<NaiveFactory>(); });
    return RUN_ALL_TESTS();
}
