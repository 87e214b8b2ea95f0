// A store in front of another one that codes what goes in and decodes what comes out.
#include "store/coded/chain.hpp"
#include "store/coded/walk.hpp"

#include <iterator>
#include <utility>

namespace belay {

namespace coded {

namespace {

/// Codes one transition; stops at the first thing that cannot be.
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

/// Decodes one answer. What cannot be decoded stays as it is; the first of it is the error.
class Decoder final : public Visitor {
public:
    explicit Decoder(const Chain& chain) : chain_(chain) {}

    void visit(Payload& payload, const char* what) override { note(chain_.decode(payload), what); }
    void visit(HistoryRow& row) override { note(chain_.decode(row), "its history"); }
    /// It is there for people: that they cannot read it is no reason to keep all else from them.
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

/// Not a ForwardingStore: what is new in the contract is to be considered here.
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

    void read(ReadInstance q, Done<ReadInstance::Answer> done) override {
        read_any(std::move(q), std::move(done));
    }
    void read(ReadHistory q, Done<ReadHistory::Answer> done) override {
        read_any(q, std::move(done));
    }
    void read(ListExecutions q, Done<ListExecutions::Answer> done) override {
        read_any(q, std::move(done));
    }
    void read(ListChildren q, Done<ListChildren::Answer> done) override {
        read_any(q, std::move(done));
    }
    void read(ListTree q, Done<ListTree::Answer> done) override {
        read_any(std::move(q), std::move(done));
    }
    void read(SelectInstances q, Done<SelectInstances::Answer> done) override {
        read_any(std::move(q), std::move(done));
    }
    void read(ListOutcomes q, Done<ListOutcomes::Answer> done) override {
        read_any(std::move(q), std::move(done));
    }
    void read(ReadRetention q, Done<ReadRetention::Answer> done) override {
        read_any(std::move(q), std::move(done));
    }
    void read(KeyValues q, Done<KeyValues::Answer> done) override { read_any(q, std::move(done)); }
    // In lists, one that cannot be read is not in the way of the others.
    void read(ListDeadLetters q, Done<ListDeadLetters::Answer> done) override {
        read_any(q, std::move(done), Unreadable::kept);
    }
    void read(ListActivities q, Done<ListActivities::Answer> done) override {
        read_any(q, std::move(done), Unreadable::kept);
    }
    void read(ListStopping q, Done<ListStopping::Answer> done) override {
        read_any(q, std::move(done));
    }
    void read(ListHeld q, Done<ListHeld::Answer> done) override { read_any(q, std::move(done)); }
    void read(CheckLeases q, Done<CheckLeases::Answer> done) override {
        read_any(std::move(q), std::move(done));
    }
    void read(ListInstances q, Done<ListInstances::Answer> done) override {
        read_any(std::move(q), std::move(done));
    }
    void read(CountInstances q, Done<CountInstances::Answer> done) override {
        read_any(std::move(q), std::move(done));
    }
    void read(CountQueues q, Done<CountQueues::Answer> done) override {
        read_any(q, std::move(done));
    }
    void read(ListKeys q, Done<ListKeys::Answer> done) override {
        read_any(std::move(q), std::move(done));
    }
    void read(ListLeases q, Done<ListLeases::Answer> done) override {
        read_any(q, std::move(done));
    }
    void read(ReadOpenWork q, Done<ReadOpenWork::Answer> done) override {
        read_any(std::move(q), std::move(done));
    }

    [[nodiscard]] StoreCounts counts() const override { return inner_.counts(); }
    void subscribe(StoreListener& listener) override { inner_.subscribe(listener); }
    void unsubscribe(StoreListener& listener) override { inner_.unsubscribe(listener); }

private:
    enum class Unreadable : std::uint8_t { refused, kept };

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
                    // A store that codes behind this one could not read it: nobody before it can.
                    if (claimed.unreadable) continue;
                    Decoder decoder(chain_);
                    walk(decoder, claimed);
                    claimed.unreadable = decoder.error();
                }
            }
            done(std::move(result));
        });
    }

    template <class Request>
    void read_any(Request request,
                  Done<typename Request::Answer> done,
                  Unreadable unreadable = Unreadable::refused) {
        using Answer = typename Request::Answer;
        if (chain_.keeps_unreadable()) unreadable = Unreadable::kept;
        inner_.read(std::move(request),
                    [this, unreadable, done = std::move(done)](Result<Answer> result) {
                        if (result) {
                            Decoder decoder(chain_);
                            walk(decoder, *result);
                            if (decoder.error() && unreadable == Unreadable::refused) {
                                result = *decoder.error();
                            }
                        }
                        done(std::move(result));
                    });
    }

    Store& inner_;
    Chain chain_;
};

/// What cannot be encoded is answered here; the others go on, in their order.
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
