// The tables as the guards of all stores see them.
#pragma once

#include "store/guards/facts.hpp"
#include "store/memory/tables.hpp"

namespace belay::memory {

class Lookup final : public store::Lookup {
public:
    Lookup(const Tables& tables, Timestamp now) : tables_(tables), now_(now) {}

    [[nodiscard]] Timestamp now() override { return now_; }
    [[nodiscard]] std::optional<store::RunFacts> run(RunRef run) override;
    [[nodiscard]] std::optional<store::RunFacts> run(const InstanceName& name) override;
    [[nodiscard]] store::NameFacts name(const InstanceName& name) override;
    [[nodiscard]] Digest input_digest(RunRef run) override;
    [[nodiscard]] std::uint64_t waiting_messages(RunRef run, std::uint64_t room) override;
    [[nodiscard]] std::vector<RunRef> tree(RunRef root) override;
    [[nodiscard]] bool is_key_used(RunRef run) override;
    [[nodiscard]] std::optional<store::Gone> gone(RunRef run) override;
    [[nodiscard]] std::optional<store::ActivityFacts> activity(const ActivityRef& ref) override;
    [[nodiscard]] bool is_stopping(const ActivityRef& activity, LeaseToken token) override;
    [[nodiscard]] std::optional<MessageNo> timer(RunRef run,
                                                 ExecutionNo execution,
                                                 CommandNo command) override;
    [[nodiscard]] std::optional<store::LetterFacts> letter(std::uint64_t id) override;
    [[nodiscard]] std::optional<store::KeyFacts> taken_key(const KeyId& id) override;
    [[nodiscard]] bool has_key(const KeyId& id) override;
    [[nodiscard]] std::optional<store::Request> request(const RequestKey& key) override;

private:
    [[nodiscard]] std::optional<store::RunFacts> facts_of(const Run* run) const;

    const Tables& tables_;
    Timestamp now_;
};

}  // namespace belay::memory
