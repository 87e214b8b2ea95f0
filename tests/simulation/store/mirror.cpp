// The true store in a file: a SQLite store answers, and the memory store says what it should have
// answered.
//
// A request that failed with an unknown outcome is there or not, as a whole. It stays open until
// the next one that succeeds, which finds it written to the disk or gone. After a loss of power the
// file holds all that had been answered, except the last claims and renewals, which do not wait for
// the disk; those are lost from the end.
#include "simulation/store/true_store.hpp"
#include "store/memory/inspect.hpp"
#include <belay/store/memory.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace belay::sim {

namespace {

/// Shows the time that it is told to.
class SetClock final : public Clock {
public:
    Timestamp wall() override { return at; }
    Millis monotonic() override { return Millis(0); }
    Timestamp at{};
};

std::string to_text(const std::optional<Millis>& time) {
    return time ? std::to_string(time->count()) : "-";
}

std::string to_text(const std::vector<Answer>& answers) {
    std::string text;
    for (const Answer& one : answers) {
        text += "[" + std::to_string(static_cast<int>(one.verdict)) + " " +
                (one.error ? to_string(one.error->code()).data() : "") +
                (one.changed ? "" : " unchanged") + (one.input_differs ? " differs" : "");
        for (const LeaseToken token : one.stopped) text += " stops " + to_string(token);
        for (const CommandNo command : one.leased) text += " leases " + std::to_string(command);
        if (one.instance) {
            text += " " + one.instance->name.id + " " + to_string(one.instance->run) + " " +
                    std::string(to_string(one.instance->status)) +
                    (one.instance->deleted ? " deleted" : "");
        }
        text += " " + std::to_string(one.deleted.instances) + " " +
                std::to_string(one.deleted.executions) + " " + std::to_string(one.deleted.events) +
                " " + std::to_string(one.deleted.messages) + " " + std::to_string(one.undelivered) +
                " " + std::to_string(one.swept) + "]";
    }
    return text;
}

std::string to_text(const ClaimInstances::Answer& answer) {
    std::string text;
    for (const ClaimedInstance& one : answer.claimed) {
        text +=
            "[" + one.name.id + " " + to_string(one.run) + " " +
            std::string(to_string(one.status)) + " " + std::to_string(one.execution) + " " +
            std::to_string(one.position) + " " + std::to_string(one.attempts) + " " +
            std::to_string(one.unregistered) + " " + std::to_string(one.overruns) + " " +
            (one.code_missing_since ? std::to_string(to_unix_ms(*one.code_missing_since)) : "-") +
            " " + to_string(one.token) + (one.cancel ? " canceled" : "") + " " + one.input.bytes;
        for (const Message& message : one.messages) {
            text += " " + std::to_string(message.id) + "@" +
                    std::to_string(to_unix_ms(message.sent_at)) + ":" +
                    std::to_string(static_cast<int>(message.content.kind)) + ":" +
                    message.content.payload.bytes;
        }
        text += "]";
    }
    return text + " ready in " + to_text(answer.ready_in) + ", put off " +
           std::to_string(answer.put_off);
}

std::string to_text(const ClaimActivities::Answer& answer) {
    std::string text;
    for (const ClaimedActivity& one : answer.claimed) {
        text += "[" + to_string(one.activity) + " " + one.name + " " + one.instance.id + " " +
                std::to_string(one.attempt) + " " + std::to_string(one.unregistered) + " " +
                to_string(one.token) + " " + one.input.bytes + "]";
    }
    return text + " ready in " + to_text(answer.ready_in) + ", marked " +
           std::to_string(answer.marked);
}

/// The part of an answer that is the same in two stores. While the clock shows a time that it has
/// shown before, a store may have forgotten which activities were due then: a claim that finds
/// nothing keeps nothing. So the two stores may say different times for the next claim.
template <class Answer>
std::string comparable(Answer answer, bool clock_repeats) {
    if constexpr (std::is_same_v<Answer, ClaimActivities::Answer>) {
        if (clock_repeats) answer.ready_in.reset();
    }
    return to_text(answer);
}

/// An activity is handed over only if nothing older is in line. While the clock shows a time that
/// it has shown before, the two stores may disagree about that, for the same reason.
std::vector<Transition> without_hand_overs(std::vector<Transition> batch) {
    for (Transition& transition : batch) {
        for (Part& part : transition.parts) {
            auto* const turn = std::get_if<Turn>(&part);
            if (turn == nullptr) continue;
            for (NewActivity& activity : turn->activities) activity.hand_over.reset();
        }
    }
    return batch;
}

/// A memory store for trying things out.
class Scratch {
public:
    Scratch(memory::Tables tables, const StoreOptions& options)
        : store_(make_memory_store(clock_, options)) {
        memory::with_tables(*store_, [&](memory::Tables& t) { t = std::move(tables); });
    }
    /// And returns the answer.
    template <class Change>
    std::string apply(const Change& change) {
        clock_.at = change.at;
        std::string text;
        const auto note = [&](const auto& result) {
            text = comparable(*result, change.clock_repeats);
        };
        if (const auto* batch = std::get_if<0>(&change.request)) {
            store_->commit(*batch, note);
        } else if (const auto* runs = std::get_if<1>(&change.request)) {
            store_->claim(*runs, note);
        } else {
            store_->claim(std::get<2>(change.request), note);
        }
        return text;
    }
    [[nodiscard]] memory::Tables tables() {
        memory::Tables copy;
        memory::with_tables(*store_, [&](memory::Tables& t) { copy = t; });
        return copy;
    }
    [[nodiscard]] Dump contents() {
        Dump lines;
        memory::with_tables(*store_, [&](memory::Tables& t) { lines = dump(t); });
        return lines;
    }

private:
    SetClock clock_;
    std::unique_ptr<Store> store_;
};

/// A transition that changes nothing is not written, and so takes nothing before it to the disk.
/// Deliveries may change nothing, if their runs have ended, and do not say so.
bool is_written(const Transition& transition, const Answer& answer) {
    if (answer.verdict != Verdict::applied || !answer.changed) return false;
    const auto is_delivery = [](const Part& part) { return std::holds_alternative<Deliver>(part); };
    if (std::all_of(transition.parts.begin(), transition.parts.end(), is_delivery)) return false;
    return answer.swept > 0 || !std::holds_alternative<Sweep>(transition.parts.front());
}
bool is_written(const std::vector<Transition>& batch, const std::vector<Answer>& answers) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
        if (is_written(batch[i], answers[i])) return true;
    }
    return false;
}
template <class Claim>
bool is_written(const Claim& /*claim*/, const typename Claim::Answer& answer) {
    return !answer.claimed.empty();
}

}  // namespace

