// The guards of a start.
#include "base/sha256.hpp"
#include "store/names.hpp"
#include "store/rules/guards/guards.hpp"
#include "store/rules/keys.hpp"
#include "store/rules/rates.hpp"
#include <belay/limits.hpp>

#include <string>

namespace belay::store {

auto Guards::check(const Start& part) -> Verdict {
    const NewInstance& instance = part.instance;
    if (const auto valid = check_names(instance); !valid) {
        return Refusal{valid.error(), std::nullopt, false};
    }
    if (auto refusal = check_start_lock(part)) return refusal;
    if (auto refusal = check_key(part)) return refusal;
    const NameFacts name = rows_.name(instance.name);
    if (auto refusal = check_conflict(part, name.holder)) return refusal;
    if (auto refusal = check_parent(instance)) return refusal;
    if (auto refusal = check_run_key(instance.run)) return refusal;
    if (auto refusal = check_document(instance, part.document)) return refusal;
    if (auto refusal = check_on_fail(instance)) return refusal;
    bool waits = name.busy;
    bool dropped = false;
    if (auto refusal = check_rate(part, waits, dropped)) return refusal;
    if (!dropped) {
        if (auto refusal = check_concurrency(part, name.holder, waits)) return refusal;
    }

    started_.emplace(instance.run, waits || rows_.is_paused(instance.definition));
    new_names_.insert(instance.name);
    return std::nullopt;
}

auto Guards::check_start_lock(const Start& part) -> Verdict {
    const bool in_line = part.concurrency && (part.concurrency->when_busy == WhenBusy::queue ||
                                              part.concurrency->when_busy == WhenBusy::replace);
    const bool over = part.rate && part.rate->when_over != WhenOver::refuse;
    const bool may_wait =
        part.delay > Millis(0) || part.on_conflict == IdConflict::replace || in_line || over;
    if (!part.lock || !may_wait) return std::nullopt;
    return refuse(Errc::invalid_argument,
                  "a run whose first turn may have to wait cannot be started locked");
}

auto Guards::check_key(const Start& part) -> Verdict {
    if (!part.key) return std::nullopt;
    if (part.key->key.empty()) {
        return refuse(Errc::invalid_argument, "the idempotency key must not be empty");
    }
    const std::string what = "key '" + part.key->key + "'";
    const KeyId id = key_id(part.instance, *part.key);
    if (new_keys_.contains(id)) return refuse(Errc::duplicate_key, what + " is used twice");
    if (auto taken = rows_.taken_key(id)) {
        Refusal refusal = refuse(Errc::duplicate_key,
                                 what + " is taken by instance '" + taken->instance.name.id + "'",
                                 std::move(taken->instance));
        refusal.input_differs = taken->input_digest != part.input_digest;
        return refusal;
    }
    new_keys_.insert(id);
    return std::nullopt;
}

auto Guards::check_conflict(const Start& part, const std::optional<RunFacts>& old) -> Verdict {
    if (part.on_conflict == IdConflict::replace && old &&
        !new_names_.contains(part.instance.name)) {
        return address(*old, Effect::ends_tree);
    }
    return check_name_free(part.instance.name, part.input_digest, old);
}

/// `old`: the run that has the name, which is no obstacle if it is replaced. Sets `waits` if the
/// first turn may have to wait.
auto Guards::check_concurrency(const Start& part, const std::optional<RunFacts>& old, bool& waits)
    -> Verdict {
    if (!part.concurrency) return std::nullopt;
    const std::string& key = part.concurrency->key;
    if (key.empty()) return refuse(Errc::invalid_argument, "the concurrency key must not be empty");
    const ConcurrencyId id{part.instance.name.space, part.instance.definition, key};
    if (!new_concurrent_.insert(id).second) {
        return refuse(
            Errc::invalid_argument,
            "an earlier part of the transition starts a run of the concurrency key '" + key + "'");
    }
    const WhenBusy when_busy = part.concurrency->when_busy;
    if (when_busy == WhenBusy::allow) return std::nullopt;
    for (const RunFacts& other : rows_.concurrent(id)) {
        waits = true;
        const bool replaces = when_busy == WhenBusy::replace;
        if (when_busy == WhenBusy::queue || (replaces && other.ended())) continue;
        // Only a replacement gets here with a name that is in use.
        if (old && other.ref == old->ref) continue;
        if (auto conflict = address(other, replaces ? Effect::ends_tree : Effect::none)) {
            return conflict;
        }
        if (replaces) continue;
        return refuse(Errc::concurrency_busy,
                      "instance '" + other.name->id + "' is under way under the concurrency key '" +
                          key + "'",
                      other.brief());
    }
    return std::nullopt;
}

/// Sets `waits` if the run cannot begin at once, and `dropped` if it is not to begin at all.
auto Guards::check_rate(const Start& part, bool& waits, bool& dropped) -> Verdict {
    if (!part.rate) return std::nullopt;
    const RateOfStarts& rate = *part.rate;
    if (rate.count == 0 || rate.per <= Millis(0)) {
        return refuse(Errc::invalid_argument,
                      "a rate of starts needs at least 1 run, and a time of at least 1 ms");
    }
    if (rate.count > Limits().rate_starts) {
        return refuse(Errc::limit_exceeded,
                      "a rate of starts counts at most " + std::to_string(Limits().rate_starts) +
                          " runs, not " + std::to_string(rate.count));
    }
    if (rate.when_over == WhenOver::drop && part.on_conflict == IdConflict::replace) {
        return refuse(Errc::invalid_argument,
                      "a start that may be dropped cannot replace the run that has its id");
    }
    const RateId id = rate_id(part.instance);
    if (!new_places_.insert(id).second) {
        return refuse(
            Errc::invalid_argument,
            "an earlier part of the transition starts a run of '" + id.second + "' with a rate");
    }
    const Timestamp from = rows_.room_from(id, rate);
    if (from <= rows_.now()) return std::nullopt;
    waits = true;
    dropped = rate.when_over == WhenOver::drop;
    if (rate.when_over != WhenOver::refuse) return std::nullopt;
    return refuse(Errc::rate_exceeded,
                  "'" + id.second + "' begins at most " + in_words(rate) +
                      "; the next one can be started in " +
                      std::to_string((from - rows_.now()).count()) + " ms");
}

auto Guards::check_name_free(const InstanceName& name,
                             const Digest& input_digest,
                             const std::optional<RunFacts>& old) -> Verdict {
    if (new_names_.contains(name)) {
        return refuse(Errc::id_in_use, "id '" + name.id + "' is used twice");
    }
    if (!old) return std::nullopt;
    Refusal refusal = refuse(Errc::id_in_use, "id '" + name.id + "' is in use", old->brief());
    refusal.input_differs = rows_.input_digest(old->ref) != input_digest;
    return refusal;
}

auto Guards::check_parent(const NewInstance& instance) -> Verdict {
    if (!instance.parent) return std::nullopt;
    const auto parent = rows_.run(instance.parent->run);
    if (!parent) return no_such_run(instance.parent->run);
    if (parent->ended()) return already_ended(*parent);
    if (auto refusal = check_not_deleted(parent->ref)) return refusal;
    return check_key_order(instance);
}

auto Guards::check_key_order(const NewInstance& child) -> Verdict {
    BELAY_ASSERT(child.parent.has_value());
    if (child.run.key > child.parent->run.key) return std::nullopt;
    return refuse(Errc::invalid_argument,
                  "the key of a child must be greater than its parent's: " + to_string(child.run) +
                      " is not after " + to_string(child.parent->run));
}

auto Guards::check_document(const NewInstance& instance, const std::optional<Payload>& text)
    -> Verdict {
    if (!instance.document) {
        if (!text) return std::nullopt;
        return refuse(
            Errc::invalid_argument,
            "instance '" + instance.name.id + "' has the text of a document and no digest");
    }
    const DocumentKey key{instance.name.space, *instance.document};
    if (text || documents_.contains(key)) {
        documents_.insert(key);
        return std::nullopt;
    }
    const std::string what = "document " + base::short_hex(key.second);
    if (!deleted_.empty()) {
        return refuse(Errc::invalid_argument,
                      "an earlier part of the transition deletes instances, perhaps the last of " +
                          what + ", of which instance '" + instance.name.id + "' has no text");
    }
    if (!rows_.has_document(key)) {
        return refuse(Errc::not_found,
                      what + " of instance '" + instance.name.id + "' is not kept in namespace '" +
                          key.first + "'; start it with its text");
    }
    documents_.insert(key);
    return std::nullopt;
}

auto Guards::check_on_fail(const NewInstance& instance) -> Verdict {
    if (instance.on_fail_of) {
        return refuse(Errc::invalid_argument,
                      "instance '" + instance.name.id + "' cannot be for a failure: a store " +
                          "creates such runs by itself");
    }
    if (!instance.on_fail) return std::nullopt;
    const std::string longest = other_on_fail_id(instance.name.id, instance.on_fail->key);
    const auto valid =
        check_instance_id("the id of the run for its failure", longest, Limits().name_bytes);
    if (!valid) return Refusal{valid.error(), std::nullopt, false};
    if (instance.on_fail->key <= instance.run.key) {
        return refuse(Errc::invalid_argument,
                      "the key of the run for a failure must be greater than that of the run: " +
                          to_string(*instance.on_fail) + " is not after " +
                          to_string(instance.run));
    }
    on_fail_.emplace(instance.run, &instance);
    return check_run_key(*instance.on_fail);
}

auto Guards::check_run_key(RunRef run) -> Verdict {
    if (!rows_.is_key_used(run) && new_runs_.insert(run).second) return std::nullopt;
    return refuse(Errc::run_key_taken, "run key " + to_string(run) + " is in use");
}

}  // namespace belay::store
