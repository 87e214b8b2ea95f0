// A store whose users code what they put into it, while the simulation goes on seeing it in plain.
#pragma once

#include "store/coded/chain.hpp"
#include "store/forwarding_store.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace belay::sim {

/// The keys of a simulation: some of what is kept was written before they were changed, some after.
inline constexpr KeyId kOldKey = 1;
inline constexpr KeyId kNewKey = 2;

/// What a process has of them.
enum class Keys : std::uint8_t { none, old_one, both };

/// Compression, then encryption, with these keys (not none of them). The newest writes.
[[nodiscard]] CoderChain coders(Keys keys);

/// Between a coded store and the wire. What a process sends is opened here, so that the truth holds
/// it in plain and can be checked. What it is answered is sealed again, with the one of both keys
/// that the bytes decide: always the same for the same bytes, as if it had lain there.
class SealedStore final : public ForwardingStore {
public:
    explicit SealedStore(Store& plain);

    /// Who reads from now on has these.
    void read_with(Keys keys) noexcept { keys_ = keys; }
    /// How many payloads who has both keys was given under the old one.
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
