// The store contract as a test suite: what a store's own test program needs to run it.
#pragma once

#include <belay/store/store.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace belay::conformance {

/// Makes stores for one case and owns the clock they live by.
///
/// The suite never sleeps: between two calls of `advance` the stores' `now()` should stand still,
/// and it must not run ahead by more than a few milliseconds.
class StoreFactory {
public:
    virtual ~StoreFactory() = default;

    /// A store with nothing in it. May be called more than once in a case; each store is destroyed
    /// before the factory is.
    [[nodiscard]] virtual std::unique_ptr<Store> make(const StoreOptions& options) = 0;

    /// Moves the stores' `now()` forward.
    virtual void advance(Millis by) = 0;
    /// Sets the stores' `now()` back, as an operator or a time server may.
    virtual void set_back(Millis by) = 0;

    /// Bytes that the store adds to each history row and counts with it, as one that encrypts does.
    [[nodiscard]] virtual std::uint64_t row_overhead() const { return 0; }
};

/// Called once for each case, so cases share nothing.
using FactoryMaker = std::function<std::unique_ptr<StoreFactory>()>;

/// Registers every case with GoogleTest as "<store_name>/Conformance.<Area>_<Case>". To be called
/// before RUN_ALL_TESTS, once for each store (or each way of setting one up).
void register_conformance(const std::string& store_name, FactoryMaker make);

}  // namespace belay::conformance
