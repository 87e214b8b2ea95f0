// The rows of the file as the guards of all stores see them.
#pragma once

#include "store/guards/facts.hpp"
#include "store/sqlite/tables.hpp"

namespace belay::sqlite {

class Lookup final : public store::Lookup {
public:
    explicit Lookup(Tables& tables) : tables_(tables) {}

    /// Reads at once what a transition that ends many activities of one run will ask for.
    void read_ahead(const Transition& transition);

    [[nodiscard]] Timestamp now() override { return tables_.now(); }
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

    Tables& tables_;
};

}  // namespace belay::sqlite