void TrueStore::keep_in_file(const FileSetup& setup, Violations& violations) {
    violations_ = &violations;
    file_ = std::make_unique<FileStore>(setup, clock_, options_);
}

Result<std::vector<Answer>> TrueStore::commit(const std::vector<Transition>& batch) {
    if (file_ == nullptr) return apply(batch);
    if (clock_repeats()) return through_file<std::vector<Answer>>(without_hand_overs(batch));
    return through_file<std::vector<Answer>>(batch);
}
Result<ClaimInstances::Answer> TrueStore::claim(const ClaimInstances& request) {
    if (file_ == nullptr) return apply(request);
    return through_file<ClaimInstances::Answer>(request);
}
Result<ClaimActivities::Answer> TrueStore::claim(const ClaimActivities& request) {
    if (file_ == nullptr) return apply(request);
    return through_file<ClaimActivities::Answer>(request);
}

bool TrueStore::clock_repeats() const { return clock_.wall() < latest_; }

template <class Answer, class Request>
Result<Answer> TrueStore::through_file(const Request& request) {
    const bool repeats = clock_repeats();
    latest_ = std::max(latest_, clock_.wall());
    Change change{request, clock_.wall(), repeats};
    Result<Answer> answered = file_->ask(request);
    if (answered && powerless() && !unsettled_.empty()) {
        // The power went while the store was tidying up behind its answer. Nobody lives to hear it,
        // and the file cannot be looked into before the machine is back.
        unsettled_.push_back(std::move(change));
        return Error(Errc::outcome_unknown, "the machine is gone");
    }
    if (answered) {
        const std::string found = comparable(*answered, repeats);
        settle({{change}}, true, found);
        const Answer expected = apply(request);
        violations_->expect(
            comparable(expected, repeats) == found, "both stores answer alike", [&] {
                return "expected " + to_text(expected) + "\n    found    " + to_text(*answered);
            });
        note(std::move(change), is_written(request, expected));
        return answered;
    }
    const Error& error = answered.error();
    trace_.line("store", [&] { return "fails: " + error.describe(); });
    if (powerless()) {
        unsettled_.push_back(std::move(change));
        return Error(Errc::outcome_unknown, "the machine is gone");
    }
    violations_->expect(error.outcome_unknown() || error.retryable(),
                        "trouble with the disk can be tried again",
                        error.describe());
    if (error.outcome_unknown()) {
        // It was tried, so requests that had failed before it are written or gone.
        settle({{}, {change}}, true);
        unsettled_.push_back(std::move(change));
    } else {
        settle({{}}, false);
    }
    return error;
}

/// As the store does: claims and renewals do not.
bool TrueStore::waits_for_disk(const Change& change) {
    const auto* const batch = std::get_if<0>(&change.request);
    return batch != nullptr && std::any_of(batch->begin(), batch->end(), [](const Transition& one) {
               return std::any_of(one.parts.begin(), one.parts.end(), [](const Part& part) {
                   return !std::holds_alternative<AppendOutput>(part) &&
                          !std::holds_alternative<RenewActivity>(part) &&
                          !std::holds_alternative<RenewTurn>(part) &&
                          !std::holds_alternative<ReleaseHolder>(part);
               });
           });
}

void TrueStore::note(Change change, bool written) {
    const bool durable = written && waits_for_disk(change);
    log_.push_back(std::move(change));
    if (judge_) judge_->remember(durable);
    if (durable) on_disk_ = log_.size();
}

