#include "store/rules/on_fail.hpp"

#include "store/rules/inbox.hpp"
#include "store/rules/starting.hpp"
#include <belay/store/operations.hpp>

#include <tuple>
#include <utility>

namespace belay::store {

void start_on_fail(Change& change, const Run& run, const Failure& failure) {
    BELAY_ASSERT(run.on_fail.has_value());
    Rows& rows = change.rows;
    NewInstance instance;
    instance.run = *run.on_fail;
    instance.name = InstanceName{run.name.space, on_fail_id(run.name.id)};
    if (rows.holders_of(instance.name).current || rows.find_run(instance.run.key) != nullptr) {
        return;
    }
    rows.flush();  // The run may be new. What is read below is in its row.
    ClaimedInstance about;
    rows.describe(run, about);
    instance.definition = std::move(about.definition);
    instance.version = std::move(about.version);
    instance.input = std::move(about.input);
    instance.owner = std::move(about.owner);
    instance.headers = std::move(about.headers);
    instance.document = about.document;
    instance.on_fail_of = run.ref;
    std::tie(instance.labels, instance.started_by) = rows.labels_of(run);
    Run& created = create_run(change, instance, change.now);
    add_message(rows, created, op::run_failed(failure));
    rows.flush();  // The new row is written from `instance`.
}

}  // namespace belay::store
