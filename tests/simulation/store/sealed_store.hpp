// A store whose users code their payloads, while the simulation goes on seeing them in plain.
#pragma once

#include "store/coded/chain.hpp"
#include "store/forwarding_store.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace belay::sim {

/// The keys of a simulation. Some payloads were written before the change of keys, some after.
inline constexpr KeyId kOldKey = 1;
inline constexpr KeyId kNewKey = 2;

/// The keys that a process has.
enum class Keys : std::uint8_t { none, old_one, both };

/// Compression, then encryption, with these keys (not none of them). The newest writes.
[[nodiscard]] CoderChain coders(Keys keys);

/// Between a coded store and the transport. Payloads that a process sends are opened here, so that
/// the true store holds them in plain and can be checked. Payloads in answers are sealed again. The
/// bytes decide which of both keys is used: always the same for the same bytes, as if it had lain
/// there.
class SealedStore final : public ForwardingStore {
public:
    explicit SealedStore(Store& plain);

    /// Readers have these keys from now on.
    void read_with(Keys keys) noexcept { keys_ = keys; }
    /// The number of payloads under the old key that went to a process with both.
    [[nodiscard]] std::uint64_t given_under_old_key() const noexcept { return given_old_; }

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override;
    void claim(ClaimInstances request, Done<ClaimInstances::Answer> done) override;
    void claim(ClaimActivities request, Done<ClaimActivities::Answer> done) override;
    void read_any(Read request, Done<ReadAnswer> done) override;

private:
    template <class Answer>
    void seal(Answer& answer);

    coded::Chain old_;  ///< Writes with the old key.
    coded::Chain new_;
    Keys keys_ = Keys::both;
    std::uint64_t given_old_ = 0;
};

}  // namespace belay::sim
