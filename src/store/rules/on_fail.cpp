#include "store/rules/on_fail.hpp"

#include "store/rules/inbox.hpp"
#include "store/rules/settling.hpp"
#include "store/rules/starting.hpp"
#include <belay/store/operations.hpp>

#include <string>
#include <tuple>
#include <utility>

namespace belay::store {

namespace {

/// True if it was created for a failure, and nothing of it runs any more.
bool has_handled_a_failure(Rows& rows, const Run& run) {
    if (!is_at_rest(rows, run)) return false;
    ClaimedInstance about;
    rows.describe(run, about);
    return about.on_fail_of.has_value();
}

/// Returns a free id for the run. Takes it from a run that has handled an earlier failure.
InstanceName take_name(Rows& rows, const Run& failed) {
    InstanceName name{failed.name.space, on_fail_id(failed.name.id)};
    Run* const holder = rows.find_run(name);
    if (holder == nullptr) return name;
    if (has_handled_a_failure(rows, *holder)) {
        rows.set_former(*holder);
        return name;
    }
    name.id = other_on_fail_id(failed.name.id, failed.on_fail->key);
    while (rows.find_run(name) != nullptr) {
        name.id.append(".").append(std::to_string(failed.on_fail->key.value));
    }
    return name;
}

RunRef free_ref(Rows& rows, RunRef wanted) {
    while (rows.find_run(wanted.key) != nullptr) ++wanted.key.value;
    return wanted;
}

}  // namespace

void start_on_fail(Change& change, const Run& run, const Failure& failure) {
    BELAY_ASSERT(run.on_fail.has_value());
    Rows& rows = change.rows;
    rows.flush();  // Some runs may be new. What is read below is in their rows.
    NewInstance instance;
    instance.run = free_ref(rows, *run.on_fail);
    instance.name = take_name(rows, run);
    ClaimedInstance about;
    rows.describe(run, about);
    instance.definition = std::move(about.definition);
    instance.version = std::move(about.version);
    instance.input = std::move(about.input);
    instance.owner = std::move(about.owner);
    instance.headers = std::move(about.headers);
    instance.document = about.document;
    instance.on_fail_of = run.ref;
    instance.priority = run.priority;
    std::tie(instance.labels, instance.started_by) = rows.labels_of(run);
    Run& created = create_run(change, instance, change.now);
    add_message(rows, created, op::run_failed(failure));
    rows.flush();  // The new row is written from `instance`.
}

}  // namespace belay::store
