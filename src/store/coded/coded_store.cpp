// A store in front of another one. It encodes data on the way in and decodes it on the way out.
#include "store/coded/chain.hpp"
#include "store/coded/walk.hpp"

#include <iterator>
#include <utility>
#include <variant>

namespace belay {

namespace coded {

namespace {

/// Encodes one transition. Stops at the first thing that cannot be encoded.
class Encoder final : public Visitor {
public:
    explicit Encoder(const Chain& chain) : chain_(chain) {}

    void visit(Payload& payload, const char* what) override { encode(payload, what); }
    void visit(HistoryRow& row) override { encode(row, "the history"); }
    void visit(std::string& text) override { encode(text, "the detail"); }

    [[nodiscard]] const std::optional<Error>& error() const noexcept { return error_; }

private:
    template <class T>
    void encode(T& value, const char* what) {
        if (error_) return;
        const Result<void> done = chain_.encode(value);
        if (done) return;
        error_.emplace(done.error().code(),
                       std::string(what) + " cannot be encoded: " + done.error().message());
    }

    const Chain& chain_;
    std::optional<Error> error_;
};

/// Decodes one answer. Data that cannot be decoded stays as it is. The first such failure is the
/// error.
class Decoder final : public Visitor {
public:
    explicit Decoder(const Chain& chain) : chain_(chain) {}

    void visit(Payload& payload, const char* what) override { note(chain_.decode(payload), what); }
    void visit(HistoryRow& row) override { note(chain_.decode(row), "its history"); }
    /// The text is for people: if it cannot be read, they still get everything else.
    void visit(std::string& text) override {
        const Result<void> done = chain_.decode(text);
        if (!done) text = "(this text cannot be shown: " + done.error().message() + ")";
    }

    [[nodiscard]] const std::optional<Error>& error() const noexcept { return error_; }

private:
    void note(const Result<void>& done, const char* what) {
        if (done || error_) return;
        error_.emplace(done.error().code(),
                       std::string(what) + " cannot be read: " + done.error().message());
    }

    const Chain& chain_;
    std::optional<Error> error_;
};

/// Not a ForwardingStore: additions to the contract must be considered here. A shared batch is
/// copied, as by default, because it is encoded in place.
class CodedStore final : public Store {
public:
    CodedStore(Store& inner, CoderChain chain) : inner_(inner), chain_(std::move(chain)) {}

    [[nodiscard]] Timestamp now() override { return inner_.now(); }

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override;

    void claim(ClaimInstances q, Done<ClaimInstances::Answer> done) override {
        claim_any(std::move(q), std::move(done));
    }
    void claim(ClaimActivities q, Done<ClaimActivities::Answer> done) override {
        claim_any(std::move(q), std::move(done));
    }

    void read_any(Read request, Done<ReadAnswer> done) override;

    [[nodiscard]] StoreTraits traits() const override { return inner_.traits(); }
    [[nodiscard]] StoreCounts counts() const override { return inner_.counts(); }
    void subscribe(StoreListener& listener) override { inner_.subscribe(listener); }
    void unsubscribe(StoreListener& listener) override { inner_.unsubscribe(listener); }

private:
    [[nodiscard]] std::optional<Error> encode(Transition& transition) const {
        Encoder encoder(chain_);
        for (Part& part : transition.parts) walk(encoder, part);
        return encoder.error();
    }

    template <class Request>
    void claim_any(Request request, Done<typename Request::Answer> done) {
        using Answer = typename Request::Answer;
        inner_.claim(std::move(request), [this, done = std::move(done)](Result<Answer> result) {
            if (result) {
                for (auto& claimed : result->claimed) {
                    // A coding store behind this one could not read it, so this one cannot either.
                    if (claimed.unreadable) continue;
                    Decoder decoder(chain_);
                    walk(decoder, claimed);
                    claimed.unreadable = decoder.error();
                }
            }
            done(std::move(result));
        });
    }

    Store& inner_;
    Chain chain_;
};

/// True if an unreadable entry of a list does not keep the others from being listed.
bool lists_unreadable_ones(const Read& request) {
    return std::holds_alternative<ListDeadLetters>(request) ||
           std::holds_alternative<ListActivities>(request);
}

void CodedStore::read_any(Read request, Done<ReadAnswer> done) {
    const bool keep_unreadable = chain_.keeps_unreadable() || lists_unreadable_ones(request);
    inner_.read_any(std::move(request),
                    [this, keep_unreadable, done = std::move(done)](Result<ReadAnswer> result) {
                        if (!result) return done(std::move(result));
                        Decoder decoder(chain_);
                        std::visit([&](auto& answer) { walk(decoder, answer); }, *result);
                        if (decoder.error() && !keep_unreadable) result = *decoder.error();
                        done(std::move(result));
                    });
}

/// Answers transitions that cannot be encoded here. Passes the others on, in their order.
void CodedStore::commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) {
    std::vector<std::optional<Error>> errors;
    errors.reserve(batch.size());
    bool all_fine = true;
    for (Transition& transition : batch) {
        errors.push_back(encode(transition));
        all_fine = all_fine && !errors.back();
    }
    if (all_fine) {
        inner_.commit(std::move(batch), std::move(done));
        return;
    }
    std::vector<Transition> sent;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        if (!errors[i]) sent.push_back(std::move(batch[i]));
    }
    const auto tell = [errors = std::move(errors),
                       done = std::move(done)](Result<std::vector<Answer>> result) {
        if (!result) return done(std::move(result));
        std::vector<Answer> answers;
        auto next = std::make_move_iterator(result->begin());
        for (const std::optional<Error>& error : errors) {
            if (!error) {
                answers.push_back(*next++);
                continue;
            }
            answers.emplace_back();
            answers.back().verdict = error->retryable() ? Verdict::failed : Verdict::refused;
            answers.back().error = error;
        }
        done(std::move(answers));
    };
    if (sent.empty()) return tell(std::vector<Answer>());
    inner_.commit(std::move(sent), tell);
}

}  // namespace

}  // namespace coded

std::unique_ptr<Store> make_coded_store(Store& inner, CoderChain chain) {
    return std::make_unique<coded::CodedStore>(inner, std::move(chain));
}

}  // namespace belay
