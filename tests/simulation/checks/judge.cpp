#include "simulation/checks/judge.hpp"

#include "simulation/checks/answer_text.hpp"
#include "simulation/clients/operators.hpp"
#include "store/memory/inspect.hpp"

#include <algorithm>
#include <set>

namespace belay::sim {

namespace {

/// After so many changes all that can be read is compared.
constexpr std::uint64_t kComparedEvery = 50;
/// More than any world has.
constexpr std::uint32_t kAll = 1'000'000;

template <class Claimed>
std::string text_of(const std::vector<Claimed>& claimed) {
    std::string text;
    for (const Claimed& one : claimed) text += "\n      [" + sim::to_text(one) + "]";
    return text;
}

/// The beginning of a text, which names its kind, and the part around a place in it.
std::string around(const std::string& text, std::size_t place) {
    constexpr std::size_t kBeginning = 100;
    constexpr std::size_t kBefore = 200;
    constexpr std::size_t kShown = 600;
    if (place <= kBeginning + kBefore) return readable(text.substr(0, kShown));
    return readable(text.substr(0, kBeginning) + " ... " + text.substr(place - kBefore, kShown));
}

std::string text_of(const ReadyIn& hint) {
    return hint ? std::to_string(hint->count()) + " ms" : "never";
}

}  // namespace

bool Judge::is_done(Timestamp now) {
    set_back_ = set_back_ || now < state_.latest;
    return set_back_ || violations_.any();
}

void Judge::commit(const Transition& transition, Timestamp now, const Answer& found) {
    if (is_done(now)) return;
    const Answer expected = naive::commit(state_, transition, now, options_, nullptr, &found);
    expect_same("the naive store answers a commit alike", to_text(expected), to_text(found));
    changed(now);
}

void Judge::claim(const ClaimInstances& request,
                  Timestamp now,
                  const ClaimInstances::Answer& found) {
    if (is_done(now)) return;
    const ClaimInstances::Answer expected = naive::claim(state_, request, now, &found);
    const auto text = [](const ClaimInstances::Answer& answer) {
        return text_of(answer.claimed) + " put off " + std::to_string(answer.put_off);
    };
    expect_same("the naive store gives out the same runs", text(expected), text(found));
    expect_hint(expected.ready_in, found.ready_in);
    changed(now);
}

void Judge::claim(const ClaimActivities& request,
                  Timestamp now,
                  const ClaimActivities::Answer& found) {
    if (is_done(now)) return;
    const naive::FollowedClaim followed = followed_claim(found);
    const ClaimActivities::Answer expected = naive::claim(state_, request, now, &followed);
    const auto text = [](const ClaimActivities::Answer& answer) {
        return text_of(answer.claimed) + " marked " + std::to_string(answer.marked);
    };
    expect_same("the naive store gives out the same activities", text(expected), text(found));
    expect_hint(expected.ready_in, found.ready_in);
    changed(now);
}

/// Reads from the true store the facts that the answer does not tell.
naive::FollowedClaim Judge::followed_claim(const ClaimActivities::Answer& found) {
    naive::FollowedClaim followed;
    followed.answer = found;
    for (const ActivityInfo& one : take_answer<ListActivities>(ask_store(ListActivities()))) {
        const naive::Activity* before = state_.activities.find(one.activity);
        if (before == nullptr) continue;
        if (one.unregistered > before->unregistered) followed.marked.push_back(one.activity);
        if (one.visible_at == Timestamp::max()) followed.set_aside.push_back(one.activity);
    }
    return followed;
}

void Judge::read(const Read& request, Timestamp now, const ReadAnswer& found) {
    if (is_done(now)) return;
    expect_same(
        "the naive store answers a read alike", to_text(ask_naive(request, now)), to_text(found));
}

void Judge::remember(bool durable) {
    if (durable) remembered_.clear();
    remembered_.push_back(state_);
}

void Judge::take_back_all_but(std::size_t kept) {
    state_ = remembered_.at(kept);
    remembered_.assign(1, state_);
}

void Judge::changed(Timestamp now) {
    ++changes_;
    if (often_ || changes_ % kComparedEvery == 0) compare(now);
}

/// A hint may be too short, and never too long. Zero means that more can be claimed now.
void Judge::expect_hint(const ReadyIn& expected, const ReadyIn& found) {
    const bool in_time = !expected || (found && *found <= *expected);
    const bool now_or_later = (expected == Millis(0)) == (found == Millis(0));
    violations_.expect(in_time && now_or_later, "the naive store knows of nothing sooner", [&] {
        return "expected at most " + text_of(expected) + ", found " + text_of(found);
    });
}

void Judge::expect_same(const char* invariant,
                        const std::string& expected,
                        const std::string& found) {
    violations_.expect(expected == found, invariant, [&] {
        std::size_t place = 0;
        while (place < expected.size() && place < found.size() && expected[place] == found[place]) {
            ++place;
        }
        return "\n    expected " + around(expected, place) + "\n    found    " +
               around(found, place);
    });
}

// ---- All that can be read ----------------------------------------------------------------------

ReadAnswer Judge::ask_naive(const Read& request, Timestamp now) const {
    return std::visit(
        [&]<class Request>(const Request& one) {
            return wrap_answer<Request>(naive::read(state_, one, now));
        },
        request);
}

ReadAnswer Judge::ask_store(const Read& request) {
    std::optional<ReadAnswer> answer;
    store_.read_any(request, [&](Result<ReadAnswer> one) { answer.emplace(std::move(*one)); });
    BELAY_ASSERT(answer.has_value());
    return std::move(*answer);
}

/// Those that either of the stores has.
std::vector<RunRef> Judge::all_runs() {
    std::set<RunRef> runs;
    for (const auto& [key, run] : state_.runs) runs.insert(run.ref());
    memory::with_tables(store_, [&](memory::Tables& tables) {
        for (const auto& [ref, run] : tables.runs) runs.insert(ref);
    });
    return {runs.begin(), runs.end()};
}

Dump Judge::visible(const std::vector<RunRef>& runs, const Ask& ask) {
    Dump lines;
    const auto look = [&](const Read& request) { lines.push_back(to_text(ask(request))); };
    for (const RunRef run : runs) {
        look(ReadOpenWork{{}, kAll, run});
        look(ListExecutions{run});
        look(ListChildren{run});
        look(KeyValues{run});
        look(ReadOutput{run});
        const ReadAnswer executions = ask(ListExecutions{run});
        for (const ExecutionInfo& one : take_answer<ListExecutions>(ReadAnswer(executions))) {
            look(ReadHistory{run, one.execution, 0, kAll});
        }
    }
    CountInstances counts;
    counts.space = kSpace;
    look(counts);
    look(CountQueues());
    look(ListLeases{kAll});
    ListKeys keys;
    keys.space = kSpace;
    keys.max = kAll;
    look(keys);
    look(ListDeadLetters{0, kAll});
    look(ListOutcomes{kSpace, std::nullopt, kAll});
    look(ReadRetention{std::nullopt, std::nullopt, kAll});
    using Select = SelectInstances;
    for (const auto& which : {decltype(Select::which)(Select::Any()),
                              decltype(Select::which)(Select::Ended()),
                              decltype(Select::which)(Select::Chains()),
                              decltype(Select::which)(Select::Formers())}) {
        Select request;
        request.space = kSpace;
        request.which = which;
        request.max = kAll;
        look(request);
    }
    return lines;
}

void Judge::compare(Timestamp now) {
    if (is_done(now)) return;
    const std::vector<RunRef> runs = all_runs();
    const Dump expected =
        visible(runs, [&](const Read& request) { return ask_naive(request, now); });
    const Dump found = visible(runs, [&](const Read& request) { return ask_store(request); });
    for (std::size_t i = 0; i < std::min(expected.size(), found.size()); ++i) {
        expect_same("the naive store holds the same", expected[i], found[i]);
    }
}

}  // namespace belay::sim
