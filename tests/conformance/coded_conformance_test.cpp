// Runs the store contract against the store in memory, seen through compression and encryption.
#include "conformance/conformance.hpp"
#include "store/forwarding_store.hpp"
#include "support/manual_clock.hpp"
#include <belay/store/coded.hpp>
#include <belay/store/memory.hpp>

#include <gtest/gtest.h>

#include <stdexcept>

namespace {

belay::CoderChain chain() {
    belay::KeyRing keys;
    const auto added = keys.add(1, std::string(belay::KeyRing::kKeyBytes, 'k'));
    if (!added) throw std::runtime_error(added.error().describe());
    return belay::CoderChain().then(belay::compression()).then(belay::encryption(keys));
}

/// The two as one.
struct Stores {
    std::unique_ptr<belay::Store> inner;
    std::unique_ptr<belay::Store> coded = belay::make_coded_store(*inner, chain());
};
class OwningStore final : private Stores, public belay::ForwardingStore {
public:
    explicit OwningStore(std::unique_ptr<belay::Store> made)
        : Stores{std::move(made)}, ForwardingStore(*coded) {}
};

class CodedFactory final : public belay::conformance::StoreFactory {
public:
    std::unique_ptr<belay::Store> make(const belay::StoreOptions& options) override {
        return std::make_unique<OwningStore>(belay::make_memory_store(clock_, options));
    }
    void advance(belay::Millis by) override { clock_.advance(by); }
    void set_back(belay::Millis by) override { clock_.set_back(by); }
    /// The format it had, and what stands around a ciphertext.
    [[nodiscard]] std::uint64_t row_overhead() const override { return 2 + 53; }

private:
    belay::support::ManualClock clock_;
};

}  // namespace

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    belay::conformance::register_conformance("Coded",
                                             [] { return std::make_unique<CodedFactory>(); });
    return RUN_ALL_TESTS();
}
