// Runs that come to be: Start, Import.
#include "naive/change.hpp"

#include <algorithm>
#include <cmath>

namespace belay::naive {

void check_version(const std::string& version) {
    if (!version.empty()) demand(check_name("the version", version, Limits().name_bytes));
}

void check_names(const NewInstance& about) {
    const std::size_t most = Limits().name_bytes;
    demand(check_instance_id("the id", about.name.id, most));
    demand(check_name("the namespace", about.name.space, most));
    demand(check_name("the definition", about.definition, most));
    check_version(about.version);
    for (const auto& [name, value] : about.labels) {
        const double* real = std::get_if<double>(&value);
        demand(real == nullptr || std::isfinite(*real), "a label is no number");
    }
}

/// The guards that every new run has in common. With a digest, one that has its id is in the way.
void Change::check_new(const NewInstance& about, const Digest* digest) const {
    const Run* found = state_.find(about.name);
    if (digest != nullptr && found != nullptr) {
        throw Refusal{Error(Errc::id_in_use, "'" + about.name.id + "' is in use"),
                      found->brief(),
                      found->input_digest != *digest};
    }
    if (about.parent) {
        demand(about.parent->run.key < about.run.key, "the key of a child is greater");
    }
    const DeletedRun* gone = state_.gone.find(about.run);
    if (state_.runs.find(about.run.key) != nullptr || (gone != nullptr && gone->until > now_)) {
        refuse(Errc::run_key_taken, "run key " + to_string(about.run) + " is in use");
    }
}

void Change::check_document(const NewInstance& about, bool has_text, const Run* starter) const {
    if (!about.document) {
        demand(!has_text, "a text without a digest");
        return;
    }
    if (has_text) return;
    const std::string& space = about.name.space;
    if (starter != nullptr && starter->about.name.space == space &&
        starter->about.document == about.document) {
        return;
    }
    const bool new_user = std::any_of(started_.begin(), started_.end(), [&](RunRef ref) {
        const Run* run = state_.find(ref);
        return run->about.name.space == space && run->about.document == about.document;
    });
    if (new_user) return;
    demand(deleted_.empty(), "a document behind a deletion");
    if (state_.documents.find({space, *about.document}) == nullptr) {
        refuse(Errc::not_found, "the document is not kept");
    }
}

void Change::check_on_fail(const NewInstance& about) const {
    demand(!about.on_fail_of, "only a store says so");
    if (!about.on_fail) return;
    const std::string longest = other_on_fail_id(about.name.id, about.on_fail->key);
    demand(check_instance_id("the id", longest, Limits().name_bytes));
    demand(about.run.key < about.on_fail->key, "the key of the run for a failure is greater");
    if (state_.runs.find(about.on_fail->key) != nullptr) {
        refuse(Errc::run_key_taken, "the run key for its failure is in use");
    }
}

/// Behind all guards.
void Change::keep_document(const NewInstance& about, const std::optional<Payload>& text) {
    if (!text || state_.documents.find({about.name.space, *about.document}) != nullptr) return;
    DocumentHead head{*about.document, about.definition, 1, now_};
    for (const auto& [key, document] : state_.documents) {
        if (key.first != about.name.space || document.head.name != head.name) continue;
        head.number = std::max(head.number, document.head.number + 1);
    }
    state_.documents.put({about.name.space, *about.document}, Document{head, *text});
}

Run& Change::create(const NewInstance& about) {
    Run run;
    run.about = about;
    run.created_at = now_;
    run.wants_turn = now_;
    run.executions.push_back({{1, Status::running, 0, now_, std::nullopt}, {}});
    state_.names.put(about.name, about.run);
    run.priority = about.priority;
    if (about.parent) {
        if (Run* parent = state_.write(about.parent->run)) {
            parent->children.push_back(about.run);
            const std::int64_t sum = std::int64_t{parent->priority} + about.priority;
            run.priority = static_cast<std::int32_t>(
                std::max<std::int64_t>(INT32_MIN, std::min<std::int64_t>(INT32_MAX, sum)));
        }
    }
    started_.insert(about.run);
    told_.changed(about.run, RunChange::started);
    return state_.runs.put(about.run.key, run);
}

void Change::apply(const Start& part) {
    const NewInstance& about = part.instance;
    check_names(about);
    const bool waits_in_line =
        part.concurrency && (part.concurrency->when_busy == WhenBusy::queue ||
                             part.concurrency->when_busy == WhenBusy::replace);
    const bool may_be_over = part.rate && part.rate->when_over != WhenOver::refuse;
    const bool may_wait = part.delay > Millis(0) || part.on_conflict == IdConflict::replace ||
                          waits_in_line || may_be_over;
    demand(!part.lock || !may_wait, "what may have to wait is not locked");
    demand(!part.key || !part.key->key.empty(), "the key is empty");
    if (about.parent) address(about.parent->run);
    const KeyName key{
        about.name.space, about.owner, about.definition, part.key ? part.key->key : ""};
    const Key* taken = state_.keys.find(key);
    if (part.key && taken != nullptr && is_taken(state_, *taken, now_)) {
        const Key& first = *taken;
        const Run* run = state_.find(first.run);
        throw Refusal{Error(Errc::duplicate_key, "key '" + part.key->key + "' is taken"),
                      run != nullptr ? run->brief()
                                     : InstanceBrief{first.run, first.name, *first.deleted, true},
                      first.input_digest != part.input_digest};
    }
    const bool replaces = part.on_conflict == IdConflict::replace;
    check_new(about, replaces ? nullptr : &part.input_digest);
    check_document(about, part.document.has_value(), nullptr);
    check_on_fail(about);
    check_rate(part);
    const Timestamp room = room_for(part);
    const bool dropped = room > now_ && part.rate->when_over == WhenOver::drop;
    if (!dropped) check_concurrency(part, state_.find(about.name));

    std::optional<RunRef> waits_for;
    if (const Run* found = state_.find(about.name)) {
        address(found->ref());
        Run& old = *state_.write(found->ref());
        CancelRecord record;
        record.by = part.by;
        record.reason = "replaced by a new run of the same id";
        ending_.insert(old.ref());
        (void)cancel(old, record, transition_.stop.cancel_deadline);
        old.named = false;
        // One that had to wait itself, and never began, is at rest before those it waited for.
        for (const RunRef former : formers_of(state_, about.name)) {
            if (!at_rest(state_, *state_.find(former))) waits_for = former;
        }
    }
    keep_document(about, part.document);
    if (part.concurrency && !dropped) make_room(part);
    Run& run = create(about);
    if (part.expires) run.begin_by = now_ + *part.expires;
    if (part.deadline) run.end_by = now_ + *part.deadline;
    if (part.key) run.key = part.key->key;
    if (!dropped) run.concurrency = part.concurrency;
    if (run.concurrency) stand_in_line(run);
    run.started_by = transition_.commit;
    run.input_digest = part.input_digest;
    run.has_rate = part.rate.has_value();
    run.wants_turn = run.not_before = (dropped ? now_ : room) + part.delay;
    if (part.rate && !dropped) take_place(part, room);
    run.waits_for = waits_for;
    if (part.lock && !state_.pauses.contains({PauseKind::definition, about.definition})) {
        run.attempts = 1;
        run.lock = Lock{part.lock->token, now_ + part.lock->lease, now_, part.lock->worker, false};
    }
    if (waits_for) state_.waiting.push_back(run.ref());
    if (part.key) {
        std::optional<Timestamp> until;
        if (part.key->scope == KeyScope::window) until = now_ + part.key->window;
        state_.keys.put(
            key,
            Key{about.run, about.name, part.key->scope, until, part.input_digest, std::nullopt});
    }
    if (dropped) {
        CancelRecord record;
        record.source = CancelSource::policy;
        record.reason = "dropped: more than " + std::to_string(part.rate->count) +
                        (part.rate->count == 1 ? " run within " : " runs within ") +
                        std::to_string(part.rate->per.count()) + " ms";
        (void)cancel(*state_.write(about.run), record, transition_.stop.cancel_deadline);
    }
    answer_.instance = run.brief();
}

// ---- Rates -------------------------------------------------------------------------------------

void Change::check_rate(const Start& part) const {
    if (!part.rate) return;
    const RateOfStarts& rate = *part.rate;
    demand(rate.count > 0 && rate.per > Millis(0), "a rate of nothing");
    if (rate.count > Limits().rate_starts) refuse(Errc::limit_exceeded, "too many for a rate");
    demand(rate.when_over != WhenOver::drop || part.on_conflict != IdConflict::replace,
           "one that may be dropped replaces nothing");
    const std::string& definition = part.instance.definition;
    for (const RunRef ref : started_) {
        const Run& run = *state_.find(ref);
        demand(!run.has_rate || run.about.name.space != part.instance.name.space ||
                   run.about.definition != definition,
               "an earlier part starts a run of this definition with a rate");
    }
    if (rate.when_over == WhenOver::refuse && room_for(part) > now_) {
        refuse(Errc::rate_exceeded, "'" + definition + "' has begun too often");
    }
}

/// The earliest time that is not before any place, and at which the rate counts too few.
Timestamp Change::room_for(const Start& part) const {
    if (!part.rate) return now_;
    Timestamp room = now_;
    std::vector<Timestamp> places;
    for (const StartPlace& place : state_.places) {
        if (place.space != part.instance.name.space) continue;
        if (place.definition != part.instance.definition) continue;
        places.push_back(place.at);
        room = std::max(room, place.at);
    }
    if (places.size() < part.rate->count) return room;
    return std::max(room, places[places.size() - part.rate->count] + part.rate->per);
}

void Change::take_place(const Start& part, Timestamp at) {
    StartPlace place{
        part.instance.name.space, part.instance.definition, 1, at, at + part.rate->per};
    for (const StartPlace& other : state_.places) {
        if (other.space != place.space || other.definition != place.definition) continue;
        place.number = std::max(place.number, other.number + 1);
    }
    state_.places.push_back(place);
    std::erase_if(state_.places, [&](const StartPlace& other) {
        return other.space == place.space && other.definition == place.definition &&
               other.number + part.rate->count <= place.number;
    });
}

// ---- Concurrency keys --------------------------------------------------------------------------

/// `old`: the run that has the name and will be replaced.
void Change::check_concurrency(const Start& part, const Run* old) const {
    if (!part.concurrency) return;
    const std::string& key = part.concurrency->key;
    demand(!key.empty(), "the concurrency key is empty");
    const std::vector<RunRef> others = concurrent_runs(state_, part.instance, key);
    for (const RunRef ref : others) {
        demand(!started_.contains(ref), "an earlier part starts a run of this concurrency key");
    }
    for (const RunRef ref : others) {
        const Run& other = *state_.find(ref);
        if (at_rest(state_, other) || &other == old) continue;
        if (part.concurrency->when_busy == WhenBusy::replace && !other.ended()) address(ref);
        if (part.concurrency->when_busy != WhenBusy::refuse) continue;
        address(ref);
        refuse(Errc::concurrency_busy, "another run of this key is under way", other.brief());
    }
}

void Change::make_room(const Start& part) {
    if (part.concurrency->when_busy != WhenBusy::replace) return;
    for (const RunRef ref : concurrent_runs(state_, part.instance, part.concurrency->key)) {
        CancelRecord record;
        record.by = part.by;
        record.reason = "replaced by a new run of the same concurrency key";
        changed_.insert(ref);
        ending_.insert(ref);
        (void)cancel(*state_.write(ref), record, transition_.stop.cancel_deadline);
    }
}

void Change::stand_in_line(Run& run) {
    const WhenBusy how = run.concurrency->when_busy;
    if (how == WhenBusy::refuse || how == WhenBusy::allow) return;
    bool busy = false;
    std::uint64_t last = 0;
    for (const RunRef ref : concurrent_runs(state_, run.about, run.concurrency->key)) {
        const Run& other = *state_.find(ref);
        if (ref == run.ref()) continue;
        if (at_rest(state_, other)) continue;
        last = std::max(last, other.line);
        busy = true;
    }
    if (busy) run.line = last + 1;
}

/// Of each key, the first in line goes on when nobody is under way any more.
void Change::release_first_in_lines() {
    for (const auto& [key, run] : state_.runs.rows()) {
        if (run.ended() || run.line == 0) continue;
        bool free = true;
        for (const RunRef ref : concurrent_runs(state_, run.about, run.concurrency->key)) {
            const Run& other = *state_.find(ref);
            if (ref == run.ref()) continue;
            if (!at_rest(state_, other) && other.line < run.line) free = false;
        }
        if (free) state_.write(run.ref())->line = 0;
    }
}

/// Runs whose first turn waited, and that need wait no longer.
void Change::release_waiting() {
    release_first_in_lines();
    std::erase_if(state_.waiting, [&](RunRef ref) {
        Run* run = state_.write(ref);
        if (run == nullptr || run->ended()) return true;
        const Run* old = state_.find(*run->waits_for);
        if (old != nullptr && !at_rest(state_, *old)) return false;
        run->waits_for.reset();
        return true;
    });
}

// ---- Import ------------------------------------------------------------------------------------

void Change::check_import(const Import& part) const {
    const Outcome& outcome = *part.outcome;
    const bool canceled = outcome.status == Status::canceled;
    demand(is_terminal(outcome.status), "it has not ended");
    demand(part.cancel.has_value() == canceled, "a cancel record too many or too few");
    demand(!canceled || outcome.cancel == *part.cancel, "its cancel records differ");
    demand(!part.cancel_deadline || part.cancel, "a deadline of no cancel");
    demand(!part.instance.parent, "it has a parent");
    demand(!part.executions.empty(), "it has no execution");
    demand(part.executions.back().ended_at == part.ended_at, "its last execution ended elsewhen");
    demand(part.custom_status.has_value() == (part.custom_status_version > 0),
           "a custom status without a version, or the reverse");
    demand(!part.key_values.contains(""), "a value without a key");

    const Millis tolerance = Limits().clock_tolerance;
    const auto possible = [&](Timestamp at) {
        demand(at >= Timestamp() && at <= now_ + tolerance, "a time that cannot be");
    };
    const auto in_order = [&](Timestamp first, Timestamp then) {
        demand(first <= then + tolerance, "times that do not follow each other");
    };
    possible(part.created_at);
    possible(part.ended_at);
    in_order(part.created_at, part.ended_at);
    if (part.started_at) {
        possible(*part.started_at);
        in_order(part.created_at, *part.started_at);
        in_order(*part.started_at, part.ended_at);
    }
    ExecutionNo last = 0;
    Timestamp before = part.created_at;
    for (const ImportedExecution& one : part.executions) {
        demand(one.execution > last, "executions that do not ascend");
        last = one.execution;
        possible(one.started_at);
        possible(one.ended_at);
        in_order(before, one.started_at);
        in_order(one.started_at, one.ended_at);
        before = one.ended_at;
        for (const HistoryRow& row : one.history) demand(row.count > 0, "a row without events");
    }
}

void Change::apply(const Import& part) {
    check_names(part.instance);
    check_import(part);
    check_new(part.instance, &part.input_digest);
    demand(!part.instance.on_fail && !part.instance.on_fail_of, "it has ended");
    check_document(part.instance, part.document.has_value(), nullptr);
    keep_document(part.instance, part.document);

    Run& run = create(part.instance);
    run.started_by = transition_.commit;
    run.input_digest = part.input_digest;
    run.wants_turn.reset();
    run.status = part.outcome->status;
    run.created_at = part.created_at;
    run.started_at = part.started_at;
    run.ended_at = part.ended_at;
    run.outcome = meaning(*part.outcome);
    run.cancel = part.cancel;
    run.cancel_deadline = part.cancel_deadline;
    run.custom_status = part.custom_status;
    run.custom_status_version = part.custom_status_version;
    run.key_values = part.key_values;
    run.executions.clear();
    for (const ImportedExecution& one : part.executions) {
        Execution made{{one.execution, Status::continued_as_new, 0, one.started_at, one.ended_at},
                       {}};
        for (const HistoryRow& row : one.history) {
            made.rows.push_back({made.info.events + 1, row});
            made.info.events += row.count;
        }
        run.executions.push_back(made);
    }
    run.current().info.status = run.status;
    told_.ended.push_back(run.ref());
    told_.changed(run.ref(), RunChange::ended);
    answer_.instance = run.brief();
}

}  // namespace belay::naive