/// It turns out that this was applied, back then.
void TrueStore::apply_late(const Change& change) {
    const Millis ago = clock_.wall() - change.at;
    trace_.line("store", [] { return std::string("had applied what failed:"); });
    clock_.jump(-ago);
    std::visit([&](const auto& request) { (void)apply(request); }, change.request);
    clock_.jump(ago);
    log_.push_back(change);
    on_disk_ = log_.size();
    if (judge_) judge_->remember(true);
}

/// Returns those of `open`, in order, that led from `tables` to `found`, if all of one of `then`
/// was applied after them, and the last of these answered so. Returns none if nothing explains it.
auto TrueStore::explain(const Dump& found,
                        memory::Tables tables,
                        const Changes& open,
                        const std::vector<Changes>& then,
                        const std::string& answer) -> std::optional<Changes> {
    const std::size_t subsets = std::size_t{1} << open.size();
    for (std::size_t subset = 0; subset < subsets; ++subset) {
        Changes chosen;
        for (std::size_t i = 0; i < open.size(); ++i) {
            if ((subset >> i & 1U) != 0) chosen.push_back(open[i]);
        }
        for (const Changes& after : then) {
            Scratch scratch(tables, options_);
            for (const Change& one : chosen) scratch.apply(one);
            std::string last;
            for (const Change& one : after) last = scratch.apply(one);
            if (!answer.empty() && last != answer) continue;
            if (scratch.contents() == found) return chosen;
        }
    }
    return std::nullopt;
}

/// Finds out from the file after `then` (one of these) which of the unsettled ones were applied. If
/// that settles them, those are applied here too.
void TrueStore::settle(const std::vector<Changes>& then, bool settled, const std::string& answer) {
    const char* const invariant = settled ? "what failed is there as a whole or not at all"
                                          : "what failed for certain changed nothing";
    if (settled && unsettled_.empty()) return;
    const std::optional<Dump> found = file_->contents();
    if (!found) {
        violations_->report(invariant, "the file cannot be read");
        return;
    }
    const std::optional<Changes> applied = explain(*found, tables(), unsettled_, then, answer);
    if (!applied) {
        violations_->report(invariant, difference(dump(tables()), *found));
        return;
    }
    if (!settled) return;
    unsettled_.clear();
    for (const Change& one : *applied) apply_late(one);
}

memory::Tables TrueStore::tables() {
    memory::Tables copy;
    with_tables([&](memory::Tables& t) { copy = t; });
    return copy;
}

void TrueStore::check_file() {
    if (file_ == nullptr || !unsettled_.empty()) return;
    const std::optional<Dump> found = file_->contents();
    const std::string other = found ? difference(dump(tables()), *found) : "it cannot be read";
    violations_->expect(other.empty(), "the file holds what was committed", other);
    const std::string problem = file_->check_integrity();
    violations_->expect(problem.empty(), "the file is whole", problem);
}

void TrueStore::restart(bool trouble) {
    const FileStore::Restarted restarted = file_->restart(trouble);
    const bool lost_power = restarted.lost_power;
    trace_.line("machine", [&] { return std::string(lost_power ? "loses power" : "crashes"); });
    if (restarted.problem) {
        violations_->report("after a crash the file opens", restarted.problem->describe());
        return;
    }
    const std::string problem = file_->check_integrity();
    violations_->expect(problem.empty(), "the file is whole", problem);
    const std::optional<Dump> found = file_->contents();
    if (!found) {
        violations_->report("after a crash the file opens", "it cannot be read");
        return;
    }

    // The last claims and renewals may be gone, but only with all that came after them.
    Scratch scratch(base_, options_);
    std::size_t kept = lost_power ? on_disk_ : log_.size();
    for (std::size_t i = 0; i < kept; ++i) scratch.apply(log_[i]);
    while (kept < log_.size() && scratch.contents() != *found) scratch.apply(log_[kept++]);
    std::optional<Changes> applied = Changes();
    if (scratch.contents() != *found)
        applied = explain(*found, scratch.tables(), unsettled_, {{}}, "");
    if (!applied) {
        std::string detail = difference(scratch.contents(), *found);
        for (const Change& one : unsettled_) {
            scratch.apply(one);
            detail += "\n  or with what was unknown:" + difference(scratch.contents(), *found);
        }
        violations_->report("every acknowledged commit survives a crash", detail);
        return;
    }
    trace_.line("machine", [&] {
        return "is back, " + std::to_string(log_.size() - kept) + " claims and renewals lost, " +
               std::to_string(applied->size()) + " of " + std::to_string(unsettled_.size()) +
               " unknown commits there";
    });
    with_tables([&](memory::Tables& t) {
        t = scratch.tables();
        if (watcher_ != nullptr) watcher_->after_loss(t);
    });
    if (judge_) judge_->take_back_all_but(kept - on_disk_);
    unsettled_.clear();
    for (const Change& one : *applied) apply_late(one);
    base_ = tables();
    log_.clear();
    on_disk_ = 0;
}

}  // namespace belay::sim
