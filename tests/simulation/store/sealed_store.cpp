#include "simulation/store/sealed_store.hpp"

#include "store/coded/walk.hpp"
#include <belay/detail/assert.hpp>

#include <functional>
#include <string>
#include <utility>

namespace belay::sim {

namespace {

class Opener final : public coded::Visitor {
public:
    explicit Opener(const coded::Chain& chain) : chain_(chain) {}

    void visit(Payload& payload, const char* /*what*/) override { open(payload); }
    void visit(HistoryRow& row) override { open(row); }
    void visit(std::string& text) override { open(text); }

private:
    template <class T>
    void open(T& value) {
        const Result<void> done = chain_.decode(value);
        BELAY_ASSERT(done.ok());
    }

    const coded::Chain& chain_;
};

class Sealer final : public coded::Visitor {
public:
    Sealer(const coded::Chain& old_one, const coded::Chain& new_one)
        : old_(old_one), new_(new_one) {}

    void visit(Payload& payload, const char* /*what*/) override { seal(payload, payload.bytes); }
    void visit(HistoryRow& row) override { seal(row, row.bytes); }
    void visit(std::string& text) override { seal(text, text); }
    /// The number that it has sealed with the old key.
    [[nodiscard]] std::uint64_t with_old_key() const noexcept { return with_old_key_; }

private:
    template <class T>
    void seal(T& value, const std::string& bytes) {
        const bool old_key = std::hash<std::string>()(bytes) % 2 == 0;
        if (old_key && !bytes.empty()) ++with_old_key_;
        const Result<void> done = (old_key ? old_ : new_).encode(value);
        BELAY_ASSERT(done.ok());
    }

    const coded::Chain& old_;
    const coded::Chain& new_;
    std::uint64_t with_old_key_ = 0;
};

KeyRing ring(Keys keys) {
    KeyRing ring;
    const auto add = [&](KeyId id) {
        const Result<void> added =
            ring.add(id, std::string(KeyRing::kKeyBytes, static_cast<char>(id)));
        BELAY_ASSERT(added.ok());
    };
    // The first one that is added writes.
    if (keys == Keys::both) add(kNewKey);
    add(kOldKey);
    return ring;
}

CoderChain writing_with_old_key() {
    KeyRing both = ring(Keys::both);
    const Result<void> chosen = both.write_with(kOldKey);
    BELAY_ASSERT(chosen.ok());
    return CoderChain().then(compression()).then(encryption(both));
}

}  // namespace

CoderChain coders(Keys keys) {
    BELAY_ASSERT(keys != Keys::none);
    return CoderChain().then(compression()).then(encryption(ring(keys)));
}

SealedStore::SealedStore(Store& plain)
    : ForwardingStore(plain), old_(writing_with_old_key()), new_(coders(Keys::both)) {}

void SealedStore::commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) {
    Opener opener(new_);
    for (Transition& transition : batch) {
        for (Part& part : transition.parts) walk(opener, part);
    }
    ForwardingStore::commit(std::move(batch), std::move(done));
}

template <class Answer>
void SealedStore::seal(Answer& answer) {
    Sealer sealer(old_, new_);
    walk(sealer, answer);
    if (keys_ == Keys::both) given_old_ += sealer.with_old_key();
}

void SealedStore::claim(ClaimInstances request, Done<ClaimInstances::Answer> done) {
    ForwardingStore::claim(std::move(request),
                           [this, done = std::move(done)](Result<ClaimInstances::Answer> answer) {
                               if (answer) {
                                   for (ClaimedInstance& one : answer->claimed) seal(one);
                               }
                               done(std::move(answer));
                           });
}

void SealedStore::claim(ClaimActivities request, Done<ClaimActivities::Answer> done) {
    ForwardingStore::claim(std::move(request),
                           [this, done = std::move(done)](Result<ClaimActivities::Answer> answer) {
                               if (answer) {
                                   for (ClaimedActivity& one : answer->claimed) seal(one);
                               }
                               done(std::move(answer));
                           });
}

void SealedStore::read_any(Read request, Done<ReadAnswer> done) {
    ForwardingStore::read_any(std::move(request),
                              [this, done = std::move(done)](Result<ReadAnswer> result) {
                                  if (result)
                                      std::visit([this](auto& answer) { seal(answer); }, *result);
                                  done(std::move(result));
                              });
}

}  // namespace belay::sim
