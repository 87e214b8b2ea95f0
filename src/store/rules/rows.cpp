#include "store/rules/rows.hpp"

namespace belay::store {

Run* Rows::find_run(const InstanceName& name) {
    const Holders holders = holders_of(name);
    return holders.current ? load_run(*holders.current) : nullptr;
}

Run& Rows::run_of(RunKey key) {
    Run* run = load_run(key);
    // The rules never write rows of a run without the run itself.
    if (run == nullptr) damaged("a run that rows refer to is missing");
    return *run;
}

Run& Rows::create_run(const NewInstance& instance) {
    Run& run = add_run(instance);
    run.ref = instance.run;
    run.name = instance.name;
    run.parent = instance.parent;
    run.parent_close = instance.parent_close;
    run.has_document = instance.document.has_value();
    run.on_fail = instance.on_fail;
    run.created_at = now_;
    run.execution_at = now_;
    run.birth.emplace().about = &instance;
    touch(run);
    notices.changed(run.ref, RunChange::started);
    return run;
}

std::uint64_t Rows::delete_run(Run& run) {
    std::erase(dirty_, &run);
    return erase_run(run);
}

void Rows::flush() {
    for (Run* run : dirty_) {
        if (run->inbox_stale) {
            run->inbox_stale = false;
            run->inbox_at = inbox_ready_from(*run);
        }
        const std::optional<Timestamp> ready = run->claimable_at();
        if (ready && ready != run->ready_at) notices.instances_ready = true;
        run->ready_at = ready;
        run->late_at = run->late_from();
        write_run(*run);
        run->birth.reset();
        run->new_outcome.reset();
        run->dirty = false;
    }
    dirty_.clear();
}

}  // namespace belay::store
