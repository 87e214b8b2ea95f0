// The waits of a world, and those that will never end.
#include "store/blocking.hpp"
#include "testing/parts.hpp"

#include <algorithm>

namespace belay::testing {

namespace {

constexpr std::uint32_t kPage = 1'000;

/// False for the end of time, by which code says "never". Also false for a time so late that a
/// world would be on its way there for as long as a test may take.
bool comes(Timestamp at, Timestamp now) {
    return at < Timestamp::max() && at - kLongestWait <= now;
}

/// True if it will come when time passes. Everything that could come without that has come.
bool timed(const Awaited& awaited, Timestamp now) {
    const bool has_a_time = awaited.kind == AwaitedKind::timer ||
                            awaited.state == AwaitedState::delayed ||
                            awaited.state == AwaitedState::retrying;
    return has_a_time && (!awaited.until || comes(*awaited.until, now));
}

/// In a world there is one worker, which has had each of them as long as it will.
std::string in_words(const Awaited& awaited) {
    if (awaited.kind == AwaitedKind::activity && awaited.state == AwaitedState::running) {
        return "activity " + awaited.name + ", which was begun and does not come back";
    }
    return describe(awaited);
}

}  // namespace

std::vector<InstanceName> World::Parts::unended() {
    std::vector<InstanceName> names;
    for (const std::string& space : store.spaces()) {
        std::string cursor;
        do {
            const Result<InstancePage> page = client.list(ListOptions()
                                                              .space(space)
                                                              .status(Status::pending)
                                                              .status(Status::running)
                                                              .status(Status::canceling)
                                                              .all_parts()
                                                              .order(InstanceOrder::started)
                                                              .page_size(kPage)
                                                              .after(cursor));
            if (!page) break;
            for (const ListedInstance& listed : page->instances) {
                names.push_back(listed.instance.name);
            }
            cursor = page->next;
        } while (!cursor.empty());
    }
    return names;
}

bool World::Parts::anything_timed() {
    if (executor.next_due()) return true;
    for (const InstanceName& name : unended()) {
        const Result<InstanceDescription> about = client.describe(name);
        if (!about) continue;
        if (about->info.status == Status::canceling) return true;  // Its deadline ends it.
        if (about->condition == Condition::delayed) {
            if (!about->until || comes(*about->until, clock.wall())) return true;
        } else if (about->condition != Condition::waiting && about->condition != Condition::held) {
            return true;
        }
        const bool any_timed =
            std::any_of(about->awaits.begin(), about->awaits.end(), [this](const Awaited& awaited) {
                return timed(awaited, clock.wall());
            });
        if (any_timed) return true;
    }
    return false;
}

std::optional<Millis> World::Parts::first_cancel_deadline() {
    std::optional<Millis> first;
    const auto consider = [&](const InstanceInfo& info) {
        if (info.status != Status::canceling || !info.cancel_deadline) return;
        const Millis at =
            clock.monotonic() + std::max(*info.cancel_deadline - clock.wall(), Millis(0));
        first = first ? std::min(*first, at) : at;
    };
    // Those that were replaced are in no list, and the run that has their name waits for them.
    std::erase_if(store.replaced(), [&](RunRef run) {
        const Result<ReadInstance::Answer> info =
            store::ask(store, ReadInstance{InstanceName(), run});
        if (!info || !*info || is_terminal((*info)->status)) return true;
        consider(**info);
        return false;
    });
    for (const std::string& space : store.spaces()) {
        const Result<InstancePage> page = client.list(
            ListOptions().space(space).status(Status::canceling).all_parts().page_size(kPage));
        if (!page) continue;
        for (const ListedInstance& listed : page->instances) {
            const Result<InstanceInfo> info = client.inspect(listed.instance.name);
            if (info) consider(*info);
        }
    }
    return first;
}

std::string World::Parts::waits_for(const InstanceName& name, const std::string& indent) {
    const Result<InstanceDescription> about = client.describe(name);
    if (!about) return indent + about.error().describe() + "\n";
    if (about->condition != Condition::waiting || about->awaits.empty()) {
        return indent + describe_condition(*about) + "\n";
    }
    std::string lines;
    for (const Awaited& awaited : about->awaits) {
        lines += indent + in_words(awaited) + "\n";
        if (awaited.kind == AwaitedKind::child) {
            lines += waits_for(InstanceName{name.space, awaited.child_id}, indent + "  ");
        }
    }
    return lines;
}

std::string World::Parts::never_ends(const std::string& definition, const InstanceName& name) {
    return definition + " '" + name.id +
           "' can never end: nothing is due, and nothing runs that could come back. It waits "
           "for\n" +
           waits_for(name, "  ") +
           "Raise or enqueue what it waits for (after world.start), or replace the activity";
}

}  // namespace belay::testing
